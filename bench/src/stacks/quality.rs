//! How well the last poses of an engine satisfy the constraints, by one measure for all
//! engines: depths from our collision detection in `f64`, distances of anchors, and the
//! density of heaps of balls.

use super::conatus::world;
use super::scene::{Scene, Shape};
use conatus_math::{DVec3, Pose};
use conatus_rigid::State;

/// The greatest and the mean error of what is violated, in metres.
#[derive(Clone, Copy, Debug, Default)]
pub struct Violation {
    /// The greatest.
    pub greatest: f64,
    /// The mean of those above zero.
    pub mean: f64,
}

impl Violation {
    /// Of penetrations or, in a scene with joints, of distances between anchors.
    pub fn of(scene: &Scene, poses: &[Pose]) -> Self {
        match scene.joints.is_empty() {
            true => Self::new(&depths(scene, poses)),
            false => Self::new(&anchor_distances(scene, poses)),
        }
    }

    fn new(errors: &[f64]) -> Self {
        Self {
            greatest: errors.iter().copied().fold(0.0, f64::max),
            // A sum of nothing would be −0.
            mean: errors.iter().fold(0.0, |sum, e| sum + e) / errors.len().max(1) as f64,
        }
    }
}

/// The depths of all pairs that overlap.
fn depths(scene: &Scene, poses: &[Pose]) -> Vec<f64> {
    let mut world = world(scene);
    for (i, pose) in poses.iter().enumerate() {
        let state = State {
            position: pose.translation,
            orientation: pose.rotation,
            velocity: DVec3::ZERO,
            omega_body: DVec3::ZERO,
        };
        world.bodies.set_mover_state(i, &state);
    }
    let overlaps = world.contact_engine.overlaps(&world.bodies);
    overlaps.iter().map(|overlap| overlap.depth).collect()
}

/// How far apart the two anchors of each joint are.
fn anchor_distances(scene: &Scene, poses: &[Pose]) -> Vec<f64> {
    let distance = |joint: &super::scene::BallJoint| {
        let [a, b] = [0, 1].map(|k| poses[joint.bodies[k]].point(joint.anchors[k]));
        a.distance(b)
    };
    scene.joints.iter().map(distance).collect()
}

/// The mean distance of the points at which density is measured, in radii of a ball.
const POINTS_PER_RADIUS: f64 = 4.0;

/// The share of the space inside a heap of balls that balls fill, overlaps counted twice:
/// above the lowest layer, below the middle of the centres, and a diameter off the sides.
pub fn density(scene: &Scene, poses: &[Pose]) -> Option<f64> {
    let Shape::Ball(radius) = scene.shape else {
        return None;
    };
    let balls: Vec<DVec3> = (poses.iter().zip(&scene.bodies))
        .filter(|(_, placed)| !placed.fixed)
        .map(|(pose, _)| pose.translation)
        .collect();
    if balls.is_empty() || !scene.collides() {
        return None;
    }
    let sorted = |axis: usize| {
        let mut all: Vec<f64> = balls.iter().map(|p| p[axis]).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let spans = [sorted(0), sorted(1), sorted(2)];
    let low = DVec3::from_array(spans.each_ref().map(|all| all[0] + radius));
    let high = DVec3::new(
        spans[0][balls.len() - 1] - radius,
        spans[1][balls.len() - 1] - radius,
        spans[2][balls.len() / 2],
    );
    // Cells of a lattice with their points at their centres.
    let cells = ((high - low) * (POINTS_PER_RADIUS / radius)).floor();
    if cells.min_element() < 1.0 {
        return None;
    }
    let size = (high - low) / cells;
    let hits: usize = (balls.iter())
        .map(|centre| {
            let range = |axis: usize| {
                let number = |x: f64| ((x - low[axis]) / size[axis] - 0.5).clamp(-1.0, cells[axis]);
                let from = number(centre[axis] - radius).ceil().max(0.0) as usize;
                let to = number(centre[axis] + radius).floor().min(cells[axis] - 1.0);
                from..(to + 1.0).max(0.0) as usize
            };
            let points = range(0).flat_map(|i| {
                range(1).flat_map(move |j| range(2).map(move |k| [i, j, k].map(|n| n as f64)))
            });
            let is_inside = |n: &[f64; 3]| {
                let point = low + (DVec3::from_array(*n) + 0.5) * size;
                point.distance_squared(*centre) <= radius * radius
            };
            points.filter(is_inside).count()
        })
        .sum();
    Some(hits as f64 / cells.element_product())
}
