//! Bodies that are joined are a hierarchy of nodes in glTF.

use crate::support;
use conatus_export::glb;
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::{Recording, Status};
use serde_json::Value;
use std::collections::BTreeMap;

/// A parsed `.glb` file.
struct Gltf {
    json: Value,
    binary: Vec<u8>,
}

impl Gltf {
    fn of(recording: &Recording) -> Self {
        let mut file = Vec::new();
        glb::write(recording, &mut file).unwrap();
        let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        Self {
            json: serde_json::from_slice(&file[20..20 + length]).unwrap(),
            binary: file[28 + length..].to_vec(),
        }
    }

    fn nodes(&self) -> &[Value] {
        self.json["nodes"].as_array().unwrap()
    }

    fn node(&self, name: &str) -> usize {
        let is_named = |node: &Value| node["name"] == name;
        self.nodes().iter().position(is_named).unwrap()
    }

    fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.nodes().len()];
        for (parent, node) in self.nodes().iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                let child = child.as_u64().unwrap() as usize;
                assert_eq!(parents[child], None, "node {child} has two parents");
                parents[child] = Some(parent);
            }
        }
        parents
    }

    fn floats(&self, accessor: &Value) -> Vec<f64> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let length = view["byteLength"].as_u64().unwrap() as usize;
        let bytes = self.binary[start..start + length].chunks_exact(4);
        let number = |b: &[u8]| f64::from(f32::from_le_bytes(b.try_into().unwrap()));
        bytes.map(number).collect()
    }

    /// The animated values of a property by node.
    fn channels(&self, path: &str) -> BTreeMap<usize, Vec<f64>> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array().into_iter().flatten();
        let of_path = channels.filter(|c| c["target"]["path"] == path);
        of_path
            .map(|channel| {
                let node = channel["target"]["node"].as_u64().unwrap() as usize;
                let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
                (node, self.floats(&sampler["output"]))
            })
            .collect()
    }

    /// The pose of each node in the root's axes at each key.
    fn world(&self, keys: usize) -> Vec<Vec<Pose>> {
        let (translations, rotations) = (self.channels("translation"), self.channels("rotation"));
        let parents = self.parents();
        let root = self.json["scenes"][0]["nodes"][0].as_u64().unwrap() as usize;
        let local = |node: usize, key: usize| {
            let numbers = |name: &str, animated: Option<&Vec<f64>>, width: usize| match animated {
                Some(values) => Some(values[width * key..][..width].to_vec()),
                None => {
                    let fixed = self.nodes()[node][name].as_array();
                    let number = |v: &Value| f64::from(v.as_f64().unwrap() as f32);
                    fixed.map(|list| list.iter().map(number).collect())
                }
            };
            let t = numbers("translation", translations.get(&node), 3).unwrap_or(vec![0.0; 3]);
            let identity = vec![0.0, 0.0, 0.0, 1.0];
            let r = numbers("rotation", rotations.get(&node), 4).unwrap_or(identity);
            Pose::new(
                DQuat::from_xyzw(r[0], r[1], r[2], r[3]).normalize(),
                DVec3::new(t[0], t[1], t[2]),
            )
        };
        let at = |node: usize, key: usize| {
            let (mut node, mut pose) = (node, Pose::IDENTITY);
            while node != root {
                pose = local(node, key).after(&pose);
                node = parents[node].unwrap();
            }
            pose
        };
        (0..self.nodes().len())
            .map(|node| (0..keys).map(|key| at(node, key)).collect())
            .collect()
    }
}

fn assert_agrees(recording: &Recording) {
    let gltf = Gltf::of(recording);
    let world = gltf.world(recording.frames.len());
    let mut size: f64 = 1.0;
    for frame in &recording.frames {
        let places = frame.bodies.iter().map(|b| b.position.length());
        size = places.fold(size, f64::max);
    }
    for (index, body) in recording.header.bodies.iter().enumerate() {
        let node = gltf.node(&body.name);
        for (key, frame) in recording.frames.iter().enumerate() {
            let (found, wanted) = (world[node][key], &frame.bodies[index]);
            let apart = found.translation.distance(wanted.position);
            assert!(apart < 3e-7 * size, "{} at {key}: {apart} m", body.name);
            let turned = 1.0 - found.rotation.dot(wanted.orientation).abs();
            assert!(turned < 1e-12, "{} at {key}: {turned}", body.name);
        }
    }
}

#[test]
fn nodes_of_joined_bodies_are_where_the_recording_has_them() {
    assert_agrees(&support::joints::machine(40));
}

#[test]
fn bodies_hang_below_those_that_they_are_joined_to() {
    let gltf = Gltf::of(&support::joints::machine(5));
    let parents = gltf.parents();
    let parent = |name: &str| {
        let parent = parents[gltf.node(name)].unwrap();
        gltf.nodes()[parent]["name"].as_str().unwrap().to_owned()
    };
    for (body, above) in [
        ("base", "machine"),
        ("arm", "base"),
        ("carriage", "arm"),
        ("bob", "carriage"),
        ("tip", "bob"),
        ("shaft", "tip"),
        ("tool", "base"),
        // A rope and a rod join nothing.
        ("hook", "machine"),
        ("weight", "machine"),
        // Joints are at their first bodies.
        ("hinge", "base"),
        ("loop", "tip"),
    ] {
        assert_eq!(parent(body), above, "{body}");
    }
    let hinge = &gltf.nodes()[gltf.node("hinge")]["extras"]["joint"];
    assert_eq!(hinge["kind"], "hinge");
    assert_eq!(hinge["bodies"], serde_json::json!(["base", "arm"]));
    assert_eq!(hinge["axis"], serde_json::json!([0, 0, 1]));
    assert_eq!(hinge["limits"], serde_json::json!([-1.5, 2.5]));
}

/// Errors of single precision do not add up along a chain of 200 links.
#[test]
fn a_long_chain_keeps_the_precision_of_its_first_link() {
    let mut recording = support::joints::machine(1);
    let (body, joint) = (
        recording.header.bodies[1].clone(),
        recording.header.physics.joints[0].clone(),
    );
    recording.header.physics = Default::default();
    recording.header.bodies.clear();
    let mut frame = recording.frames[0].clone();
    let link = frame.bodies[1];
    frame.bodies.clear();
    for k in 0..200 {
        let mut info = body.clone();
        info.name = format!("link-{k}");
        recording.header.bodies.push(info);
        let mut pose = link;
        pose.position = DVec3::new(0.3 * f64::from(k), f64::from(k % 7) / 7.0, 1.0 / 3.0);
        pose.orientation = DQuat::from_rotation_x(0.37 * f64::from(k));
        frame.bodies.push(pose);
        if k > 0 {
            let mut joint = joint.clone();
            joint.bodies = [Some(k as usize - 1), Some(k as usize)];
            recording.header.physics.joints.push(joint);
        }
    }
    recording.frames = vec![frame];
    assert_agrees(&recording);
}

/// A node of scale 0 hides all nodes below it.
#[test]
fn a_body_that_is_removed_hides_no_other() {
    let mut recording = support::joints::machine(10);
    for frame in &mut recording.frames[5..] {
        frame.bodies[1].status = Status::Removed;
    }
    let gltf = Gltf::of(&recording);
    let parents = gltf.parents();
    let arm = gltf.node("arm");
    let below = |name: &str| parents[gltf.node(name)] == Some(arm);
    assert!(!below("carriage") && !below("base"));
    assert_agrees(&recording);
}
