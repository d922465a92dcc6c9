//! The triangles of a glTF file, `.glb` or `.gltf`: all meshes of its scene, where its nodes
//! place them. Coordinates are as in the file, without a change of axes. Materials, skins and
//! animations are skipped.

use conatus_geometry::Mesh;
use conatus_geometry::mesh::MergedTriangles;
use conatus_math::{DMat3, DQuat, DVec3};
use serde_json::Value;

/// The deepest nesting of nodes.
const MAX_DEPTH: usize = 64;
/// The most triangles: nodes may show a mesh many times.
const MAX_TRIANGLES: usize = 4_000_000;
/// The number that means triangles, also where none is given.
const TRIANGLES: u64 = 4;

/// Reads a file; `read` finds the buffers beside it.
pub fn parse(bytes: &[u8], read: impl Fn(&str) -> Result<Vec<u8>, String>) -> Result<Mesh, String> {
    let (json, binary) = match bytes.starts_with(b"glTF") {
        true => chunks(bytes)?,
        false => (bytes, None),
    };
    let root: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let mut buffers = Vec::new();
    for buffer in list(&root, "buffers") {
        buffers.push(match buffer["uri"].as_str() {
            None => binary.unwrap_or_default().to_vec(),
            Some(uri) if uri.starts_with("data:") => {
                return Err("its buffers are inside the text; save it as .glb".into());
            }
            Some(uri) => read(uri)?,
        });
    }
    let mut reader = Reader {
        root: &root,
        buffers,
        merged: MergedTriangles::default(),
        triangles: 0,
    };
    let scene = index(&root["scene"]).unwrap_or(0);
    let nodes = match list(&root, "scenes").get(scene) {
        Some(scene) => list(scene, "nodes").iter().filter_map(index).collect(),
        None => (0..list(&root, "nodes").len()).collect::<Vec<_>>(),
    };
    for node in nodes {
        reader.node(node, &Placement::IDENTITY, 0)?;
    }
    match reader.triangles {
        0 => Err("it has no triangles".into()),
        _ => Ok(reader.merged.into_mesh()),
    }
}

/// The JSON and the binary chunk of a `.glb` file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let short = || "the file is cut short".to_owned();
    let (mut json, mut binary) = (None, None);
    let mut rest = bytes.get(12..).ok_or_else(short)?;
    while rest.len() >= 8 {
        let length = number(rest, 0).ok_or_else(short)? as usize;
        let content = rest.get(8..).and_then(|r| r.get(..length));
        let content = content.ok_or_else(short)?;
        match &rest[4..8] {
            b"JSON" => json = Some(content),
            b"BIN\0" => binary = Some(content),
            _ => {}
        }
        rest = &rest[8 + length..];
    }
    Ok((json.ok_or_else(short)?, binary))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// An affine map.
#[derive(Clone, Copy)]
struct Placement {
    linear: DMat3,
    shift: DVec3,
}

impl Placement {
    const IDENTITY: Self = Self {
        linear: DMat3::IDENTITY,
        shift: DVec3::ZERO,
    };

    /// That of a node: a matrix, or scale, rotation and translation.
    fn of(node: &Value) -> Self {
        let numbers =
            |key: &str| -> Vec<f64> { list(node, key).iter().filter_map(Value::as_f64).collect() };
        if let [a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _] = numbers("matrix")[..] {
            return Self {
                linear: DMat3::from_cols_array(&[a, b, c, d, e, f, g, h, i]),
                shift: DVec3::new(x, y, z),
            };
        }
        let vector = |key: &str, default: DVec3| match numbers(key)[..] {
            [x, y, z] => DVec3::new(x, y, z),
            _ => default,
        };
        let turn = match numbers("rotation")[..] {
            [x, y, z, w] => DQuat::from_xyzw(x, y, z, w).normalize(),
            _ => DQuat::IDENTITY,
        };
        let scale = DMat3::from_diagonal(vector("scale", DVec3::ONE));
        Self {
            linear: DMat3::from_quat(turn) * scale,
            shift: vector("translation", DVec3::ZERO),
        }
    }

    fn after(&self, inner: &Self) -> Self {
        Self {
            linear: self.linear * inner.linear,
            shift: self.linear * inner.shift + self.shift,
        }
    }
}

struct Reader<'a> {
    root: &'a Value,
    buffers: Vec<Vec<u8>>,
    merged: MergedTriangles,
    triangles: usize,
}

impl Reader<'_> {
    fn node(&mut self, node: usize, above: &Placement, depth: usize) -> Result<(), String> {
        let root = self.root;
        if depth > MAX_DEPTH {
            return Err("its nodes are nested too deep, or in a circle".into());
        }
        let node = list(root, "nodes").get(node).ok_or("a node is missing")?;
        let here = above.after(&Placement::of(node));
        if let Some(mesh) = index(&node["mesh"]) {
            let mesh = list(root, "meshes").get(mesh).ok_or("a mesh is missing")?;
            for primitive in list(mesh, "primitives") {
                if primitive["mode"].as_u64().unwrap_or(TRIANGLES) == TRIANGLES {
                    self.primitive(primitive, &here)?;
                }
            }
        }
        for child in list(node, "children").iter().filter_map(index) {
            self.node(child, &here, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Value, place: &Placement) -> Result<(), String> {
        let broken = || "an accessor points outside its buffer".to_owned();
        let positions =
            index(&primitive["attributes"]["POSITION"]).ok_or("a mesh has no positions")?;
        let (count, stride, bytes, kind) = self.accessor(positions, 12).ok_or_else(broken)?;
        if kind != 5126 {
            return Err("positions must be numbers of 32 bits".into());
        }
        let mut points = Vec::new();
        for k in 0..count {
            let float = |i: usize| number(bytes, k * stride + 4 * i).map(f32::from_bits);
            let [x, y, z] = [float(0), float(1), float(2)];
            let (Some(x), Some(y), Some(z)) = (x, y, z) else {
                return Err(broken());
            };
            let point = DVec3::new(x.into(), y.into(), z.into());
            let point = place.linear * point + place.shift;
            if !point.is_finite() {
                return Err("a coordinate is not finite".into());
            }
            points.push(point);
        }
        let order: Vec<usize> = match index(&primitive["indices"]) {
            None => (0..points.len()).collect(),
            Some(indices) => self.indices(indices).ok_or_else(broken)?,
        };
        self.triangles = self.triangles.saturating_add(order.len() / 3);
        if self.triangles > MAX_TRIANGLES {
            return Err(format!("it has more than {MAX_TRIANGLES} triangles"));
        }
        // A mirrored node shows its inside outside.
        let mirrored = place.linear.determinant() < 0.0;
        for corners in order.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| points.get(corners[i]).copied());
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                return Err(broken());
            };
            self.merged
                .add(if mirrored { [a, c, b] } else { [a, b, c] });
        }
        Ok(())
    }

    fn indices(&self, accessor: usize) -> Option<Vec<usize>> {
        let kind = list(self.root, "accessors").get(accessor)?["componentType"].as_u64()?;
        let size = match kind {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            _ => return None,
        };
        let (count, stride, bytes, _) = self.accessor(accessor, size)?;
        let one = |k: usize| {
            let at = k.checked_mul(stride)?;
            let bytes = bytes.get(at..at.checked_add(size)?)?;
            Some(bytes.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)))
        };
        (0..count).map(one).collect()
    }

    /// The number of elements, the distance of two, their bytes and their type.
    fn accessor(&self, accessor: usize, size: usize) -> Option<(usize, usize, &[u8], u64)> {
        let accessor = list(self.root, "accessors").get(accessor)?;
        let view = list(self.root, "bufferViews").get(index(&accessor["bufferView"])?)?;
        let buffer = self.buffers.get(index(&view["buffer"])?)?;
        let offset = |value: &Value| index(&value["byteOffset"]).unwrap_or(0);
        let from = offset(view).checked_add(offset(accessor))?;
        let bytes = buffer.get(from..)?;
        let count = index(&accessor["count"])?;
        let stride = index(&view["byteStride"]).unwrap_or(size).max(1);
        // The last element ends within the buffer, so that no count is too large.
        let last = count.checked_sub(1)?.checked_mul(stride)?;
        (last.checked_add(size)? <= bytes.len()).then_some(())?;
        Some((count, stride, bytes, accessor["componentType"].as_u64()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with four vertices for each triangle, under a node that doubles it.
    fn tetrahedron(indices: &[u16]) -> Vec<u8> {
        let points = [
            [0.0f32; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
        ];
        let mut binary: Vec<u8> = Vec::new();
        points
            .iter()
            .chain(&points)
            .flatten()
            .for_each(|x| binary.extend(x.to_le_bytes()));
        let positions = binary.len();
        indices.iter().for_each(|i| binary.extend(i.to_le_bytes()));
        let json = serde_json::json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "scale": [2, 2, 2], "children": [1] }, { "mesh": 0, "translation": [1, 0, 0] }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3" },
                { "bufferView": 1, "componentType": 5123, "count": indices.len(), "type": "SCALAR" },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": positions },
                { "buffer": 0, "byteOffset": positions, "byteLength": 2 * indices.len() },
            ],
            "buffers": [{ "byteLength": binary.len() }],
        });
        let json = json.to_string().into_bytes();
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
        for (kind, content) in [(b"JSON", &json), (b"BIN\0", &binary)] {
            file.extend((content.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(content);
        }
        file
    }

    fn no_files(_: &str) -> Result<Vec<u8>, String> {
        Err("no file".into())
    }

    #[test]
    fn nodes_place_meshes_and_equal_points_are_merged() {
        let file = tetrahedron(&[0, 2, 1, 4, 1, 3, 0, 7, 6, 5, 6, 7]);
        let mesh = parse(&file, no_files).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
        assert!(mesh.check_closed().is_ok());
        assert!((mesh.volume_integrals().volume - 8.0 / 6.0).abs() < 1e-12);
        assert_eq!(mesh.vertices[0], DVec3::new(2.0, 0.0, 0.0));
    }

    #[test]
    fn broken_files_are_refused() {
        let good = tetrahedron(&[0, 2, 1]);
        for length in 0..good.len() {
            assert!(parse(&good[..length], no_files).is_err(), "{length}");
        }
        assert!(parse(&tetrahedron(&[0, 2, 8]), no_files).is_err());
        assert!(parse(&tetrahedron(&[]), no_files).is_err());
        assert!(parse(b"{\"nodes\": [{\"children\": [0]}]}", no_files).is_err());
        assert!(parse(b"{\"buffers\": [{\"uri\": \"a.bin\"}]}", no_files).is_err());
    }
}
