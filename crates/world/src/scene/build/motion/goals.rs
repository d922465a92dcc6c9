//! `[[goal]]`: finds the character or object of each goal, checks its keys, and
//! builds what the optimiser needs.

mod character;
mod reader;
mod target;

use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{GoalKindSpec, GoalSpec, SceneFile};
use conatus_motion::surface::Surface;
use conatus_motion::{CharacterStart, Goal, ObjectStart, Subject};
use conatus_record::clip::ClipTarget;
use reader::Reader;

/// The characters and the objects of a scene.
type Bodies<'a> = (&'a [CharacterStart], &'a [ObjectStart]);

/// All goals: for the optimiser, their names in messages, and their marks for
/// display.
pub fn build(
    file: &SceneFile,
    bodies: Bodies,
    surfaces: &[Surface],
    seconds: f64,
    diagnostics: &mut Diagnostics,
) -> (Vec<Goal>, Vec<String>, Vec<ClipTarget>) {
    let (mut goals, mut names, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for (i, spec) in file.goal.iter().enumerate() {
        let path = format!("goal[{i}]");
        check_keys(spec, &path, diagnostics);
        let Some(subject) = find_subject(spec, bodies, &path, diagnostics) else {
            continue;
        };
        let reader = Reader {
            spec,
            path: &path,
            subject,
            bodies,
            surfaces,
            seconds,
        };
        if let Some(goal) = reader.read(diagnostics) {
            targets.extend(reader.target(&goal, &goals));
            goals.push(goal);
            names.push(format!("the goal {} ({})", i + 1, spec.kind.name()));
        }
    }
    (goals, names, targets)
}

/// Rejects keys that the goal's kind does not have.
fn check_keys(spec: &GoalSpec, path: &str, diagnostics: &mut Diagnostics) {
    use GoalKindSpec::{Crawl, Facing, Handstand, Position, Sit, Stand, Strike};
    let given: [(&str, bool, &[GoalKindSpec]); 13] = [
        ("object", spec.object.is_some(), &[Position]),
        ("hold", spec.hold.is_some(), &[Position]),
        ("moving", spec.moving.is_some(), &[Position]),
        ("on", spec.on.is_some(), &[Stand, Handstand, Crawl]),
        ("up", spec.up.is_some(), &[Stand, Handstand]),
        ("height", spec.height.is_some(), &[Sit, Crawl]),
        ("forwards", spec.forwards.is_some(), &[Sit]),
        ("position", spec.position.is_some(), &[Position, Strike]),
        ("direction", spec.direction.is_some(), &[Facing]),
        ("heading", spec.heading.is_some(), &[Facing]),
        ("limb", spec.limb.is_some(), &[Strike]),
        ("time", spec.time.is_some(), &[Position, Strike]),
        ("velocity", spec.velocity.is_some(), &[Strike]),
    ];
    for (key, given, kinds) in given {
        if given && !kinds.contains(&spec.kind) {
            let names: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
            diagnostics.at(
                &format!("{path}.{key}"),
                format!("a goal of the kind `{}` has no `{key}`", spec.kind.name()),
                format!("leave it out; it belongs to `{}`", names.join("` and `")),
            );
        }
    }
}

/// The character or object that the goal is about.
fn find_subject(
    spec: &GoalSpec,
    (characters, objects): Bodies,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Subject> {
    if let Some(name) = &spec.object {
        return find_object(spec, name, objects, path, diagnostics).map(Subject::Object);
    }
    let names = || characters.iter().map(|c| c.character.base.name.as_str());
    let Some(name) = &spec.character else {
        if characters.len() == 1 {
            return Some(Subject::Character(0));
        }
        let names: Vec<&str> = names().collect();
        diagnostics.at(
            path,
            "the goal does not name its character",
            format!("add `character`: {}", names.join(", ")),
        );
        return None;
    };
    let found = names().position(|n| n == *name);
    if found.is_none() {
        let names = names();
        let help = match nearest(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there is {}", names.collect::<Vec<_>>().join(", ")),
        };
        diagnostics.at(
            &format!("{path}.character"),
            format!("there is no character `{name}`"),
            help,
        );
    }
    found.map(Subject::Character)
}

/// The index of the object that the goal is about.
fn find_object(
    spec: &GoalSpec,
    name: &str,
    objects: &[ObjectStart],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    if spec.character.is_some() {
        diagnostics.at(
            path,
            "the goal names both a character and an object",
            "leave one of `character` and `object` out",
        );
        return None;
    }
    let names = || objects.iter().map(|o| o.object.base.name.as_str());
    let found = names().position(|n| n == name);
    if found.is_none() {
        let names = names();
        let help = match (nearest(name, names.clone()), objects.len()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, 0) => "add it as an [[object]]".to_owned(),
            (None, _) => format!("there is {}", names.collect::<Vec<_>>().join(", ")),
        };
        diagnostics.at(
            &format!("{path}.object"),
            format!("there is no object `{name}`"),
            help,
        );
    }
    found
}
