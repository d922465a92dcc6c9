//! Changes of contact variables between stages.

use crate::costs::task::{Feature, MIN_REQUIRED_CONTACT, TaskTerm};
use crate::program::{Against, Program};
use crate::score::MIN_ACTIVE_CONTACT;
use conatus_math::DVec3;
use std::collections::BTreeSet;

/// An object that moves less than this in a phase has stopped, in metres.
const STOPPED_DISTANCE_M: f64 = 5e-3;

/// Makes every contact that is active firm, and switches the others off: c = 0 stays
/// zero, because its gradient vanishes. From then on no force comes from a contact that
/// is half active.
pub(super) fn decide_contacts(program: &Program, x: &mut [f64]) {
    let layout = &program.layout;
    for phase in 0..layout.phases {
        for contact in 0..layout.contacts {
            let a = &mut x[layout.contact(phase, contact)];
            *a = if *a * *a > MIN_ACTIVE_CONTACT {
                a.abs().max(MIN_REQUIRED_CONTACT.sqrt())
            } else {
                0.0
            };
        }
    }
}

/// Keeps the contacts that push a sliding object until it stops. An object that slides
/// on after the last push stops at a time that no spline represents. Returns the
/// program with these contacts required.
pub(super) fn extend_push_until_object_stops(program: &Program, x: &mut [f64]) -> Program {
    let layout = &program.layout;
    let mut extended = program.clone();
    let sliding: BTreeSet<usize> = (program.contacts.iter())
        .filter(|c| c.slides)
        .map(|c| c.body)
        .collect();
    for object in sliding {
        let frame = program.base_frames[object];
        let position = |x: &[f64], knot: usize| match layout.frame(knot, frame) {
            Some(at) => DVec3::from_slice(&x[at..]),
            None => layout.start[frame].position,
        };
        let on_it = |i: &usize| match program.contacts[*i].against {
            Against::Solid(s) => program.solids[s].carrier == Some((object, frame)),
            Against::Surroundings => false,
        };
        let pushes: Vec<usize> = (0..layout.contacts).filter(on_it).collect();
        for phase in 1..layout.phases {
            let knots = [phase, phase + 1].map(|p| p * layout.segments);
            let [from, to] = knots.map(|knot| position(x, knot));
            let is_active = |x: &[f64], p: usize, i: usize| {
                x[layout.contact(p, i)].powi(2) > MIN_ACTIVE_CONTACT
            };
            if from.distance(to) < STOPPED_DISTANCE_M
                || pushes.iter().any(|&i| is_active(x, phase, i))
            {
                continue;
            }
            for &contact in &pushes {
                if !is_active(x, phase - 1, contact) {
                    continue;
                }
                x[layout.contact(phase, contact)] = MIN_REQUIRED_CONTACT.sqrt();
                extended.task_terms.push(TaskTerm {
                    moment: layout.moment(phase * layout.segments, 0.5, 1.0),
                    feature: Feature::Hold { contact },
                    weight: program.weights.task,
                    excluded_from_score: true,
                    is_guide: false,
                });
            }
        }
    }
    extended
}
