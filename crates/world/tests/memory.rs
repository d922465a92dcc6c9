//! How much memory scenes take, measured by a counting allocator. It is a separate test
//! binary, because the allocator counts all allocations of the program.

use conatus_world::scene::{Files, LoadOptions, Scene, SourceText};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The system's allocator with a count of the bytes in use and of their maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Tests measure one after the other.
static TURN: Mutex<()> = Mutex::new(());

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), SeqCst) + layout.size();
        PEAK.fetch_max(now, SeqCst);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `work`, the peak number of bytes in use during it, and the bytes still in
/// use after it.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = IN_USE.load(SeqCst);
    PEAK.store(before, SeqCst);
    let result = work();
    let (peak, after) = (PEAK.load(SeqCst), IN_USE.load(SeqCst));
    (result, peak - before, after.saturating_sub(before))
}

fn parse(text: &str, sets: &[&str]) -> Scene {
    let options = LoadOptions {
        sets: sets.iter().map(|s| s.to_string()).collect(),
        ..LoadOptions::default()
    };
    let source = SourceText::new("scene.toml", text);
    Scene::parse("test", source, Files::in_memory([]), &options).unwrap()
}

/// Spheres as a user's script writes them: one `[[body]]` each.
fn spheres(count: usize) -> String {
    let mut text = String::from("gravity = [0, 0, 0]\n");
    for i in 0..count {
        let (x, y, z) = (i % 30, i / 30 % 30, i / 900);
        write!(
            text,
            "[[body]]\nname = \"ball-{i}\"\nshape.sphere.radius = 0.1\nmass = 1.5\n\
             position = [{x}, {y}, {z}]\nvelocity = [0.1, 0.2, 0.{i}]\n"
        )
        .unwrap();
    }
    text
}

/// A user wrote 20,000 spheres into a scene file, one `[[body]]` each: the program took
/// 734 MB, 36 kB for each, because every body had its own mesh. Meshes of equal
/// shapes must be shared, and a body that is built must take at most 4 kB beyond them: its
/// entry in the parsed scene, its part of the world, and its entry in the recording's header.
#[test]
fn equal_spheres_share_a_mesh_and_take_at_most_4400_bytes_each() {
    let _turn = TURN.lock().unwrap();
    const FEW_BODIES: usize = 100;
    const MANY_BODIES: usize = 20_000;
    // The constant part is measured with few bodies.
    let use_of = |count: usize| {
        let text = spheres(count);
        let (kept, peak, left) = measured(|| {
            let scene = parse(&text, &[]);
            let mut setup = scene.build().unwrap();
            let frame = setup.world.frame();
            (scene, setup, frame)
        });
        let header = &kept.1.header;
        assert_eq!((header.bodies.len(), header.meshes.len()), (count, 1));
        assert!(header.bodies.iter().all(|body| body.mesh == Some(0)));
        (peak, left)
    };
    let (few_peak, few_left) = use_of(FEW_BODIES);
    let (many_peak, many_left) = use_of(MANY_BODIES);
    let per_body = |many: usize, few: usize| (many - few) / (MANY_BODIES - FEW_BODIES);
    let (peak, left) = (per_body(many_peak, few_peak), per_body(many_left, few_left));
    println!("{peak} bytes for each body at most, {left} in the end");
    assert!(left <= 4400, "{left} bytes for each body");
    // While the scene is parsed, the text and its tree are there as well.
    assert!(peak <= 2 * 4400, "{peak} bytes for each body at the peak");
}

/// The same holds for the copies of an array, and for bodies in water, each of which had a
/// separate refined hull.
#[test]
fn copies_share_their_meshes_and_hulls() {
    let _turn = TURN.lock().unwrap();
    let text = |n: usize| {
        format!(
            "[[body]]\nname = 'ball'\nshape.sphere.radius = 0.1\ndensity = 500\n\
             array = {{ count = [{n}, 10, 1], spacing = [1, 1, 1] }}\n\
             [[water]]\nlevel = 0\nwaves = [{{ amplitude = 0.1, wavelength = 1, direction = [1, 0] }}]\n"
        )
    };
    let use_of = |n: usize| measured(|| parse(&text(n), &[]).build().unwrap()).1;
    let per_body = (use_of(210) - use_of(10)) / 2000;
    println!("{per_body} bytes for each copy");
    assert!(per_body <= 4096, "{per_body} bytes for each copy");
}

/// `conatus check cloth-sphere --set cloth.resolution=1400` worked for 31 seconds, on the
/// mesh of 1.96 million vertices, its topology and the obstacles, before it refused the
/// thickness. Errors that follow from the numbers alone must be reported before a mesh is
/// made: 24 bytes for each vertex would be 47 MB.
#[test]
fn a_sheet_too_thick_for_its_triangles_is_refused_before_its_mesh_is_made() {
    let _turn = TURN.lock().unwrap();
    let options = LoadOptions {
        sets: vec!["cloth.resolution=1400".into()],
        ..LoadOptions::default()
    };
    let scene = Scene::load("cloth-sphere", &options).unwrap();
    let (result, peak, _) = measured(|| scene.build().map(drop));
    let error = result.unwrap_err().to_string();
    // A machine with little memory refuses the number of vertices instead.
    let refused = ["mm thick, but its triangles are only", "of memory"];
    assert!(refused.iter().any(|why| error.contains(why)), "{error}");
    assert!(peak < 8 << 20, "{peak} bytes for a scene that is refused");
}

/// A million bodies with an array of a billion copies: refused from the counts.
#[test]
fn counts_out_of_range_are_refused_before_bodies_are_made() {
    let _turn = TURN.lock().unwrap();
    let text = "[[body]]\nshape.sphere.radius = 0.1\nmass = 1\n\
                array = { count = [1000, 1000, 1000], spacing = [1, 1, 1] }\n";
    let scene = parse(text, &[]);
    let (result, peak, _) = measured(|| scene.build().map(drop));
    let error = result.unwrap_err().to_string();
    assert!(error.contains("1000000000 copies"), "{error}");
    assert!(peak < 1 << 20, "{peak} bytes for a scene that is refused");
}

/// The estimate that refuses a scene must not be below what cloth really takes.
#[test]
fn cloth_takes_less_memory_than_the_estimate_says() {
    let _turn = TURN.lock().unwrap();
    let text = |n: usize| {
        format!(
            "[cloth]\nthickness = 0.001\n[[cloth.piece]]\n\
             shape.rectangle = {{ width = 1, height = 1, vertices = [{n}, {n}] }}\n"
        )
    };
    let use_of = |n: usize| {
        measured(|| {
            let mut setup = parse(&text(n), &[]).build().unwrap();
            for _ in 0..3 {
                setup.world.step();
            }
            setup
        })
        .1
    };
    let per_vertex = (use_of(120) - use_of(20)) / (120 * 120 - 20 * 20);
    println!("{per_vertex} bytes for each vertex of cloth");
    assert!(per_vertex <= 8 << 10, "{per_vertex} bytes for each vertex");
}
