//! A simple decoder of the compact recording.

use conatus_math::DVec3;
use conatus_record::{ClothInfo, Header};
use conatus_viewer::compact;
use serde_json::Value;
use std::collections::BTreeSet;

/// The decoded recording; values of bodies and contacts are f32.
pub struct Unpacked {
    pub json: Value,
    pub times: Vec<f64>,
    pub steps: Vec<u64>,
    pub series: Vec<Vec<f64>>,
    pub totals: Vec<Vec<f32>>,
    /// One list of N tracks of F values for each of the 13 numbers of a body.
    pub bodies: Vec<Vec<f32>>,
    pub counts: Vec<u32>,
    pub contacts: Vec<Vec<f32>>,
    pub status: Vec<u8>,
    pub stride: usize,
    /// One list of frames, each with all vertices, for each piece.
    pub cloth: Vec<Vec<Vec<DVec3>>>,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes.to_vec()
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes(4).try_into().unwrap())
    }

    fn planes(&mut self, count: usize) -> Vec<u32> {
        let bytes = self.bytes(4 * count);
        let value = |i: usize| {
            let part = |plane: usize| bytes[plane * count + i];
            u32::from_be_bytes([part(0), part(1), part(2), part(3)])
        };
        (0..count).map(value).collect()
    }

    fn wide(&mut self, count: usize) -> Vec<u64> {
        let (high, low) = (self.planes(count), self.planes(count));
        let (mut value, mut step) = (0u64, 0u64);
        (0..count)
            .map(|i| {
                let zigzag = u64::from(high[i]) << 32 | u64::from(low[i]);
                let d = (zigzag >> 1) ^ 0u64.wrapping_sub(zigzag & 1);
                step = step.wrapping_add(d);
                value = value.wrapping_add(step);
                value
            })
            .collect()
    }

    fn narrow(&mut self, tracks: usize, length: usize) -> Vec<f32> {
        let order = usize::from(self.bytes(1)[0]);
        assert!(order <= 3);
        let coded = self.planes(tracks * length);
        let mut values = Vec::new();
        for track in 0..tracks {
            let mut last: Vec<f32> = Vec::new();
            for i in 0..length {
                let at = |back: usize| f64::from(last[i - back]);
                let guess = match order.min(i) {
                    0 => 0.0,
                    1 => at(1) as f32,
                    2 => (2.0 * at(1) - at(2)) as f32,
                    _ => (3.0 * (at(1) - at(2)) + at(3)) as f32,
                };
                let guess = if guess.is_finite() { guess } else { 0.0 };
                let zigzag = coded[track * length + i];
                let d = (zigzag >> 1) ^ 0u32.wrapping_sub(zigzag & 1);
                let rank = swap(guess.to_bits() as i32).wrapping_add(d as i32);
                last.push(f32::from_bits(swap(rank) as u32));
            }
            values.extend(last);
        }
        values
    }
}

impl Reader<'_> {
    fn cloth(&mut self, info: &ClothInfo, frames: usize) -> Vec<Vec<DVec3>> {
        let corners: [f64; 6] =
            std::array::from_fn(|_| f64::from_le_bytes(self.bytes(8).try_into().unwrap()));
        let n = info.vertices;
        let modes = self.bytes(3 * frames);
        let (high, low) = (self.bytes(3 * frames * n), self.bytes(3 * frames * n));
        let mut lower = vec![BTreeSet::new(); n];
        for [a, b, c] in &info.triangles {
            for (u, v) in [(*a, *b), (*b, *c), (*c, *a)] {
                lower[u.max(v) as usize].insert(u.min(v) as usize);
            }
        }
        let mut tracks: [Vec<Vec<i64>>; 3] = Default::default();
        for row in 0..3 * frames {
            let track = &mut tracks[row % 3];
            let mode = modes[row];
            let i = track.len();
            let (mut places, mut off) = (Vec::new(), Vec::new());
            for v in 0..n {
                let at = |back: usize| track[i - back][v];
                let guess = match mode & 3 {
                    0 => 0,
                    1 => at(1),
                    2 => 2 * at(1) - at(2),
                    _ => 3 * (at(1) - at(2)) + at(3),
                };
                let mean = match (mode & 4, lower[v].len() as i64) {
                    (0, _) | (_, 0) => 0,
                    (_, count) => lower[v].iter().map(|u| off[*u]).sum::<i64>() / count,
                };
                let zigzag = i64::from(high[row * n + v]) << 8 | i64::from(low[row * n + v]);
                let d = zigzag >> 1 ^ -(zigzag & 1);
                let place = (guess + mean + d).rem_euclid(1 << 16);
                places.push(place);
                off.push(place - guess);
            }
            track.push(places);
        }
        let coordinate = |axis: usize, f: usize, v: usize| {
            let (least, most) = (corners[axis], corners[axis + 3]);
            least + (most - least) * tracks[axis][f][v] as f64 / 65535.0
        };
        let vertex = |f, v| {
            DVec3::new(
                coordinate(0, f, v),
                coordinate(1, f, v),
                coordinate(2, f, v),
            )
        };
        (0..frames)
            .map(|f| (0..n).map(|v| vertex(f, v)).collect())
            .collect()
    }
}

fn swap(bits: i32) -> i32 {
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// Decodes a recording.
pub fn unpack(bytes: &[u8]) -> Unpacked {
    let mut input = Reader(bytes);
    assert_eq!(input.bytes(8), compact::MAGIC);
    let [json, f, n, c, s] = std::array::from_fn(|_| input.u32() as usize);
    let json: Value = serde_json::from_slice(&input.bytes(json)).unwrap();
    let header: Header = serde_json::from_value(json["header"].clone()).unwrap();
    let floats = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect();
    let times = floats(input.wide(f));
    let mut unpacked = Unpacked {
        json,
        times,
        steps: input.wide(f),
        series: (0..s).map(|_| floats(input.wide(f))).collect(),
        totals: (0..9).map(|_| input.narrow(1, f)).collect(),
        bodies: (0..13).map(|_| input.narrow(n, f)).collect(),
        counts: input.planes(f),
        contacts: (0..7).map(|_| input.narrow(1, c)).collect(),
        status: {
            let mut status = input.bytes(f * n);
            for i in n..f * n {
                status[i] ^= status[i - n];
            }
            status
        },
        stride: 1,
        cloth: Vec::new(),
    };
    if !header.cloths.is_empty() {
        unpacked.stride = input.u32() as usize;
        let kept = (0..f).filter(|i| i % unpacked.stride == 0 || i + 1 == f);
        let kept = kept.count();
        let pieces = header.cloths.iter();
        unpacked.cloth = pieces.map(|info| input.cloth(info, kept)).collect();
    }
    assert!(input.0.is_empty());
    unpacked
}
