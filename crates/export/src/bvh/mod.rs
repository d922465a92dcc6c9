//! Biovision hierarchy: the moving skeleton of a character, for Blender and other
//! animation programs.
//!
//! The root is the torso, with position and rotation; each limb is a chain of joints
//! from its base on the torso to its foot or hand, with rotations only, so that
//! bones keep their nominal lengths. y points up, and the figure at rest
//! looks along z. Contacts, forces, objects and surfaces are not exported.

mod skeleton;

use crate::ExportError;
use crate::output_file;
use conatus_math::{DMat3, DVec3, rotation};
use conatus_record::Recording;
use conatus_record::clip::{Clip, ClipCharacter};
use conatus_record::text::escape_control_characters;
use skeleton::{Joint, Skeleton};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file for each character: the first at `path`, each other beside
/// it, with its name before the ending. Returns notes for the user.
pub fn write_files(recording: &Recording, path: &Path) -> Result<Vec<String>, ExportError> {
    let clip = recording.clip.as_ref().ok_or(ExportError::NoClip)?;
    let mut notes = Vec::new();
    if clip.characters.is_empty() {
        return Err(ExportError::NoClip);
    }
    for (index, character) in clip.characters.iter().enumerate() {
        let place = match index {
            0 => path.to_path_buf(),
            _ => beside(path, &character.name, index),
        };
        output_file::replace_file(&place, |out| write(clip, character, out))?;
        if index > 0 {
            let note = format!(
                "a file holds one character; `{}` is in {}",
                character.name,
                place.display()
            );
            notes.push(escape_control_characters(&note).into_owned());
        }
    }
    Ok(notes)
}

/// `walk.friend.bvh` of `walk.bvh`.
fn beside(path: &Path, name: &str, index: usize) -> PathBuf {
    let plain = |c: char| match c.is_alphanumeric() || c == '-' {
        true => c,
        false => '_',
    };
    let name: String = match name.is_empty() {
        true => (index + 1).to_string(),
        false => name.chars().map(plain).collect(),
    };
    path.with_extension(format!("{name}.bvh"))
}

/// Writes the motion of one character.
pub fn write(
    clip: &Clip,
    character: &ClipCharacter,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let skeleton = Skeleton::new(clip, character);
    let mut text = String::from("HIERARCHY\n");
    hierarchy(&skeleton, 0, 0, &mut text);
    let _ = write!(
        text,
        "MOTION\nFrames: {}\nFrame Time: {:?}\n",
        clip.time.len(),
        clip.dt
    );
    out.write_all(text.as_bytes())
        .map_err(ExportError::Output)?;
    motion(&skeleton, clip.time.len(), out).map_err(ExportError::Output)
}

/// Writes a joint and its descendants.
fn hierarchy(skeleton: &Skeleton, index: usize, depth: usize, text: &mut String) {
    let Some(joint) = skeleton.joints.get(index) else {
        return;
    };
    let pad = "  ".repeat(depth);
    let kind = if depth == 0 { "ROOT" } else { "JOINT" };
    let turns = "Zrotation Xrotation Yrotation";
    let channels = match depth {
        0 => format!("6 Xposition Yposition Zposition {turns}"),
        _ => format!("3 {turns}"),
    };
    let _ = writeln!(text, "{pad}{kind} {}", joint.name);
    let _ = writeln!(text, "{pad}{{");
    let _ = writeln!(text, "{pad}  OFFSET {}", point(joint.offset));
    let _ = writeln!(text, "{pad}  CHANNELS {channels}");
    let children = (0..skeleton.joints.len()).filter(|c| {
        let parent = skeleton.joints.get(*c).and_then(|c| c.parent);
        parent == Some(index)
    });
    let mut alone = true;
    for child in children {
        hierarchy(skeleton, child, depth + 1, text);
        alone = false;
    }
    if alone {
        let end = joint.end.unwrap_or(DVec3::Y * 0.05);
        let _ = writeln!(text, "{pad}  End Site");
        let _ = writeln!(text, "{pad}  {{");
        let _ = writeln!(text, "{pad}    OFFSET {}", point(end));
        let _ = writeln!(text, "{pad}  }}");
    }
    let _ = writeln!(text, "{pad}}}");
}

/// Writes one line for each moment.
fn motion(skeleton: &Skeleton, moments: usize, out: &mut dyn Write) -> std::io::Result<()> {
    let mut before = vec![[0.0; 3]; skeleton.joints.len()];
    // The order of the hierarchy is depth first.
    let order = depth_first(&skeleton.joints);
    for moment in 0..moments {
        let mut line = String::new();
        for &index in &order {
            let joint = &skeleton.joints[index];
            let turn = joint.turns[moment];
            let local = match joint.parent {
                None => {
                    let _ = write!(line, "{} ", point(skeleton.root[moment]));
                    turn
                }
                Some(parent) => skeleton.joints[parent].turns[moment].transpose() * turn,
            };
            let angles = angles(local, before[index]);
            before[index] = angles;
            let [z, x, y] = angles.map(|a| number(a.to_degrees(), 5));
            let _ = write!(line, "{z} {x} {y} ");
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn depth_first(joints: &[Joint]) -> Vec<usize> {
    fn visit(joints: &[Joint], index: usize, order: &mut Vec<usize>) {
        order.push(index);
        for (child, joint) in joints.iter().enumerate() {
            if joint.parent == Some(index) {
                visit(joints, child, order);
            }
        }
    }
    let mut order = Vec::with_capacity(joints.len());
    visit(joints, 0, &mut order);
    order
}

/// The Euler angles about z, x and y of the rotation R = Z·X·Y; of the equivalent
/// ones, those closest to `before`.
///
/// With s and c for sine and cosine, R₂₁ = s_x, R₀₁ = −s_z c_x, R₁₁ = c_z c_x,
/// R₂₀ = −c_x s_y and R₂₂ = c_x c_y (row, column). The same rotation has the
/// angles z + π, π − x, y + π.
fn angles(r: DMat3, before: [f64; 3]) -> [f64; 3] {
    use std::f64::consts::{PI, TAU};
    let at = |row: usize, column: usize| r.col(column)[row];
    let x = at(2, 1).clamp(-1.0, 1.0).asin();
    let first = match x.cos() > 1e-6 {
        true => [
            f64::atan2(-at(0, 1), at(1, 1)),
            x,
            f64::atan2(-at(2, 0), at(2, 2)),
        ],
        // Gimbal lock: z and y rotate about the same axis; y stays.
        false => {
            let rest = r * rotation_y(-before[2]);
            [f64::atan2(rest.col(0)[1], rest.col(0)[0]), x, before[2]]
        }
    };
    let second = [first[0] + PI, PI - first[1], first[2] + PI];
    let near = |angles: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|k| {
            let turns = ((before[k] - angles[k]) / TAU).round();
            angles[k] + TAU * turns
        })
    };
    let far = |angles: &[f64; 3]| -> f64 { (0..3).map(|k| (angles[k] - before[k]).powi(2)).sum() };
    let [first, second] = [near(first), near(second)];
    if far(&second) < far(&first) {
        second
    } else {
        first
    }
}

fn rotation_y(angle: f64) -> DMat3 {
    rotation::rodrigues(DVec3::Y, angle)
}

fn point(p: DVec3) -> String {
    let [x, y, z] = p.to_array().map(|v| number(v, 6));
    format!("{x} {y} {z}")
}

/// The value with `digits` decimals and without negative zero.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text
        .trim_start_matches('-')
        .trim_matches(['0', '.'])
        .is_empty()
    {
        true => text.trim_start_matches('-').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made([z, x, y]: [f64; 3]) -> DMat3 {
        rotation::rodrigues(DVec3::Z, z)
            * rotation::rodrigues(DVec3::X, x)
            * rotation::rodrigues(DVec3::Y, y)
    }

    #[test]
    fn angles_make_up_the_rotation_they_were_taken_from() {
        for k in 0..200 {
            let s = f64::from(k);
            let wanted = made([2.1 * s, 0.7 * s, 1.3 * s]);
            let found = made(angles(wanted, [0.3, -0.2, 5.0]));
            for c in 0..3 {
                assert!((wanted.col(c) - found.col(c)).length() < 1e-9);
            }
        }
        let locked = made([0.4, std::f64::consts::FRAC_PI_2, 0.9]);
        let found = made(angles(locked, [0.0; 3]));
        for c in 0..3 {
            assert!((locked.col(c) - found.col(c)).length() < 1e-6);
        }
    }

    #[test]
    fn angles_never_jump_while_the_rotation_does_not() {
        let mut before = [0.0; 3];
        for k in 0..2000 {
            let s = f64::from(k) / 100.0;
            let now = angles(made([s, 1.2 * (0.7 * s).sin(), -0.8 * s]), before);
            assert!((0..3).all(|k| (now[k] - before[k]).abs() < 0.1));
            before = now;
        }
    }
}
