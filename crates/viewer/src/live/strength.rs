//! How hard kicks and hands act: by the mass and size of the body, so that
//! they suit a marble and a ship alike.

use conatus_math::DVec3;
use conatus_record::{BodyInfo, Header, Up};
use conatus_world::Command;

/// The body of this number, if hands and kicks can do anything to it, or why
/// not. Obstacles stand in the header behind all bodies of the world, which
/// does not know them as bodies.
pub fn movable(header: &Header, body: usize) -> Result<&BodyInfo, String> {
    let free = header.bodies.iter().filter(|b| !b.scripted).count();
    match header.bodies.get(body) {
        Some(info) if info.scripted => Err(format!(
            "the scene moves `{}`: it can be neither kicked nor pulled",
            info.name
        )),
        Some(info) if body < free => Ok(info),
        _ if free == 1 => Err("there is only one body".into()),
        _ => Err(format!("there are only {free} bodies")),
    }
}

/// The kick that the keys 1 to 9 give. Di Pierro's program gives every ball
/// (mass 1, radius R = 0.5, gravity 0.01) the momentum (0.2, 0.2, 0) and the
/// angular momentum (0, 0, 0.04). That is a speed upwards, and the same
/// sideways, that lifts it by 4R, v = √(2g·4R), and the spin of a solid ball
/// that rolls at that speed, ⅖ m v R. Without gravity it moves by 4R in a
/// second.
pub fn kick(header: &Header, body: usize) -> Result<Command, String> {
    let info = movable(header, body)?;
    let (mass, radius) = (info.mass, header.bounding_radius(info));
    let (up, aside) = match header.up {
        Up::Y => (DVec3::Y, DVec3::Z),
        Up::Z => (DVec3::Z, -DVec3::Y),
    };
    let gravity = header.gravity.length();
    let lift = 4.0 * radius;
    let speed = match gravity > 0.0 {
        true => (2.0 * gravity * lift).sqrt(),
        false => lift,
    };
    Ok(Command::Kick {
        body,
        momentum: Some(mass * speed * (DVec3::X + up)),
        angular_momentum: Some(0.4 * mass * speed * radius * aside),
    })
}

/// How fast a hand brings a body to it, in 1/s.
const HASTE: f64 = 8.0;
/// At most so much of that in a step, for large steps stay stable then.
const HASTE_PER_STEP: f64 = 0.25;

/// Stiffness and damping of a hand at a point of a body: critical damping for
/// the mass that the point shows. A free body answers a force at a point like
/// a mass of 1/(1/m + r²/I), with the least moment I to be on the safe side.
pub fn hand(header: &Header, body: usize, point_body: DVec3) -> Result<(f64, f64), String> {
    let info = movable(header, body)?;
    let least = info.moments.min_element();
    let turning = match least > 0.0 {
        true => point_body.length_squared() / least,
        false => 0.0,
    };
    let mass = 1.0 / (1.0 / info.mass + turning);
    let haste = HASTE.min(HASTE_PER_STEP / header.step_seconds);
    Ok((mass * haste * haste, 2.0 * mass * haste))
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::scene::{LoadOptions, Scene};

    fn header(scene: &str) -> Header {
        let mut scene = Scene::load(scene, &LoadOptions::default()).unwrap();
        scene.build().unwrap().header
    }

    #[test]
    fn in_cylon_the_kick_is_that_of_di_pierros_program() {
        let command = kick(&header("cylon"), 2).unwrap();
        let Command::Kick {
            body,
            momentum: Some(p),
            angular_momentum: Some(l),
        } = command
        else {
            panic!("{command:?}");
        };
        assert_eq!(body, 2);
        assert!(p.distance(DVec3::new(0.2, 0.2, 0.0)) < 1e-9, "{p}");
        assert!(l.distance(DVec3::new(0.0, 0.0, 0.04)) < 1e-9, "{l}");
    }

    #[test]
    fn a_kick_moves_every_body_of_every_scene_by_about_its_size() {
        for scene in conatus_world::scene::library::SCENES {
            let header = header(scene.name);
            let free = header.bodies.iter().filter(|b| !b.scripted).count();
            for body in 0..free.min(9) {
                let Ok(Command::Kick {
                    momentum: Some(p), ..
                }) = kick(&header, body)
                else {
                    panic!("{}: no kick", scene.name);
                };
                let speed = p.length() / header.bodies[body].mass;
                assert!(speed > 0.0 && speed < 200.0, "{}: {speed}", scene.name);
            }
        }
    }

    /// Obstacles are no bodies of the world; to look one up there is a panic.
    #[test]
    fn what_the_scene_moves_and_what_is_not_there_is_refused_by_name() {
        let mut header = header("cylon");
        let mut obstacle = header.bodies[0].clone();
        (obstacle.name, obstacle.mass, obstacle.scripted) = ("funnel".into(), 0.0, true);
        header.bodies.push(obstacle);
        for body in 0..4 {
            assert!(kick(&header, body).is_ok());
        }
        let reasons = [
            kick(&header, 4).unwrap_err(),
            hand(&header, 4, DVec3::ZERO).unwrap_err(),
        ];
        for reason in reasons {
            assert!(reason.contains("`funnel`"), "{reason}");
        }
        for body in [5, usize::MAX] {
            let reason = kick(&header, body).unwrap_err();
            assert_eq!(reason, "there are only 4 bodies");
        }
    }

    #[test]
    fn a_hand_is_softer_away_from_the_centre_and_in_large_steps() {
        let mut header = header("cylon");
        let (centre, _) = hand(&header, 0, DVec3::ZERO).unwrap();
        let (edge, _) = hand(&header, 0, DVec3::X).unwrap();
        assert_eq!((centre, edge), (64.0, 32.0));
        header.step_seconds = 1.0;
        assert_eq!(hand(&header, 0, DVec3::ZERO), Ok((0.0625, 0.5)));
        assert!(hand(&header, 9, DVec3::ZERO).is_err());
    }
}
