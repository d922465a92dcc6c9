//! A sheet that falls on a ball, in three sizes: what a frame costs beside
//! Blender, how the cost of a step grows with the size, and what a second
//! thread is worth.

use super::drive::{drive, sum};
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
    /// The most milliseconds per frame.
    bar: Option<f64>,
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
    bar: Option<f64>,
) -> Size {
    Size {
        side,
        thickness,
        steps_per_frame,
        threads,
        blender,
        bar,
    }
}

/// Frames a second.
const RATE: u32 = 24;
/// Frames before the clock runs: at 1/3 s the sheet lies on the ball and begins
/// to fold.
const BEFORE: usize = 8;
/// The last frame: at 1.5 s it hangs down to the floor, in folds.
const LAST: u64 = 36;
/// How many times as fast two threads are to be.
const TWO_THREADS: f64 = 1.5;

/// Measures all sizes, each with its own pool.
pub fn measure(output: &mut Output, frames: Option<u64>) -> Result<(), Failure> {
    let last = frames.map_or(LAST, |n| n.min(LAST).max(BEFORE as u64 + 1));
    let table = Table::new(
        format!(
            "`cloth-sphere` from {:.2} to {:.2} s: milliseconds per frame of 1/24 s",
            BEFORE as f64 / f64::from(RATE),
            last as f64 / f64::from(RATE)
        ),
        &[
            "vertices, steps, threads",
            "processor ms",
            "clock ms",
            "Blender 5's ms",
            "bar",
            "µs/step and vertex",
            "× size before",
            "× one thread",
            "threads bar",
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
            format!("time.step={}", 1.0 / f64::from(RATE * size.steps_per_frame)),
            format!("time.steps_per_frame={}", size.steps_per_frame),
        ];
        let ride = pool.install(|| drive("cloth-sphere", &sets, Some(last), None, |_| {}))?;
        let measured = &ride.frames[BEFORE.min(ride.frames.len())..];
        let cost = sum(measured);
        let frames = measured.len().max(1) as f64;
        let vertices = ride.report.vertices as f64;
        let each = cost.cpu / frames / f64::from(size.steps_per_frame) / vertices;
        let name = format!(
            "{}, {}, {}",
            ride.report.vertices, size.steps_per_frame, size.threads
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
            size.bar
                .map_or(blank(), |bar| at_most(cost.cpu / frames * 1e3, bar)),
            fixed(each * 1e6, 3),
            grown,
            faster.map_or(blank(), |f| fixed(f, 2)),
            faster.map_or(blank(), |f| at_least(f, TWO_THREADS)),
            count(ride.report.intersections),
            fixed(ride.report.max_stretch, 3),
            count(ride.report.failsafe_calls),
            count(ride.report.substeps),
        ])?;
        each_before = Some((size.steps_per_frame, each));
        if size.threads == 1 {
            one_thread = Some(cost.wall);
        }
    }
    Ok(table.end()?)
}
