//! The strength of kicks and drags, scaled by the mass and size of the body.

use conatus_math::DVec3;
use conatus_record::{BodyInfo, Header, Up};
use conatus_world::Command;

/// The body of this index, or why it can be neither kicked nor dragged. The
/// header lists scripted obstacles after all bodies of the world, where they are
/// not bodies.
pub fn movable_body(header: &Header, body: usize) -> Result<&BodyInfo, String> {
    let free = header.bodies.iter().filter(|b| !b.scripted).count();
    match header.bodies.get(body) {
        Some(info) if info.scripted => Err(format!(
            "`{}` is scripted: it can be neither kicked nor dragged.",
            info.name
        )),
        Some(info) if body < free => Ok(info),
        _ if free == 1 => Err("There is only one body.".into()),
        _ => Err(format!("There are only {free} bodies.")),
    }
}

/// The kick of the keys 1 to 9. Di Pierro's program gives every ball (mass 1,
/// radius R = 0.5, gravity 0.01) the momentum (0.2, 0.2, 0) and the angular
/// momentum (0, 0, 0.04). That is a speed upwards, and the same sideways, that
/// lifts the ball by 4R, v = √(2g·4R), and the spin of a solid ball that rolls
/// at that speed, ⅖ m v R. Without gravity the ball moves by 4R in a second.
pub fn kick_command(header: &Header, body: usize) -> Result<Command, String> {
    let info = movable_body(header, body)?;
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

/// The natural frequency of the drag spring, in rad/s.
const DRAG_FREQUENCY_RAD_S: f64 = 8.0;
/// The most radians of that per step, which keeps large steps stable.
const MAX_DRAG_RAD_PER_STEP: f64 = 0.25;

/// Stiffness and damping of the spring that drags a point of a body: critical
/// damping for the effective mass at that point. A free body responds to a
/// force at a point like a mass of 1/(1/m + r²/I), with the smallest moment I
/// as a bound.
pub fn drag_spring(header: &Header, body: usize, point_body: DVec3) -> Result<(f64, f64), String> {
    let info = movable_body(header, body)?;
    let moment = info.moments.min_element();
    let turning = match moment > 0.0 {
        true => point_body.length_squared() / moment,
        false => 0.0,
    };
    let mass = 1.0 / (1.0 / info.mass + turning);
    let frequency = DRAG_FREQUENCY_RAD_S.min(MAX_DRAG_RAD_PER_STEP / header.step_seconds);
    Ok((mass * frequency * frequency, 2.0 * mass * frequency))
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::scene::{LoadOptions, Scene};

    fn header(scene: &str) -> Header {
        let scene = Scene::load(scene, &LoadOptions::default()).unwrap();
        scene.build().unwrap().header
    }

    #[test]
    fn in_cylon_the_kick_is_that_of_di_pierros_program() {
        let command = kick_command(&header("cylon"), 2).unwrap();
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
                }) = kick_command(&header, body)
                else {
                    panic!("{}: no kick", scene.name);
                };
                let speed = p.length() / header.bodies[body].mass;
                assert!(speed > 0.0 && speed < 200.0, "{}: {speed}", scene.name);
            }
        }
    }

    /// Looking up an obstacle among the bodies of the world would panic.
    #[test]
    fn scripted_and_missing_bodies_are_refused_by_name() {
        let mut header = header("cylon");
        let mut obstacle = header.bodies[0].clone();
        (obstacle.name, obstacle.mass, obstacle.scripted) = ("funnel".into(), 0.0, true);
        header.bodies.push(obstacle);
        for body in 0..4 {
            assert!(kick_command(&header, body).is_ok());
        }
        let reasons = [
            kick_command(&header, 4).unwrap_err(),
            drag_spring(&header, 4, DVec3::ZERO).unwrap_err(),
        ];
        for reason in reasons {
            assert!(reason.contains("`funnel`"), "{reason}");
        }
        for body in [5, usize::MAX] {
            let reason = kick_command(&header, body).unwrap_err();
            assert_eq!(reason, "There are only 4 bodies.");
        }
    }

    #[test]
    fn the_drag_spring_is_softer_away_from_the_centre_and_in_large_steps() {
        let mut header = header("cylon");
        let (centre, _) = drag_spring(&header, 0, DVec3::ZERO).unwrap();
        let (edge, _) = drag_spring(&header, 0, DVec3::X).unwrap();
        assert_eq!((centre, edge), (64.0, 32.0));
        header.step_seconds = 1.0;
        assert_eq!(drag_spring(&header, 0, DVec3::ZERO), Ok((0.0625, 0.5)));
        assert!(drag_spring(&header, 9, DVec3::ZERO).is_err());
    }
}
