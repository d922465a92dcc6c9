//! `conatus check`: reads and checks a scene, tells what is in it, and runs
//! nothing.

use crate::Done;
use crate::args::Check;
use crate::errors::print;
use conatus_world::memory;
use conatus_world::motion::MotionPlanner;
use conatus_world::scene::model::SceneFile;
use conatus_world::scene::{Scene, Setup, library};

/// Checks a scene.
pub fn check(args: &Check) -> Done {
    let scene = Scene::load(&args.scene, &args.changes.options())?;
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
    // Obstacles stand behind the bodies in the recording, without mass.
    // So do the parts of characters, behind them.
    let bodies = &bodies[..bodies.iter().take_while(|b| b.character.is_none()).count()];
    let (bodies, obstacles) = bodies.split_at(bodies.len() - file.obstacle.len());
    let mass: f64 = bodies.iter().map(|body| body.mass).sum();
    let cloths = &setup.header.cloths;
    if !bodies.is_empty() || (cloths.is_empty() && setup.planner.is_none()) {
        text += &format!(
            "  bodies     {}, {} kg together\n",
            bodies.len(),
            short(mass)
        );
    }
    if let Some(cloth) = setup.world.cloth.as_ref().filter(|_| !cloths.is_empty()) {
        let (vertices, triangles) = cloth.size();
        let mass: f64 = cloth.cloth.elastic.masses().iter().sum();
        text += &format!(
            "  cloth      {}, {vertices} vertices and {triangles} triangles, {} kg together\n",
            counted(cloths.len(), "piece", "pieces"),
            short(mass),
        );
    }
    if !obstacles.is_empty() {
        let named: Vec<&str> = obstacles.iter().take(5).map(|o| o.name.as_str()).collect();
        let more = match obstacles.len() - named.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let names = named.join(", ");
        text += &format!("  obstacles  {}: {names}{more}\n", obstacles.len());
    }
    if let Some(planner) = &setup.planner {
        text += &characters(planner);
    }
    text += &format!("  forces     {}\n", forces(file));
    text += &format!("  planes     {}\n", setup.header.planes.len());
    if !file.command.is_empty() {
        text += &format!("  commands   {}\n", file.command.len());
    }
    text += &format!(
        "  time       {} s in {} steps of {} s\n  frames     {}, about {} in memory\n",
        setup.schedule.seconds,
        setup.schedule.steps,
        file.time.step,
        setup.schedule.frames(),
        memory::format_bytes(setup.recording_bytes()),
    );
    text += &format!("  seed       {}\n", scene.seed);
    text
}

/// Who is there, and what they are to find out.
fn characters(planner: &MotionPlanner) -> String {
    let problem = &planner.problem;
    let characters = || problem.characters.iter().map(|c| &c.character.base);
    let names: Vec<&str> = characters().map(|base| base.name.as_str()).collect();
    let mass: f64 = characters().map(|base| base.mass).sum();
    let objects = || problem.objects.iter().map(|o| &o.object.base);
    let objects = match objects().count() {
        0 => String::new(),
        count => {
            let names: Vec<&str> = objects().map(|base| base.name.as_str()).collect();
            let mass: f64 = objects().map(|base| base.mass).sum();
            let (names, mass) = (names.join(", "), short(mass));
            format!("  objects    {count}: {names}, {mass} kg together\n")
        }
    };
    let (unknowns, contacts) = planner.size();
    let attempts = counted(problem.effort.attempts, "attempt", "attempts");
    let effort = match problem.effort.keep {
        1 => format!("{attempts} at most"),
        keep => format!("{keep} of {attempts} are kept"),
    };
    format!(
        "  characters {}: {}, {} kg together\n{objects}  goals      {}\n  movement   {} of {} s, {unknowns} unknowns, {}; {effort}\n",
        names.len(),
        names.join(", "),
        short(mass),
        problem.goals.len(),
        counted(problem.phases, "phase", "phases"),
        problem.phase_seconds,
        counted(contacts, "possible contact", "possible contacts"),
    )
}

/// A mass without the digits that nobody reads.
fn short(mass: f64) -> f64 {
    (mass * 1e6).round() / 1e6
}

/// `1 piece`, `2 pieces`.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn forces(file: &SceneFile) -> String {
    let all = [
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
    if file.cloth.wind != [0.0; 3] || file.cloth.gust.is_some() {
        parts.push("wind".to_owned());
    }
    for (count, one, many) in all.into_iter().filter(|(count, ..)| *count > 0) {
        parts.push(counted(count, one, many));
    }
    parts.join(", ")
}
