//! The cloth of a compact recording: quantised positions, each stored as its
//! difference from a prediction by its earlier frames and its neighbours.

use super::Output;
use conatus_export::ExportError;
use conatus_math::DVec3;
use conatus_record::{ClothInfo, Frame, Header};

/// The most bytes of cloth in an HTML file; beyond that fewer frames are stored.
const MAX_FILE_BYTES: f64 = 40e6;
/// The most bytes of cloth in the memory of the page.
const MAX_MEMORY_BYTES: u64 = 256 << 20;
/// Bytes of base64 text per byte.
const BASE64_FACTOR: f64 = 4.0 / 3.0;
/// Larger coordinates are not drawn; the same limit as in the page.
const MAX_COORDINATE_M: f64 = 1e9;
/// The largest quantised coordinate.
const MAX_QUANTISED: f64 = 65535.0;

/// The encoded cloth of a recording.
pub struct CompactCloth {
    /// Cloth is stored for every `stride`-th frame, and for the last.
    pub stride: usize,
    pieces: Vec<Piece>,
}

struct Piece {
    /// The corners of the box around the piece in all frames.
    least: [f64; 3],
    most: [f64; 3],
    /// For each frame and axis: the order of the prediction, and 4 if
    /// neighbours contribute to it.
    modes: Vec<u8>,
    /// High and low bytes of the differences.
    high: Vec<u8>,
    low: Vec<u8>,
}

/// The frames for which cloth is stored.
fn stored_frames(frames: &[Frame], stride: usize) -> impl Iterator<Item = &Frame> {
    let rest = frames.len().saturating_sub(1) % stride;
    let last = frames.last().filter(|_| rest != 0);
    frames.iter().step_by(stride).chain(last)
}

impl CompactCloth {
    /// Encodes as many evenly spaced frames as fit.
    pub fn new(header: &Header, frames: &[Frame]) -> Self {
        Self::within(header, frames, MAX_FILE_BYTES)
    }

    fn within(header: &Header, frames: &[Frame], most: f64) -> Self {
        let whole = 6 * (header.cloth_vertices() as u64) * frames.len() as u64;
        let mut stride = whole.div_ceil(MAX_MEMORY_BYTES).max(1) as usize;
        loop {
            let cloth = Self::every(header, frames, stride);
            let times = cloth.packed_bytes() * BASE64_FACTOR / most;
            if times <= 1.0 || stride >= frames.len() {
                return cloth;
            }
            // Frames that are farther apart differ more, so this is never too many.
            stride = (stride as f64 * times).ceil().max(stride as f64 + 1.0) as usize;
        }
    }

    /// Encodes every `stride`-th frame.
    fn every(header: &Header, frames: &[Frame], stride: usize) -> Self {
        let pieces = header
            .cloth_pieces()
            .map(|(info, range)| {
                let tracks: Vec<&[_]> = stored_frames(frames, stride)
                    .map(|frame| &frame.cloth[range.clone()])
                    .collect();
                Piece::new(info, &tracks)
            })
            .collect();
        Self { stride, pieces }
    }

    /// An estimate of the size after gzip: the entropy of the bytes.
    fn packed_bytes(&self) -> f64 {
        let pieces = self.pieces.iter();
        pieces.map(|p| entropy(&p.high) + entropy(&p.low)).sum()
    }

    /// Writes the cloth; nothing if there is none.
    pub fn write(&self, out: &mut Output) -> Result<(), ExportError> {
        if self.pieces.is_empty() {
            return Ok(());
        }
        // A stride is at most the number of frames, which fits.
        out.bytes(&(self.stride as u32).to_le_bytes())?;
        for piece in &self.pieces {
            for corner in piece.least.iter().chain(&piece.most) {
                out.bytes(&corner.to_le_bytes())?;
            }
            out.bytes(&piece.modes)?;
            out.bytes(&piece.high)?;
            out.bytes(&piece.low)?;
        }
        Ok(())
    }
}

/// The entropy of bytes, in bytes, per block of the size that gzip uses.
fn entropy(bytes: &[u8]) -> f64 {
    let part = |part: &[u8]| {
        let mut times = [0u32; 256];
        part.iter().for_each(|byte| times[usize::from(*byte)] += 1);
        let bits = |n: u32| f64::from(n) * (part.len() as f64 / f64::from(n)).log2();
        times
            .iter()
            .filter(|n| **n > 0)
            .map(|n| bits(*n))
            .sum::<f64>()
            / 8.0
    };
    bytes.chunks(1 << 16).map(part).sum()
}

impl Piece {
    fn new(info: &ClothInfo, tracks: &[&[DVec3]]) -> Self {
        let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for place in tracks.iter().copied().flatten() {
            for (axis, x) in place.to_array().into_iter().enumerate() {
                if x.abs() < MAX_COORDINATE_M {
                    least[axis] = least[axis].min(x);
                    most[axis] = most[axis].max(x);
                }
            }
        }
        for axis in 0..3 {
            if least[axis] > most[axis] {
                (least[axis], most[axis]) = (0.0, 0.0);
            }
        }
        let mut piece = Self {
            least,
            most,
            modes: Vec::with_capacity(3 * tracks.len()),
            high: Vec::new(),
            low: Vec::new(),
        };
        let lower = LowerNeighbours::new(info);
        // The latest three frames of each axis, the newest first.
        let mut past: [Vec<Vec<i32>>; 3] = Default::default();
        for places in tracks {
            for (axis, past) in past.iter_mut().enumerate() {
                let now = piece.quantised(axis, places, past.first());
                piece.add(&now, past, &lower);
                past.insert(0, now);
                past.truncate(3);
            }
        }
        piece
    }

    /// Quantised coordinates; a vertex without a valid position keeps its last
    /// one.
    fn quantised(&self, axis: usize, places: &[DVec3], before: Option<&Vec<i32>>) -> Vec<i32> {
        let size = self.most[axis] - self.least[axis];
        let scale = if size > 0.0 {
            MAX_QUANTISED / size
        } else {
            0.0
        };
        let quantise = |(i, place): (usize, &DVec3)| match place.to_array()[axis] {
            x if x.abs() < MAX_COORDINATE_M => ((x - self.least[axis]) * scale)
                .round()
                .clamp(0.0, MAX_QUANTISED) as i32,
            _ => before.map_or(0, |before| before[i]),
        };
        places.iter().enumerate().map(quantise).collect()
    }

    /// Adds one axis of a frame with the prediction that leaves the fewest bits.
    fn add(&mut self, now: &[i32], past: &[Vec<i32>], lower: &LowerNeighbours) {
        // Zero, the last position, constant velocity, constant acceleration.
        let orders = usize::from(!past.is_empty())..=past.len();
        let best = orders
            .map(|order| {
                let off: Vec<i32> = (0..now.len())
                    .map(|i| now[i] - predict(past, order, i))
                    .collect();
                (order as u8, off)
            })
            .flat_map(|(order, off)| {
                let alone: Vec<u16> = off.iter().map(|d| zigzag(*d)).collect();
                let together = (0..off.len()).map(|i| zigzag(off[i] - lower.mean(i, &off)));
                [(order, alone), (order | 4, together.collect())]
            })
            .min_by_key(|(_, coded)| {
                let bits = coded.iter().map(|d| u64::from(16 - d.leading_zeros()));
                bits.sum::<u64>()
            });
        if let Some((mode, coded)) = best {
            self.modes.push(mode);
            self.high.extend(coded.iter().map(|d| (d >> 8) as u8));
            self.low.extend(coded.iter().map(|d| *d as u8));
        }
    }
}

fn predict(past: &[Vec<i32>], order: usize, i: usize) -> i32 {
    match order {
        0 => 0,
        1 => past[0][i],
        2 => 2 * past[0][i] - past[1][i],
        _ => 3 * (past[0][i] - past[1][i]) + past[2][i],
    }
}

/// Maps small numbers of either sign to small numbers, modulo 2¹⁶.
fn zigzag(d: i32) -> u16 {
    let d = d as i16;
    (d << 1 ^ d >> 15) as u16
}

/// For each vertex, its edge neighbours with a lower index.
struct LowerNeighbours {
    start: Vec<usize>,
    list: Vec<u32>,
}

impl LowerNeighbours {
    fn new(info: &ClothInfo) -> Self {
        let mut pairs: Vec<(u32, u32)> = info
            .triangles
            .iter()
            .flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)])
            .map(|(a, b)| (a.max(b), a.min(b)))
            .filter(|(a, b)| a != b)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let start = (0..=info.vertices)
            .map(|v| pairs.partition_point(|(high, _)| (*high as usize) < v))
            .collect();
        Self {
            start,
            list: pairs.into_iter().map(|(_, low)| low).collect(),
        }
    }

    /// The mean prediction error of the lower neighbours, truncated.
    fn mean(&self, vertex: usize, off: &[i32]) -> i32 {
        let near = &self.list[self.start[vertex]..self.start[vertex + 1]];
        let sum: i64 = near.iter().map(|v| i64::from(off[*v as usize])).sum();
        // A mean of i32 fits into an i32.
        (sum / near.len().max(1) as i64) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::scene::{LoadOptions, Scene};

    /// Vertices without triangles that move randomly, which do not compress.
    fn random_vertices(vertices: usize, frames: usize) -> (Header, Vec<Frame>) {
        let scene = Scene::load("cylon", &LoadOptions::default()).unwrap();
        let mut header = scene.build().unwrap().header;
        header.cloths = vec![ClothInfo {
            name: "random".into(),
            color: [1.0; 3],
            thickness: 1e-3,
            vertices,
            triangles: Vec::new(),
        }];
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 40) as f64
        };
        let mut frame = || Frame {
            cloth: (0..vertices)
                .map(|_| DVec3::new(random(), random(), random()))
                .collect(),
            ..Frame::default()
        };
        let frames = (0..frames).map(|_| frame()).collect();
        (header, frames)
    }

    #[test]
    fn too_much_cloth_is_stored_for_fewer_frames_and_the_last() {
        let (header, frames) = random_vertices(200, 101);
        // Random numbers take two bytes each, and a third more as base64.
        let all = 6.0 * 200.0 * 101.0 * BASE64_FACTOR;
        let whole = CompactCloth::within(&header, &frames, 1.01 * all);
        assert_eq!(whole.stride, 1);
        let thin = CompactCloth::within(&header, &frames, 0.3 * all);
        assert!((4..=5).contains(&thin.stride), "{}", thin.stride);
        assert!(thin.packed_bytes() * BASE64_FACTOR <= 0.3 * all);
        let few = CompactCloth::within(&header, &frames, 0.0);
        assert_eq!(few.pieces[0].modes.len(), 2 * 3, "the first and the last");
    }

    #[test]
    fn frames_are_stored_at_even_distances_and_at_the_end() {
        for (count, stride, expected) in [
            (0, 3, vec![]),
            (1, 3, vec![0]),
            (7, 3, vec![0, 3, 6]),
            (8, 3, vec![0, 3, 6, 7]),
            (3, 1, vec![0, 1, 2]),
        ] {
            let frame = |step| Frame {
                step,
                ..Frame::default()
            };
            let frames: Vec<Frame> = (0..count).map(frame).collect();
            let steps: Vec<u64> = stored_frames(&frames, stride).map(|f| f.step).collect();
            assert_eq!(steps, expected);
        }
    }
}
