//! `conatus check`: reads and checks a scene, tells what is in it, and runs
//! nothing.

use crate::Done;
use crate::args::Check;
use crate::errors::print;
use crate::outputs::human_size;
use conatus_world::scene::model::{Body, SceneFile, Time};
use conatus_world::scene::{Scene, library};

/// Checks a scene.
pub fn check(args: &Check) -> Done {
    let scene = Scene::load(&args.scene, &args.changes.options())?;
    // The world's own checks and its summary (with the total mass) go here
    // once `engine::prepare` builds it.
    print(&describe(&scene))
}

fn describe(scene: &Scene) -> String {
    let file = &scene.file;
    let mut text = format!(
        "{} ({} scene): the keys are right\n",
        scene.name,
        library::family(file)
    );
    for line in [&file.title, &file.shows].into_iter().flatten() {
        text += &format!("  {line}\n");
    }
    let bodies: u64 = file.body.iter().map(copies).fold(0, u64::saturating_add);
    text += &format!("  bodies     {bodies}{}\n", masses(file));
    text += &format!("  forces     {}\n", forces(file));
    text += &format!("  planes     {}\n", file.plane.len());
    if !file.command.is_empty() {
        text += &format!("  commands   {}\n", file.command.len());
    }
    if let Some((steps, frames)) = steps_and_frames(&file.time) {
        let bytes = conatus_record::bytes_per_frame(usize::try_from(bodies).unwrap_or(usize::MAX));
        let memory = human_size((bytes as u64).saturating_mul(frames));
        text += &format!(
            "  time       {} s in {steps} steps of {} s\n  frames     {frames}, about {memory} in memory\n",
            file.time.seconds, file.time.step
        );
    }
    text += &format!("  seed       {}\n", scene.seed);
    text
}

/// How many bodies an entry stands for.
fn copies(body: &Body) -> u64 {
    let Some(array) = &body.array else {
        return 1;
    };
    let [x, y, z] = array.count;
    x.saturating_mul(y).saturating_mul(z)
}

/// The masses that are written out; what follows from densities only the
/// world knows.
fn masses(file: &SceneFile) -> String {
    let mut total = 0.0;
    for body in &file.body {
        let parts = || body.parts.iter().map(|part| part.mass).sum::<Option<f64>>();
        let particles = || body.particles.iter().map(|particle| particle.mass).sum();
        let mass = match (body.mass, body.parts.is_empty(), body.particles.is_empty()) {
            (Some(mass), _, _) => Some(mass),
            (None, false, _) => parts(),
            (None, true, false) => Some(particles()),
            (None, true, true) => None,
        };
        match mass {
            Some(mass) => total += mass * copies(body) as f64,
            None => return String::new(),
        }
    }
    format!(", {total} kg together")
}

fn forces(file: &SceneFile) -> String {
    let counted = [
        (file.spring.len(), "spring", "springs"),
        (file.drag.len(), "drag", "drags"),
        (file.push.len(), "push", "pushes"),
        (file.water.len(), "water", "waters"),
    ];
    let mut parts = vec![match file.gravity {
        None => "gravity".to_owned(),
        Some([0.0, 0.0, 0.0]) => "no gravity".to_owned(),
        Some([x, y, z]) => format!("gravity ({x}, {y}, {z})"),
    }];
    if file.damping.linear != 0.0 || file.damping.angular != 0.0 {
        parts.push("damping".to_owned());
    }
    for (count, one, many) in counted {
        match count {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            _ => parts.push(format!("{count} {many}")),
        }
    }
    parts.join(", ")
}

fn steps_and_frames(time: &Time) -> Option<(u64, u64)> {
    let steps = (time.seconds / time.step).round();
    // Beyond 2^53 a count of steps is no longer exact, nor of any use.
    if !(0.0..9e15).contains(&steps) || time.steps_per_frame == 0 {
        return None;
    }
    let steps = steps as u64;
    Some((steps, steps / time.steps_per_frame + 1))
}
