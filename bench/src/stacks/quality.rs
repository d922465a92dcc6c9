//! How well the last poses of an engine satisfy the constraints, by one measure for all
//! engines: depths from our collision detection in `f64`, and distances of anchors.

use super::conatus::world;
use super::scene::Scene;
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
