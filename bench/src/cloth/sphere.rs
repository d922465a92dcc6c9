//! A sheet that falls on a ball, in three sizes: the cost of a frame compared
//! with Blender, its growth with the size, and the speedup by a second thread.

use super::drive::{run_scene, sum};
use crate::Failure;
use crate::output::Output;
use crate::table::{Table, at_least, at_most, blank, count, fixed};

/// One measurement.
struct Size {
    /// Vertices along a side.
    side: u32,
    thickness: f64,
    steps_per_frame: u32,
    threads: usize,
    /// Blender 5.0's milliseconds per frame, self-collision included.
    blender: &'static str,
    /// The most milliseconds per frame that are expected.
    max_ms: Option<f64>,
}

const SIZES: [Size; 5] = [
    size(41, 0.004, 20, 1, "110-168", None),
    size(41, 0.004, 5, 1, "110-168", None),
    size(101, 0.002, 5, 1, "1252", Some(600.0)),
    size(201, 0.001, 5, 1, "", None),
    size(201, 0.001, 5, 2, "", None),
];

const fn size(
    side: u32,
    thickness: f64,
    steps_per_frame: u32,
    threads: usize,
    blender: &'static str,
    max_ms: Option<f64>,
) -> Size {
    Size {
        side,
        thickness,
        steps_per_frame,
        threads,
        blender,
        max_ms,
    }
}

/// Frames per second.
const FRAME_RATE: u32 = 24;
/// Frames before the measurement: at 1/3 s the sheet lies on the ball and begins
/// to fold.
const WARM_UP_FRAMES: usize = 8;
/// The last frame: at 1.5 s the sheet hangs down to the floor, in folds.
const LAST_FRAME: u64 = 36;
/// The speedup by a second thread that is expected at least.
const MIN_SPEEDUP: f64 = 1.5;

/// Measures all sizes, each with its own pool.
pub fn measure(output: &mut Output, frames: Option<u64>) -> Result<(), Failure> {
    let last = frames.map_or(LAST_FRAME, |n| {
        n.min(LAST_FRAME).max(WARM_UP_FRAMES as u64 + 1)
    });
    let table = Table::new(
        format!(
            "`cloth-sphere` from {:.2} to {:.2} s: milliseconds per frame of 1/24 s",
            WARM_UP_FRAMES as f64 / f64::from(FRAME_RATE),
            last as f64 / f64::from(FRAME_RATE)
        ),
        &[
            "vertices, steps, threads",
            "processor ms",
            "wall ms",
            "Blender 5's ms",
            "target",
            "µs/step and vertex",
            "× size before",
            "× one thread",
            "threads target",
            "intersections",
            "max stretch",
            "fail-safe calls",
            "substeps",
        ],
    );
    let mut table = output.begin(table)?;
    let (mut each_before, mut one_thread) = (None, None);
    for size in &SIZES {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(size.threads)
            .build()?;
        let sets = [
            format!("cloth.resolution={}", size.side),
            format!("cloth.thickness={}", size.thickness),
            format!(
                "time.step={}",
                1.0 / f64::from(FRAME_RATE * size.steps_per_frame)
            ),
            format!("time.steps_per_frame={}", size.steps_per_frame),
        ];
        let run = pool.install(|| run_scene("cloth-sphere", &sets, Some(last), None, |_| {}))?;
        let measured = &run.frames[WARM_UP_FRAMES.min(run.frames.len())..];
        let cost = sum(measured);
        let frames = measured.len().max(1) as f64;
        let vertices = run.report.vertices as f64;
        let each = cost.cpu / frames / f64::from(size.steps_per_frame) / vertices;
        let name = format!(
            "{}, {}, {}",
            run.report.vertices, size.steps_per_frame, size.threads
        );
        let grown = match each_before {
            Some((steps, before)) if steps == size.steps_per_frame && size.threads == 1 => {
                fixed(each / before, 2)
            }
            _ => blank(),
        };
        let faster = match (size.threads, one_thread) {
            (2, Some(one)) => Some(one / cost.wall),
            _ => None,
        };
        table.row(vec![
            name.into(),
            fixed(cost.cpu / frames * 1e3, 1),
            fixed(cost.wall / frames * 1e3, 1),
            size.blender.into(),
            size.max_ms
                .map_or(blank(), |most| at_most(cost.cpu / frames * 1e3, most)),
            fixed(each * 1e6, 3),
            grown,
            faster.map_or(blank(), |f| fixed(f, 2)),
            faster.map_or(blank(), |f| at_least(f, MIN_SPEEDUP)),
            count(run.report.intersections),
            fixed(run.report.max_stretch, 3),
            count(run.report.failsafe_calls),
            count(run.report.substeps),
        ])?;
        each_before = Some((size.steps_per_frame, each));
        if size.threads == 1 {
            one_thread = Some(cost.wall);
        }
    }
    Ok(table.finish()?)
}
