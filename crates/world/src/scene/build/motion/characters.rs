//! `[[character]]`: descriptions, names and start poses.

use super::short;
use crate::scene::build::bodies::color;
use crate::scene::build::check;
use crate::scene::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::scene::load::Scene;
use crate::scene::model::{CharacterSpec, SceneFile, StartPoseSpec};
use crate::scene::tree::TreeNode;
use crate::scene::{de, parse_toml};
use conatus_math::DVec3;
use conatus_motion::character::description::BUILT_IN;
use conatus_motion::character::{Description, DescriptionError, Knee, Patch, built_in};
use conatus_motion::{Character, CharacterPose, CharacterStart, Problem};
use std::collections::BTreeSet;

/// Coulomb's coefficient of knees that `knees = true` adds.
const KNEE_FRICTION: f64 = 0.7;

/// Where a description comes from.
enum Origin {
    /// Built in.
    BuiltIn,
    /// The scene file, at this path.
    Scene(String),
    /// A separate file: name, text and tree.
    File(String, String, Box<TreeNode>),
}

impl Origin {
    /// Reports an error of the description at its place.
    fn report(&self, error: &DescriptionError, path: &str, diagnostics: &mut Diagnostics) {
        let DescriptionError { path: key, what } = error;
        let message = format!("{key}: {what}");
        match self {
            Self::BuiltIn => diagnostics.at(path, message, ""),
            Self::Scene(path) => diagnostics.at(&format!("{path}.{key}"), what.clone(), ""),
            Self::File(name, text, tree) => {
                let span = tree.nearest_span(key);
                let length = span.end.saturating_sub(span.start);
                diagnostics.in_source(name, text, span.start, length, message, "");
            }
        }
    }
}

/// All characters with the poses they start in; those that are wrong are left
/// out.
pub fn build(
    scene: &Scene,
    file: &SceneFile,
    diagnostics: &mut Diagnostics,
) -> Vec<CharacterStart> {
    let mut cast = Vec::new();
    let mut names = BTreeSet::new();
    for (i, spec) in file.character.iter().enumerate() {
        let path = format!("character[{i}]");
        let Some((description, origin, kind)) = find_description(scene, spec, &path, diagnostics)
        else {
            continue;
        };
        let name = match spec.name.as_str() {
            "" if file.character.len() == 1 => kind,
            "" => format!("{kind}-{}", i + 1),
            name => name.to_owned(),
        };
        if !names.insert(name.clone()) {
            diagnostics.at(
                &format!("{path}.name"),
                format!("the name `{name}` is used twice"),
                "give every character a unique name",
            );
        }
        let mut character = match description.build(&name) {
            Ok(character) => character,
            Err(error) => {
                origin.report(&error, &path, diagnostics);
                continue;
            }
        };
        if let Some(workload) = spec.workload {
            let path = format!("{path}.workload");
            check::positive(diagnostics, &path, "the workload", workload);
            character.workload = workload;
        }
        character.limb_contacts = spec.limb_contacts;
        if spec.knees {
            add_knees(&mut character, &path, diagnostics);
        }
        override_friction(&mut character, spec, &path, diagnostics);
        if spec.color.is_some() {
            character.base.color = color(spec.color.as_deref(), 0, &path, diagnostics);
        }
        let Some(pose) = start_pose(&description, &origin, &character, spec, &path, diagnostics)
        else {
            continue;
        };
        let shift = start_position(file, spec, &path, diagnostics);
        let pose = pose.moved(spec.heading.to_radians(), shift);
        cast.push(CharacterStart::at_rest(character, pose));
    }
    cast
}

/// Adds a load-bearing knee to every leg that has none.
fn add_knees(character: &mut Character, path: &str, diagnostics: &mut Diagnostics) {
    let legs = character.limbs.iter_mut();
    let legs = legs.filter(|l| l.name.contains("leg") && l.links.len() > 1);
    let mut found = false;
    for leg in legs {
        found = true;
        if leg.knees.is_empty() {
            let patch = Patch {
                name: leg.name.replace("leg", "knee"),
                half_extents: [0.0; 2],
                friction: KNEE_FRICTION,
                grasps: false,
                effort: 1.0,
            };
            leg.knees.push(Knee { joint: 0, patch });
        }
    }
    if !found {
        diagnostics.at(
            &format!("{path}.knees"),
            format!(
                "`{}` has no legs that could have knees",
                character.base.name
            ),
            "leave `knees` out; a limb with two links and `leg` in its name has one",
        );
    }
}

/// Replaces coefficients of friction of the description.
fn override_friction(
    character: &mut Character,
    spec: &CharacterSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    for (name, &given) in &spec.friction {
        let path = format!("{path}.friction.{name}");
        check::not_negative(diagnostics, &path, "the friction", given);
        let word = match name.as_str() {
            "feet" => "foot",
            "hands" => "hand",
            name => name,
        };
        let is_plural = word != name;
        let matches = |patch: &str| patch == word || is_plural && patch.ends_with(word);
        let mut patches: Vec<&mut Patch> = Vec::new();
        for limb in &mut character.limbs {
            patches.push(&mut limb.effector);
            patches.extend(limb.knees.iter_mut().map(|k| &mut k.patch));
        }
        patches.extend(character.base.patches.iter_mut().map(|p| &mut p.patch));
        let known: Vec<String> = patches.iter().map(|p| p.name.clone()).collect();
        let mut found = false;
        for patch in patches.into_iter().filter(|p| matches(&p.name)) {
            patch.friction = given;
            found = true;
        }
        if !found {
            let near = match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            diagnostics.at(
                &path,
                format!("`{}` has no `{name}`", character.base.name),
                format!("{near}there are feet, hands, {}", known.join(", ")),
            );
        }
    }
}

/// The description of a character, where it comes from, and its kind.
fn find_description(
    scene: &Scene,
    spec: &CharacterSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<(Description, Origin, String)> {
    crate::scene::build::check::at_most_one(
        diagnostics,
        path,
        &[
            ("file", spec.file.is_some()),
            ("description", spec.description.is_some()),
        ],
    );
    let own = spec.file.is_some() || spec.description.is_some();
    let kind = spec.kind.as_deref();
    match (kind, own) {
        (Some("own"), false) => {
            diagnostics.at(
                path,
                "a character of the kind `own` has no description",
                "describe it in [character.description], or name a TOML file with `file`",
            );
            None
        }
        (None | Some("own"), true) => {
            if let Some(description) = &spec.description {
                let origin = Origin::Scene(format!("{path}.description"));
                return Some((description.clone(), origin, "character".to_owned()));
            }
            let name = spec.file.as_deref().unwrap_or_default();
            match read_description(scene, name, diagnostics) {
                Ok((description, origin)) => {
                    let stem = std::path::Path::new(name).file_stem();
                    let kind =
                        stem.map_or("character".into(), |s| s.to_string_lossy().into_owned());
                    Some((description, origin, kind))
                }
                Err(wrong) => {
                    if let Some(wrong) = wrong {
                        diagnostics.push_at(&format!("{path}.file"), wrong);
                    }
                    None
                }
            }
        }
        (Some(kind), true) => {
            diagnostics.at(
                &format!("{path}.kind"),
                format!("the character is a `{kind}` and has a description as well"),
                "leave `kind` out, or set kind = \"own\"",
            );
            None
        }
        (kind, false) => {
            let kind = kind.unwrap_or("human");
            let Some(description) = built_in(kind) else {
                let names = BUILT_IN.iter().map(|(name, _)| *name);
                let all: Vec<&str> = names.clone().chain(["own"]).collect();
                let near = match nearest(kind, names) {
                    Some(near) => format!("did you mean `{near}`? "),
                    None => String::new(),
                };
                diagnostics.at(
                    &format!("{path}.kind"),
                    format!("there is no character of the kind `{kind}`"),
                    format!("{near}the kinds are {}", all.join(", ")),
                );
                return None;
            };
            Some((description, Origin::BuiltIn, kind.to_owned()))
        }
    }
}

/// Reads a description from a file beside the scene. The error is `None` if it has
/// been reported already.
fn read_description(
    scene: &Scene,
    name: &str,
    diagnostics: &mut Diagnostics,
) -> Result<(Description, Origin), Option<Diagnostic>> {
    let source = scene.files.read(name).map_err(Some)?;
    let mut report = |wrong: Diagnostic| {
        let (start, length) = match wrong.span {
            Some(span) => (span.start, span.end.saturating_sub(span.start)),
            None => (0, 0),
        };
        let help = wrong.help.unwrap_or_default();
        diagnostics.in_source(
            &source.name,
            &source.text,
            start,
            length,
            wrong.message,
            help,
        );
    };
    let tree = match parse_toml::parse(&source.text, 0) {
        Ok(tree) => tree,
        Err(all) => {
            all.into_iter().for_each(report);
            return Err(None);
        }
    };
    match de::from_node::<Description>(&tree) {
        Ok(description) => {
            let origin = Origin::File(source.name.clone(), source.text.to_string(), Box::new(tree));
            Ok((description, origin))
        }
        Err(wrong) => {
            report(wrong);
            Err(None)
        }
    }
}

/// The start pose of a character, at the origin.
fn start_pose(
    description: &Description,
    origin: &Origin,
    character: &Character,
    spec: &CharacterSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<CharacterPose> {
    let name = match &spec.pose {
        None => "standing",
        Some(StartPoseSpec::Named(name)) => name.as_str(),
        Some(StartPoseSpec::Places(places)) => {
            // The error's path begins with the name of the pose; here the pose is the
            // scene's own.
            let built = description.place_pose(character, "pose", places);
            return built
                .map_err(|error| {
                    let key = error.path.strip_prefix("pose.pose").unwrap_or_default();
                    diagnostics.at(&format!("{path}.pose{key}"), error.what, "a pose has `torso` and every limb, each with `position`, `forward` and `normal` or `up`");
                })
                .ok();
        }
    };
    if !description.poses().any(|known| known == name) {
        let known: Vec<&str> = description.poses().collect();
        let help = match (nearest(name, description.poses()), known.is_empty()) {
            (Some(near), _) => format!("did you mean `{near}`? "),
            (None, true) => {
                "its description has none: give one in numbers, [character.pose]".into()
            }
            (None, false) => String::new(),
        };
        let list = match known.is_empty() {
            true => String::new(),
            false => format!("the poses are {}", known.join(", ")),
        };
        diagnostics.at(
            &format!("{path}.pose"),
            format!("`{}` has no pose `{name}`", character.base.name),
            help + &list,
        );
        return None;
    }
    (description.build_pose(character, name))
        .map_err(|error| origin.report(&error, path, diagnostics))
        .ok()
}

/// The start position of a character; without a height, on the highest level plane.
fn start_position(
    file: &SceneFile,
    spec: &CharacterSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> DVec3 {
    let ground = super::surroundings::ground(file);
    let at = match spec.position[..] {
        [] => DVec3::new(0.0, 0.0, ground),
        [x, y] => DVec3::new(x, y, ground),
        [x, y, z] => DVec3::new(x, y, z),
        _ => {
            diagnostics.at(
                &format!("{path}.position"),
                format!("expected 2 or 3 numbers, found {}", spec.position.len()),
                "give x and y, or x, y and the height",
            );
            DVec3::ZERO
        }
    };
    if at.abs().max_element() > 1000.0 {
        diagnostics.at(
            &format!("{path}.position"),
            format!(
                "the character starts {} m away",
                short(at.abs().max_element())
            ),
            "lengths are in metres; is the number far too large?",
        );
    }
    at
}

/// Reports start poses that are out of reach of a limb or penetrate something, first
/// of each character and object alone, then of all together.
pub fn check_start(file: &SceneFile, problem: &Problem, diagnostics: &mut Diagnostics) {
    let empty = Problem {
        characters: Vec::new(),
        objects: Vec::new(),
        goals: Vec::new(),
        ..problem.clone()
    };
    let mut report = |path: &str, alone: &Problem, name: &str, help: &str| {
        for fault in alone.check() {
            let what = format!("`{name}` cannot start like this: {fault}");
            diagnostics.at(path, what, help);
        }
    };
    for (i, one) in problem.characters.iter().enumerate() {
        let alone = Problem {
            characters: vec![one.clone()],
            ..empty.clone()
        };
        let help = "move `position` or change the pose";
        let name = &one.character.base.name;
        report(&format!("character[{i}].pose"), &alone, name, help);
    }
    for (i, one) in problem.objects.iter().enumerate() {
        let alone = Problem {
            objects: vec![one.clone()],
            ..empty.clone()
        };
        let help = "move `position`: it is where the centre is";
        let name = &one.object.base.name;
        report(&format!("object[{i}].position"), &alone, name, help);
    }
    let bodies = problem.characters.len() + problem.objects.len();
    if bodies < 2 || !diagnostics.is_empty() {
        return;
    }
    let together = Problem {
        goals: Vec::new(),
        ..problem.clone()
    };
    for fault in together.check() {
        let path = match file.character.len() {
            1 => "object[0].position",
            _ => "character[1].position",
        };
        diagnostics.at(
            path,
            format!("characters and objects cannot start like this together: {fault}"),
            "move them apart",
        );
    }
}
