//! `conatus check`: reads and checks a scene, tells what is in it, and runs
//! nothing.

use crate::Done;
use crate::args::Check;
use crate::errors::print;
use conatus_world::memory;
use conatus_world::scene::model::SceneFile;
use conatus_world::scene::{Scene, Setup, library};

/// Checks a scene.
pub fn check(args: &Check) -> Done {
    let mut scene = Scene::load(&args.scene, &args.changes.options())?;
    let setup = scene.build()?;
    scene.check_memory(&setup)?;
    print(&describe(&scene, &setup))
}

fn describe(scene: &Scene, setup: &Setup) -> String {
    let (file, bodies) = (&scene.file, &setup.header.bodies);
    let mut text = format!(
        "{} ({} scene): all is right\n",
        scene.name,
        library::family(file)
    );
    for line in [&file.title, &file.shows].into_iter().flatten() {
        text += &format!("  {line}\n");
    }
    let mass: f64 = bodies.iter().map(|body| body.mass).sum();
    text += &format!(
        "  bodies     {}, {} kg together\n",
        bodies.len(),
        (mass * 1e6).round() / 1e6
    );
    text += &format!("  forces     {}\n", forces(file));
    text += &format!("  planes     {}\n", file.plane.len());
    if !file.command.is_empty() {
        text += &format!("  commands   {}\n", file.command.len());
    }
    text += &format!(
        "  time       {} s in {} steps of {} s\n  frames     {}, about {} in memory\n",
        file.time.seconds,
        setup.plan.steps,
        file.time.step,
        setup.plan.frames(),
        memory::readable(setup.recording_bytes()),
    );
    text += &format!("  seed       {}\n", scene.seed);
    text
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
