//! A synthetic walker with two arms and two legs that moves by closed formulas. Its motion
//! is not physically correct, but every number of its clip is known.

use conatus_math::{DQuat, DVec3};
use conatus_record::clip::*;
use conatus_record::*;
use std::f64::consts::{PI, TAU};

/// Metres per second, and seconds per stride.
pub const SPEED: f64 = 0.85;
pub const STRIDE: f64 = 1.1;
const MASS: f64 = 70.0;

/// One limb: where it begins on the torso, its links, which way its joint
/// points, and its patch.
struct Plan {
    name: &'static str,
    links: [&'static str; 2],
    patch: &'static str,
    base: DVec3,
    lengths: [f64; 2],
    radii: [f64; 2],
    /// In torso axes.
    bend: DVec3,
    half_extents: [f64; 2],
    foot: bool,
}

fn plans() -> Vec<Plan> {
    let leg = |side: f64, name, links, patch| Plan {
        name,
        links,
        patch,
        base: DVec3::new(0.0, 0.09 * side, -0.28),
        lengths: [0.44, 0.45],
        radii: [0.068, 0.052],
        bend: DVec3::X,
        half_extents: [0.12, 0.045],
        foot: true,
    };
    let arm = |side: f64, name, links, patch| Plan {
        name,
        links,
        patch,
        base: DVec3::new(0.0, 0.215 * side, 0.24),
        lengths: [0.29, 0.28],
        radii: [0.047, 0.040],
        bend: -DVec3::X,
        half_extents: [0.055, 0.035],
        foot: false,
    };
    vec![
        leg(1.0, "left leg", ["left thigh", "left shin"], "left foot"),
        leg(
            -1.0,
            "right leg",
            ["right thigh", "right shin"],
            "right foot",
        ),
        arm(
            1.0,
            "left arm",
            ["left upper arm", "left forearm"],
            "left hand",
        ),
        arm(
            -1.0,
            "right arm",
            ["right upper arm", "right forearm"],
            "right hand",
        ),
    ]
}

/// Where the joint of a limb of two links is: on the side of `bend`.
fn joint(base: DVec3, end: DVec3, [a, b]: [f64; 2], bend: DVec3) -> DVec3 {
    let chord = end - base;
    let d = chord.length();
    let along = chord / d;
    let x = (d * d + a * a - b * b) / (2.0 * d);
    let out = (bend - along * bend.dot(along)).normalize();
    base + along * x + out * (a * a - x * x).max(0.0).sqrt()
}

/// Where a foot is in its stride, and whether it stands: the other foot is half
/// a stride behind.
fn foot(side: f64, t: f64) -> (DVec3, DQuat, bool) {
    let shift = if side > 0.0 { 0.0 } else { 0.5 };
    let phase = t / STRIDE + shift;
    let (whole, part) = (phase.floor(), phase - phase.floor());
    let step = SPEED * STRIDE;
    let stand = (whole - shift + 0.31) * step;
    let swing = ((part - 0.62) / 0.38).clamp(0.0, 1.0);
    let smooth = swing * swing * (3.0 - 2.0 * swing);
    let lift = (PI * swing).sin().powi(2);
    let position = DVec3::new(stand + step * smooth, 0.09 * side, 0.11 * lift);
    let pitch = 0.5 * (PI * swing).sin() * (0.4 - swing);
    (position, DQuat::from_rotation_y(pitch), part <= 0.62)
}

fn torso(t: f64) -> (DVec3, DQuat) {
    let w = TAU * t / STRIDE;
    (
        DVec3::new(
            SPEED * t,
            0.018 * (w - 2.0).sin(),
            1.165 + 0.012 * (2.0 * w + 0.6).sin(),
        ),
        DQuat::from_rotation_z(0.07 * w.sin())
            * DQuat::from_rotation_y(0.05)
            * DQuat::from_rotation_x(0.03 * (w + 0.5).sin()),
    )
}

fn hand(side: f64, t: f64) -> (DVec3, DQuat) {
    let swing = -0.23 * side * (TAU * t / STRIDE + 0.4).cos();
    let (p, q) = torso(t);
    let local = DVec3::new(0.06 + swing, 0.25 * side, -0.27 + 0.35 * swing.abs());
    let turn = DQuat::from_rotation_x(side * 1.4) * DQuat::from_rotation_y(0.3);
    (p + q * local, q * turn)
}

/// The walker's clip of this length, sampled every 5 ms.
pub fn clip(seconds: f64) -> Clip {
    let moments = (seconds / 0.005).round() as usize + 1;
    let mut clip = Clip::empty(Up::Z, DVec3::new(0.0, 0.0, -9.81), 0.005, moments);
    clip.seed = 3;
    let phases = 10;
    clip.phases = (0..=phases)
        .map(|k| seconds * f64::from(k) / f64::from(phases))
        .collect();
    clip.surfaces = vec![ClipSurface {
        name: "ground".into(),
        kind: ClipSurfaceKind::Plane {
            point: DVec3::ZERO,
            normal: DVec3::Z,
        },
    }];
    clip.targets = vec![ClipTarget {
        name: "there".into(),
        kind: ClipTargetKind::Position,
        position: DVec3::new(SPEED * seconds, 0.0, 1.165),
        direction: Some(DVec3::X),
        time: seconds,
        of: "walker".into(),
    }];
    clip.characters = vec![walker("walker", &clip, [0.29, 0.50, 0.72], DVec3::ZERO)];
    clip
}

/// The clip of two walkers side by side.
pub fn two(seconds: f64) -> Clip {
    let mut clip = clip(seconds);
    let friend = walker(
        "friend",
        &clip,
        [0.80, 0.45, 0.30],
        DVec3::new(-0.4, 1.1, 0.0),
    );
    clip.characters.push(friend);
    clip.objects = vec![ClipObject {
        name: "crate".into(),
        mass: 5.0,
        inertia: [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
        color: [0.80, 0.60, 0.32],
        shape: ClipShape::Box {
            half_extents: DVec3::new(0.2, 0.15, 0.12),
            radius: 0.0,
        },
        collision: None,
        position: clip
            .time
            .iter()
            .map(|t| DVec3::new(0.4 + 0.2 * t, -0.9, 0.12))
            .collect(),
        orientation: vec![DQuat::IDENTITY; clip.time.len()],
        contacts: Vec::new(),
    }];
    clip
}

fn walker(name: &str, clip: &Clip, color: [f32; 3], at: DVec3) -> ClipCharacter {
    let moments = || clip.time.iter().copied();
    let body = |t: f64| {
        let (p, q) = torso(t);
        (p + at, q)
    };
    let mut links = Vec::new();
    let mut effectors = Vec::new();
    for plan in plans() {
        let side = plan.base.y.signum();
        let end = |t: f64| {
            let (p, q, stands) = match plan.foot {
                true => foot(side, t),
                false => {
                    let (p, q) = hand(side, t);
                    (p, q, false)
                }
            };
            (p + at, q, stands)
        };
        // The ankle is above the sole, the wrist behind the palm.
        let above = if plan.foot { 0.07 } else { 0.03 };
        let ankle = |t: f64| {
            let (p, q, _) = end(t);
            p + q * DVec3::new(if plan.foot { -0.04 } else { 0.0 }, 0.0, above)
        };
        let base = |t: f64| {
            let (p, q) = body(t);
            p + q * plan.base
        };
        let knee = |t: f64| joint(base(t), ankle(t), plan.lengths, body(t).1 * plan.bend);
        let joints: [Vec<DVec3>; 3] = [
            moments().map(base).collect(),
            moments().map(knee).collect(),
            moments().map(ankle).collect(),
        ];
        for k in 0..2 {
            links.push(ClipLink {
                name: plan.links[k].into(),
                limb: plan.name.into(),
                index: k,
                length: plan.lengths[k],
                radius: plan.radii[k],
                collision: None,
                start: joints[k].clone(),
                end: joints[k + 1].clone(),
            });
        }
        let active: Vec<bool> = moments().map(|t| end(t).2).collect();
        let force = |t: f64| {
            let both = foot(1.0, t).2 && foot(-1.0, t).2;
            let share = if both { 0.5 } else { 1.0 };
            let push = 0.12 * (2.0 * TAU * t / STRIDE).sin();
            match end(t).2 {
                true => MASS * 9.81 * share * DVec3::new(push, 0.0, 1.0),
                false => DVec3::ZERO,
            }
        };
        let c = |k: usize| {
            let middle = (clip.phases[k] + clip.phases[k + 1]) / 2.0;
            f64::from(u8::from(end(middle).2))
        };
        effectors.push(ClipEffector {
            name: plan.patch.into(),
            limb: Some(plan.name.into()),
            half_extents: plan.half_extents,
            collision: None,
            friction: 0.8,
            grasps: !plan.foot,
            contact: (0..clip.phases.len() - 1).map(c).collect(),
            position: moments().map(|t| end(t).0).collect(),
            orientation: moments().map(|t| end(t).1).collect(),
            force: moments().map(force).collect(),
            point: moments().map(|t| end(t).0).collect(),
            torque: vec![DVec3::ZERO; active.len()],
            normal: vec![DVec3::Z; active.len()],
            touches: active.iter().map(|a| a.then(|| "ground".into())).collect(),
            active,
        });
    }
    let n = clip.time.len();
    // A patch on the back that never touches.
    let back = DVec3::new(-0.11, 0.0, 0.05);
    let lying = DQuat::from_rotation_y(PI / 2.0);
    effectors.push(ClipEffector {
        name: "back".into(),
        limb: None,
        half_extents: [0.16, 0.12],
        position: moments().map(|t| body(t).0 + body(t).1 * back).collect(),
        orientation: moments().map(|t| body(t).1 * lying).collect(),
        force: vec![DVec3::ZERO; n],
        active: vec![false; n],
        touches: vec![None; n],
        contact: vec![0.0; clip.phases.len() - 1],
        ..effectors[0].clone()
    });
    ClipCharacter {
        name: name.into(),
        mass: MASS,
        inertia: [[4.0, 0.0, 0.0], [0.0, 3.5, 0.0], [0.0, 0.0, 1.2]],
        color,
        torso: ClipTorso {
            half_extents: DVec3::new(0.11, 0.18, 0.30),
            collision: None,
            position: moments().map(|t| body(t).0).collect(),
            orientation: moments().map(|t| body(t).1).collect(),
        },
        shapes: vec![
            ClipFixedShape {
                name: "neck".into(),
                shape: ClipShape::Capsule {
                    radius: 0.05,
                    length: 0.08,
                },
                position: DVec3::new(0.0, 0.0, 0.33),
                orientation: DQuat::IDENTITY,
            },
            ClipFixedShape {
                name: "head".into(),
                shape: ClipShape::Sphere { radius: 0.11 },
                position: DVec3::new(0.02, 0.0, 0.46),
                orientation: DQuat::IDENTITY,
            },
        ],
        links,
        effectors,
    }
}

/// A recording of a clip as the world makes one: 60 frames a second.
pub fn recording(clip: Clip) -> Recording {
    let mut header = super::header("walker");
    (header.meshes, header.bodies) = clip.part_bodies(0);
    header.planes = clip.planes();
    header.step_seconds = 1.0 / 240.0;
    header.steps_per_frame = 4;
    let tracks = clip.tracks();
    let frames = (clip.duration() * 60.0).round() as usize + 1;
    let mut recording = super::recording(header);
    recording.events.clear();
    recording.frames = (0..frames)
        .map(|n| {
            let time = n as f64 / 60.0;
            Frame {
                time,
                step: 4 * n as u64,
                totals: Totals::default(),
                bodies: tracks.poses(time),
                contacts: clip.contact_frames(time, 1.0 / 240.0),
                cloth: Vec::new(),
            }
        })
        .collect();
    recording.clip = Some(clip);
    recording
}
