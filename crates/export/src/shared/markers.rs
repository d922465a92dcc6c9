//! Markers in pictures of a clip: patches in contact, force arrows and targets.

use conatus_geometry::PartShape;
use conatus_geometry::generate::revolution;
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::MeshData;
use conatus_record::clip::{Clip, ClipTarget, ClipTargetKind, ContactChart};

/// A mesh with its pose and colour.
pub(crate) struct Marker {
    pub mesh: MeshData,
    pub pose: Pose,
    /// sRGB.
    pub color: [f32; 3],
}

/// The colour of targets.
pub(crate) const TARGET_COLOR: [f32; 3] = [0.84, 0.10, 0.27];
/// How far a patch extends around its foot, and its thickness.
const PATCH_RIM_M: f64 = 0.02;
const PATCH_THICKNESS_M: f64 = 0.006;
/// The length of the arrow for the character's weight, relative to its longest
/// limb.
const ARROW_LENGTH_PER_WEIGHT: f64 = 0.8;

/// All markers of a clip at a time.
pub(crate) fn markers_at(clip: &Clip, chart: &ContactChart, time: f64) -> Vec<Marker> {
    let size = size(clip);
    let mut markers = Vec::new();
    let effectors = clip
        .characters
        .iter()
        .flat_map(|c| c.effectors.iter().map(move |e| (c, e)));
    let moment = clip.moment(time);
    for ((character, effector), row) in effectors.zip(&chart.rows) {
        if effector.active.get(moment) != Some(&true) {
            continue;
        }
        let [a, b] = effector.half_extents.map(|h| h + PATCH_RIM_M);
        let plate = PartShape::Slab {
            half_extents: DVec3::new(a, b, PATCH_THICKNESS_M),
            corner_radius: a.min(b),
            edge_radius: PATCH_THICKNESS_M / 2.0,
        };
        markers.push(Marker {
            mesh: MeshData::from(&plate.mesh()),
            pose: Pose::new(effector.orientation[moment], effector.position[moment]),
            color: row.color,
        });
        let weight = character.mass * clip.gravity.length();
        let force = effector.force[moment] / weight.max(1e-9);
        let reach = ARROW_LENGTH_PER_WEIGHT * longest_limb(character).unwrap_or(size);
        let long = force.length().min(2.5) * reach;
        markers.extend(arrow(
            effector.point[moment],
            force,
            long,
            0.02 * size,
            row.color,
        ));
    }
    for it in &clip.targets {
        target(clip, it, size, &mut markers);
    }
    markers
}

/// The horizontal direction in which the characters move, or else face; not
/// normalised.
pub(crate) fn facing_direction(clip: &Clip) -> Option<DVec3> {
    let up = match clip.up {
        conatus_record::Up::Y => DVec3::Y,
        conatus_record::Up::Z => DVec3::Z,
    };
    let torso = &clip.characters.first()?.torso;
    let displacement = *torso.position.last()? - *torso.position.first()?;
    let displacement = displacement - up * displacement.dot(up);
    if displacement.length() > 0.5 {
        return Some(displacement);
    }
    let looks = torso.orientation.iter().map(|q| *q * DVec3::X);
    let sum = looks.sum::<DVec3>() / torso.orientation.len() as f64;
    let level = sum - up * sum.dot(up);
    (level.length() > 0.2).then_some(level)
}

/// The size of the characters: twice their longest limb.
fn size(clip: &Clip) -> f64 {
    let longest = clip.characters.iter().filter_map(longest_limb);
    let limb = longest.fold(0.0, f64::max);
    if limb > 0.0 { 2.0 * limb } else { 1.0 }
}

fn longest_limb(character: &conatus_record::clip::ClipCharacter) -> Option<f64> {
    let limbs = character.limbs();
    let length = |limb: &conatus_record::clip::ClipLimb| -> f64 {
        limb.links.iter().map(|l| character.links[*l].length).sum()
    };
    limbs.iter().map(length).max_by(f64::total_cmp)
}

/// An arrow from a point; none if it is too short to be visible.
fn arrow(
    from: DVec3,
    direction: DVec3,
    length: f64,
    width: f64,
    color: [f32; 3],
) -> Option<Marker> {
    let along = direction.try_normalize().filter(|_| length > width)?;
    let width = width.min(0.2 * length);
    let neck = length - 3.2 * width;
    let thin = 0.42 * width;
    let profile = [
        (0.0, 0.0),
        (thin, 0.0),
        (thin, neck),
        (1.25 * width, neck),
        (0.0, length),
    ];
    Some(Marker {
        mesh: MeshData::from(&revolution(&profile, 20)),
        pose: Pose::new(DQuat::from_rotation_arc(DVec3::Z, along), from),
        color,
    })
}

/// Adds the markers of a target: crosshairs, a ring, a stem to the ground for a
/// position, an arrow for a direction.
fn target(clip: &Clip, it: &ClipTarget, size: f64, markers: &mut Vec<Marker>) {
    let up = match clip.up {
        conatus_record::Up::Y => DVec3::Y,
        conatus_record::Up::Z => DVec3::Z,
    };
    let mut add = |mesh: MeshData, turn: DQuat, at: DVec3| {
        markers.push(Marker {
            mesh,
            pose: Pose::new(turn, at),
            color: TARGET_COLOR,
        });
    };
    let upright = DQuat::from_rotation_arc(DVec3::Z, up);
    let hair = 0.0028 * size;
    let reach = 0.05 * size;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let turn = DQuat::from_rotation_arc(DVec3::Z, axis);
        add(rod(hair, [-reach, reach]), turn, it.position);
    }
    add(ring(0.55 * reach, hair), upright, it.position);
    // A stem shows the point on the ground below a position.
    let ground = clip.planes().into_iter().find(|p| p.normal.dot(up) > 0.9);
    if let (ClipTargetKind::Position, Some(ground)) = (it.kind, ground) {
        let height = (it.position - ground.point).dot(ground.normal);
        let foot = it.position - ground.normal * height;
        if height > 2.0 * reach {
            let thin = 0.5 * hair;
            add(rod(thin, [0.0, height]), upright, foot);
            add(ring(1.6 * reach, 1.4 * hair), upright, foot);
        }
    }
    if let Some(direction) = it.direction {
        let long = 3.0 * reach;
        markers.extend(arrow(
            it.position,
            direction,
            long,
            0.012 * size,
            TARGET_COLOR,
        ));
    }
}

/// A ring about the z axis.
fn ring(radius: f64, thick: f64) -> MeshData {
    let (rows, around) = (8u32, 48u32);
    let turn =
        |k: u32, n: u32| conatus_math::sincos(std::f64::consts::TAU * f64::from(k) / f64::from(n));
    let mut mesh = MeshData::default();
    for i in 0..around {
        let (sin, cos) = turn(i, around);
        for j in 0..rows {
            let (high, out) = turn(j, rows);
            let r = radius + thick * out;
            mesh.vertices
                .push(DVec3::new(r * cos, r * sin, thick * high));
        }
    }
    let at = |i: u32, j: u32| (i % around) * rows + j % rows;
    for i in 0..around {
        for j in 0..rows {
            let [a, b] = [at(i, j), at(i + 1, j)];
            let [c, d] = [at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A capsule along the z axis between two heights.
fn rod(radius: f64, heights: [f64; 2]) -> MeshData {
    let radii = [radius; 2];
    MeshData::from(&PartShape::TaperedCapsule { radii, heights }.mesh())
}
