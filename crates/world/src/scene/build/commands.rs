//! From the commands of a scene file to commands of the world.

use super::bodies::{BuiltBody, later_specs};
use super::check;
use super::forces::find;
use super::joints;
use crate::command::Command;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{CommandSpec, JointSpec, SceneFile};
use crate::world::World;
use conatus_math::DVec3;

/// Adds all commands of the scene to the world.
pub fn build(
    world: &mut World,
    file: &SceneFile,
    built: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) {
    let later = built.len() - later_specs(file).count();
    let mut added = later..built.len();
    let mut joint_names = joints::names(file).into_iter().skip(file.joint.len());
    for (i, spec) in file.command.iter().enumerate() {
        let path = format!("command[{i}]");
        check::not_negative(diagnostics, &format!("{path}.time"), "the time", spec.time);
        let given = [
            ("kick", spec.kick.is_some()),
            ("impulse", spec.impulse.is_some()),
            ("merge", spec.merge.is_some()),
            ("lock", spec.lock.is_some()),
            ("unlock", spec.unlock.is_some()),
            ("add_body", spec.add_body.is_some()),
            ("remove_body", spec.remove_body.is_some()),
            ("add_joint", spec.add_joint.is_some()),
            ("remove_joint", spec.remove_joint.is_some()),
            ("motor", spec.motor.is_some()),
            ("break", spec.break_joint.is_some()),
        ];
        if given.iter().filter(|g| g.1).count() != 1 {
            diagnostics.at(
                &path,
                "a command has exactly one action",
                "give one of `kick`, `impulse`, `merge`, `lock`, `unlock`, `add_body`, `remove_body`, `add_joint`, `remove_joint`, `motor`, `break`; write one command for each action",
            );
            // The bodies and joints of the others keep their numbers.
            spec.add_body.is_some().then(|| added.next());
            spec.add_joint.is_some().then(|| joint_names.next());
            continue;
        }
        if spec.add_body.is_some() {
            if let Some(body) = added.next() {
                world.command(spec.time, Command::AddBody { body, spec: None });
            }
            continue;
        }
        if let Some(joint) = &spec.add_joint {
            let name = joint_names.next().unwrap_or_default();
            let path = format!("{path}.add_joint");
            add_joint(world, built, joint, &name, &path, diagnostics);
            let command = Command::AddJoint {
                joint: name,
                spec: None,
            };
            world.command(spec.time, command);
            continue;
        }
        let command = match joint_command(spec, world, file, &path, diagnostics) {
            Some(command) => Some(command),
            None => command(spec, built, &path, diagnostics),
        };
        if let Some(command) = command {
            world.command(spec.time, command);
        }
    }
}

/// Adds the joint of a command to the world, where it waits.
fn add_joint(
    world: &mut World,
    built: &[BuiltBody],
    spec: &JointSpec,
    name: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    if world.joint_names.iter().any(|n| n == name) {
        diagnostics.at(
            &format!("{path}.name"),
            format!("the name `{name}` is used twice"),
            "give every joint a unique name",
        );
    }
    let place = |name: &str| {
        let found = built.iter().position(|b| b.name == name);
        found.ok_or_else(|| built.iter().map(|b| b.name.clone()).collect())
    };
    let Some(bodies) = joints::joined(spec, &place, path, diagnostics) else {
        return;
    };
    let named = JointSpec {
        name: name.to_owned(),
        ..spec.clone()
    };
    let poses = joints::poses(bodies, |body| built[body].state.pose());
    joints::prepare(world, &named, bodies, poses, path, diagnostics);
}

/// The command to a joint, if it is one and has a joint.
fn joint_command(
    spec: &CommandSpec,
    world: &World,
    file: &SceneFile,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Command> {
    let mut find = |name: &str, key: &str| {
        let names = joints::names(file);
        if names.iter().all(|n| n != name) {
            let help = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "joints are named by `name` in their `[[joint]]`".to_owned(),
            };
            let path = format!("{path}.{key}");
            diagnostics.at(&path, format!("there is no joint `{name}`"), help);
        }
        name.to_owned()
    };
    if let Some(name) = &spec.remove_joint {
        return Some(Command::RemoveJoint {
            joint: find(name, "remove_joint"),
        });
    }
    if let Some(name) = &spec.break_joint {
        return Some(Command::Break {
            joint: find(name, "break"),
        });
    }
    let motor = spec.motor.as_ref()?;
    let joint = find(&motor.joint, "motor.joint");
    let built = world.joint_names.iter().position(|name| *name == joint);
    if built.is_some_and(|k| !world.joints()[k].has_motor()) {
        diagnostics.at(
            &format!("{path}.motor.joint"),
            format!("the joint `{joint}` has no motor"),
            "give the joint a `motor` with its greatest force",
        );
    }
    if motor.speed.is_some() == motor.position.is_some() {
        diagnostics.at(
            &format!("{path}.motor"),
            "a motor needs one target",
            "give `speed` or `position`, and not both",
        );
    }
    Some(Command::Motor {
        joint,
        steering: motor.steering,
        speed: motor.speed,
        position: motor.position,
    })
}

fn command(
    spec: &CommandSpec,
    built: &[BuiltBody],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Command> {
    if let Some(kick) = &spec.kick {
        if kick.momentum.is_none() && kick.angular_momentum.is_none() {
            diagnostics.at(
                &format!("{path}.kick"),
                "the kick changes nothing",
                "give it `momentum` or `angular_momentum`",
            );
        }
        return Some(Command::Kick {
            body: find(built, &kick.body, &format!("{path}.kick.body"), diagnostics)?,
            momentum: kick.momentum.map(DVec3::from),
            angular_momentum: kick.angular_momentum.map(DVec3::from),
        });
    }
    if let Some(impulse) = &spec.impulse {
        let body = find(
            built,
            &impulse.body,
            &format!("{path}.impulse.body"),
            diagnostics,
        )?;
        let point = impulse.point.map(DVec3::from);
        return Some(Command::Impulse {
            body,
            impulse: impulse.impulse.into(),
            point_body: point.map_or(DVec3::ZERO, |p| built[body].to_principal.point(p)),
        });
    }
    if let Some(name) = &spec.remove_body {
        let path = format!("{path}.remove_body");
        let body = find(built, name, &path, diagnostics)?;
        return Some(Command::Remove(body));
    }
    if let Some(names) = &spec.merge {
        let list: Vec<usize> = names
            .iter()
            .enumerate()
            .filter_map(|(k, n)| find(built, n, &format!("{path}.merge[{k}]"), diagnostics))
            .collect();
        if list.iter().all(|i| Some(i) == list.first()) {
            diagnostics.at(
                &format!("{path}.merge"),
                "a merge needs two bodies",
                "name at least two bodies",
            );
        }
        return Some(Command::Merge(list));
    }
    if let Some(name) = &spec.lock {
        return find(built, name, &format!("{path}.lock"), diagnostics).map(Command::Lock);
    }
    let name = spec.unlock.as_ref()?;
    find(built, name, &format!("{path}.unlock"), diagnostics).map(Command::Unlock)
}
