//! `conatus check`: reads and checks a scene and describes it, without running it.

use crate::Done;
use crate::args::CheckArgs;
use crate::diagnostics::{self, Severity};
use crate::terminal::{escape, print};
use conatus_record::{BodyInfo, ColliderInfo, Header};
use conatus_world::memory;
use conatus_world::motion::MotionPlanner;
use conatus_world::scene::model::SceneFile;
use conatus_world::scene::{Scene, Setup, library};
use conatus_world::text::{counted, listed, number};

/// The most names of obstacles that are listed.
const MAX_NAMES: usize = 5;

/// Checks a scene.
pub fn check(args: &CheckArgs) -> Done {
    let scene = Scene::load(&args.scene, &args.changes.options())?;
    let setup = scene.build()?;
    scene.check_memory(&setup)?;
    print(&describe(&scene, &setup))
}

fn describe(scene: &Scene, setup: &Setup) -> String {
    let (file, header) = (&scene.file, &setup.header);
    let verdict = match setup.warnings.diagnostics().len() {
        0 => "valid".to_owned(),
        count => format!("valid, with {}", counted(count, "warning", "warnings")),
    };
    let family = library::family(file);
    let mut text = format!("{} ({family} scene): {verdict}\n", escape(&scene.name));
    for line in [&file.title, &file.shows].into_iter().flatten() {
        text += &format!("  {}\n", escape(line));
    }
    // A recording lists bodies first, then obstacles, then parts of characters.
    let is_part = |body: &BodyInfo| body.character.is_some();
    let end = header.bodies.iter().position(is_part);
    let bodies = &header.bodies[..end.unwrap_or(header.bodies.len())];
    let (bodies, obstacles) = bodies.split_at(bodies.len() - file.obstacle.len());
    if !bodies.is_empty() {
        let mass: f64 = bodies.iter().map(|body| body.mass).sum();
        let on_body = |c: &&ColliderInfo| c.body.is_some_and(|b| b < bodies.len());
        let colliders = header.physics.colliders.iter().filter(on_body).count();
        // Compounds and meshes that were divided.
        let divided = match colliders > bodies.len() {
            true => format!(", {colliders} colliders"),
            false => String::new(),
        };
        text += &format!(
            "  bodies     {}, {} kg in all{divided}\n",
            bodies.len(),
            number(mass)
        );
    }
    if let Some(cloth) = setup
        .world
        .cloth
        .as_ref()
        .filter(|_| !header.cloths.is_empty())
    {
        let (vertices, triangles) = cloth.size();
        let mass: f64 = cloth.cloth.elastic.masses().iter().sum();
        text += &format!(
            "  cloth      {}, {vertices} vertices and {triangles} triangles, {} kg in all\n",
            counted(header.cloths.len(), "piece", "pieces"),
            number(mass),
        );
    }
    if !obstacles.is_empty() {
        text += &describe_obstacles(obstacles, header);
    }
    if let Some(planner) = &setup.planner {
        text += &describe_characters(planner);
    }
    text += &format!("  forces     {}\n", forces(file));
    for (count, name) in [
        (header.planes.len(), "planes  "),
        (file.command.len(), "commands"),
    ] {
        if count > 0 {
            text += &format!("  {name}   {count}\n");
        }
    }
    text += &format!(
        "  time       {} s in {} of {} s\n  frames     {}, about {} in memory\n",
        number(setup.schedule.seconds),
        counted(setup.schedule.steps as usize, "step", "steps"),
        number(file.time.step),
        setup.schedule.frames(),
        memory::format_bytes(setup.recording_bytes()),
    );
    text += &format!("  seed       {}\n", scene.seed);
    match setup.warnings.is_empty() {
        true => text,
        false => text + &diagnostics::plain(&setup.warnings, Severity::Warning),
    }
}

fn describe_obstacles(obstacles: &[BodyInfo], header: &Header) -> String {
    let meshes = obstacles.iter().filter_map(|o| header.meshes.get(o.mesh?));
    let triangles: usize = meshes.map(|mesh| mesh.triangles.len()).sum();
    let names = listed(obstacles.iter().map(|o| o.name.as_str()), MAX_NAMES);
    format!(
        "  obstacles  {}: {}; {}\n",
        obstacles.len(),
        escape(&names),
        counted(triangles, "triangle", "triangles")
    )
}

/// The characters, their objects and goals, and the size of the search.
fn describe_characters(planner: &MotionPlanner) -> String {
    let problem = &planner.problem;
    let characters = problem.characters.iter().map(|c| &c.character.base);
    let objects = problem.objects.iter().map(|o| &o.object.base);
    let (unknowns, contacts) = planner.size();
    let attempts = counted(problem.effort.attempts, "attempt", "attempts");
    let effort = match problem.effort.keep {
        1 => format!("at most {attempts}"),
        keep => format!("{keep} of {attempts} are kept"),
    };
    let mut text = String::new();
    text += &describe_masses("characters", characters.map(|b| (b.name.as_str(), b.mass)));
    text += &describe_masses("objects   ", objects.map(|b| (b.name.as_str(), b.mass)));
    if !problem.goals.is_empty() {
        text += &format!("  goals      {}\n", problem.goals.len());
    }
    text + &format!(
        "  movement   {} of {} s, {unknowns} unknowns, {}; {effort}\n",
        counted(problem.phases, "phase", "phases"),
        number(problem.phase_seconds),
        counted(contacts, "possible contact", "possible contacts"),
    )
}

/// A line with names and the sum of masses, if there are any.
fn describe_masses<'a>(title: &str, all: impl Iterator<Item = (&'a str, f64)>) -> String {
    let (names, masses): (Vec<&str>, Vec<f64>) = all.unzip();
    match names.len() {
        0 => String::new(),
        count => format!(
            "  {title} {count}: {}, {} kg in all\n",
            escape(&names.join(", ")),
            number(masses.iter().sum()),
        ),
    }
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
        Some([x, y, z]) => format!("gravity ({}, {}, {})", number(x), number(y), number(z)),
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
