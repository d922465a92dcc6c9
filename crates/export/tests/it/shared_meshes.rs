//! Many bodies of one shape cost little more than one.

use crate::support;
use conatus_export::ExportOptions;
use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

const BODIES: usize = 20_000;
/// The most memory that a body may take beyond the shared meshes.
const MAX_BYTES_PER_BODY: usize = 4096;

/// Counts the bytes that this thread has allocated, and their maximum.
struct CountingAllocator;

thread_local! {
    static ALLOCATED: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let _ = ALLOCATED.try_with(|allocated| {
        let now = allocated.get() + bytes;
        allocated.set(now);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
    });
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The most bytes that this thread allocated at any time while `work` ran, beyond
/// what it had before.
fn peak_bytes(work: impl FnOnce()) -> usize {
    let before = ALLOCATED.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    work();
    (PEAK.with(Cell::get) - before) as usize
}

/// Balls that share one mesh of about 30 kB, in two frames.
fn many_balls() -> Recording {
    let mut header = support::header("balls");
    header.meshes = vec![support::ball(0.1, 18)];
    let place = |k: usize| DVec3::new((k % 100) as f64, (k / 100) as f64, 0.1);
    header.bodies = (0..BODIES)
        .map(|k| support::body(&format!("ball {k}"), 1.0, [0.8, 0.2, 0.2], 0, 0.1))
        .collect();
    let mut recording = support::recording(header);
    for n in 0..2u64 {
        let body = |k: usize| BodyFrame {
            position: place(k) + DVec3::Z * n as f64,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::Z,
            omega_body: DVec3::ZERO,
            status: Status::Free,
        };
        recording.frames.push(Frame {
            time: n as f64,
            step: 10 * n,
            bodies: (0..BODIES).map(body).collect(),
            ..Frame::default()
        });
    }
    recording
}

/// A scene with 20,000 spheres took 734 MB, 36 kB for every body, since each had
/// its own copy of one mesh. A body may take 4 kB beyond the shared meshes, in a
/// recording that is read and in every exporter of solids.
#[test]
fn a_body_takes_at_most_4_kb_beyond_shared_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let recording = many_balls();
    let mesh = &recording.header.meshes[0];
    let mesh_bytes = size_of_val(&mesh.vertices[..]) + size_of_val(&mesh.triangles[..]);
    assert!(mesh_bytes > 7 * MAX_BYTES_PER_BODY, "{mesh_bytes}");
    let shared = 2 << 20;
    let check = |what: &str, bytes: usize| {
        println!("{what}: {} bytes per body", bytes / BODIES);
        assert!(
            bytes < shared + MAX_BYTES_PER_BODY * BODIES,
            "{what} took {} bytes per body",
            bytes / BODIES
        );
    };
    let path = folder.path().join("run.mcap");
    check("writing", peak_bytes(|| recording.write(&path).unwrap()));
    let mut read = None;
    check("reading", peak_bytes(|| read = Recording::read(&path).ok()));
    assert_eq!(read.unwrap().header, recording.header);
    for ending in ["glb", "usda", "csv"] {
        let path = folder.path().join(format!("run.{ending}"));
        let write = || {
            conatus_export::write_file(&recording, &path, &ExportOptions::default()).unwrap();
        };
        check(ending, peak_bytes(write));
    }
}

#[test]
fn glb_stores_a_shared_mesh_once_for_many_nodes() {
    let mut recording = many_balls();
    recording.header.bodies.truncate(50);
    recording
        .frames
        .iter_mut()
        .for_each(|f| f.bodies.truncate(50));
    let mut bytes = Vec::new();
    conatus_export::glb::write(&recording, &mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert_eq!(json["meshes"].as_array().unwrap().len(), 1);
    let nodes = json["nodes"].as_array().unwrap();
    assert_eq!(nodes.iter().filter(|node| node["mesh"] == 0).count(), 50);
}
