//! The initial guess of an attempt: the start state held still, with a few changes
//! that help the search.

use crate::costs::task::{Feature, MIN_REQUIRED_CONTACT};
use crate::program::{Against, Anchor, Program};
use crate::score::touches;
use crate::variables::FRAME;
use conatus_math::{DMat3, DVec3};
use rand::RngExt;
use rand_pcg::Pcg64;

/// The contact variable a of torso patches that are inactive at the start.
pub(super) const INACTIVE_CONTACT_VARIABLE: f64 = 0.3;

/// How far a character that has to turn over is bent at the end of the initial guess,
/// in radians.
pub(super) const INITIAL_BEND_RAD: f64 = 1.0;

/// The initial guess.
pub(super) fn guess(program: &Program) -> Vec<f64> {
    let mut x = program.layout.still();
    bend_forwards(program, &mut x);
    weaken_inactive_torso_contacts(program, &mut x);
    initialise_required_contacts(program, &mut x);
    x
}

/// Adds normally distributed noise to all unknowns.
pub(super) fn add_noise(x: &mut [f64], deviation: f64, random: &mut Pcg64) {
    for value in x {
        *value += deviation * normal(random);
    }
}

/// A number of the normal distribution: Box and Muller's method.
fn normal(random: &mut Pcg64) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    let (_, cos) = conatus_math::sincos(std::f64::consts::TAU * v);
    (-2.0 * libm::log(1.0 - u)).sqrt() * cos
}

/// Gives a small contact variable to torso patches that neither touch at the start nor
/// have to touch at the end: otherwise every movement would begin by falling on back,
/// belly and seat at once. It is not zero, because the gradient is zero there. The same
/// holds for knees, and for contacts with objects and other characters except those of
/// hands with objects.
fn weaken_inactive_torso_contacts(program: &Program, x: &mut [f64]) {
    let start = program.start_state();
    for (i, contact) in program.contacts.iter().enumerate() {
        let required = program.task_terms.iter().any(|term| match term.feature {
            Feature::Touch { contact } => contact == i,
            _ => false,
        });
        let stays_active = match (contact.anchor, contact.against) {
            (Anchor::Patch, Against::Surroundings) => contact.limb.is_some(),
            (Anchor::Patch, Against::Solid(s)) => {
                let carrier = program.solids[s].carrier;
                let on_object = carrier.is_some_and(|(body, _)| program.is_object(body));
                contact.grasps && (on_object || contact.cone.is_none())
            }
            _ => false,
        };
        if !stays_active && !required && touches(program, &start, i).is_none() {
            for phase in 0..program.layout.phases {
                x[program.layout.contact(phase, i)] = INACTIVE_CONTACT_VARIABLE;
            }
        }
    }
}

/// Makes contacts firm in the phases in which a goal requires them to hold.
fn initialise_required_contacts(program: &Program, x: &mut [f64]) {
    let layout = &program.layout;
    for term in &program.task_terms {
        if let Feature::Hold { contact } = term.feature {
            x[layout.contact(term.moment.phase, contact)] = MIN_REQUIRED_CONTACT.sqrt();
        }
    }
}

/// Bends torsos forwards that have to point opposite to their start direction: all
/// ways to turn are equally long there, so the gradient is zero. Characters can bend
/// forwards best. Limbs that have to reverse their direction turn along.
fn bend_forwards(program: &Program, x: &mut [f64]) {
    let layout = &program.layout;
    let start = program.start_state();
    let opposite = |a: DVec3, b: DVec3| a.dot(b) < -0.9 * a.length() * b.length();
    for term in &program.task_terms {
        let Feature::Axis {
            frame,
            local,
            target,
        } = term.feature
        else {
            continue;
        };
        let (centre, matrix) = (
            layout.start[frame].position,
            layout.start[frame].orientation,
        );
        if !program.is_base[frame] || !opposite(matrix * local, target) {
            continue;
        }
        let mut turning = vec![frame];
        for other in &program.task_terms {
            if let Feature::Limb { limb, target } = other.feature
                && program.limbs[limb].torso == frame
                && opposite(start.limbs[limb].tip - start.limbs[limb].base, target)
            {
                turning.push(program.limbs[limb].effector);
            }
        }
        for knot in 1..=layout.blocks() {
            let share = knot as f64 / layout.blocks() as f64;
            let turn = matrix.y_axis * (INITIAL_BEND_RAD * share);
            let rotation = DMat3::from_axis_angle(matrix.y_axis, INITIAL_BEND_RAD * share);
            for &frame in &turning {
                let at = layout.block_start(knot - 1) + frame * FRAME;
                let place = centre + rotation * (layout.start[frame].position - centre);
                x[at..at + 3].copy_from_slice(&place.to_array());
                x[at + 3..at + 6].copy_from_slice(&turn.to_array());
            }
        }
    }
}
