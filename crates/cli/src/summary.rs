//! The report of a run as a few lines of text.

use crate::outputs::{Written, list_written};
use crate::terminal::escape;
use conatus_world::Report;
use conatus_world::motion::{MotionReport, cost};
use conatus_world::report::JointsReport;
use conatus_world::text::{counted, number};

/// Why the run itself failed, if it did: a message and what to do about it.
pub fn failure(report: &Report) -> Option<(String, &'static str)> {
    const SMALLER_STEP: &str = "a smaller time.step often helps";
    let quarantined = &report.rigid.quarantined;
    if !quarantined.is_empty() {
        let names = quarantined.join(", ");
        let text = format!("bodies were frozen because their numbers diverged: {names}");
        return Some((text, SMALLER_STEP));
    }
    let cloth = report.cloth.as_ref().and_then(|c| c.failure.as_ref());
    if let Some(why) = cloth {
        return Some((format!("the cloth simulation stopped: {why}"), SMALLER_STEP));
    }
    if let Some(motion) = report.motion.as_ref().filter(|m| m.interrupted) {
        let attempts = counted(motion.attempts.len(), "attempt", "attempts");
        return Some((
            format!("the search was stopped; the files hold the best movement of {attempts}"),
            "run the scene again to search to the end",
        ));
    }
    if report.interrupted {
        let text = format!("stopped after {} s", number(report.seconds));
        return Some((text, "`conatus run --resume` continues a recording"));
    }
    let motion = report.motion.as_ref()?;
    let why = motion.failure.as_ref()?;
    let attempts = counted(motion.attempts.len(), "attempt", "attempts");
    Some((
        format!("no movement within all thresholds was found; the best of {attempts}: {why}"),
        "another --seed, or more `motion.phases` or `motion.attempts` may help",
    ))
}

/// What a run did, and the files that it wrote.
pub fn summary(report: &Report, written: &[Written]) -> String {
    let mut text = format!(
        "{}: {} s in {}, {}; took {:.2} s\n",
        escape(&report.scene),
        number(report.seconds),
        counted(report.steps as usize, "step", "steps"),
        counted(report.frames as usize, "frame", "frames"),
        report.wall_seconds,
    );
    let has_bodies = report.rigid.bodies > 0;
    if has_bodies || report.cloth.is_some() {
        text += &energy(report);
    }
    if has_bodies {
        let rigid = &report.rigid;
        text += &format!("  {}", counted(rigid.bodies, "body", "bodies"));
        text += &match rigid.contacts_max {
            0 => ", no contacts\n".to_owned(),
            most => format!(
                ", at most {} in a step, largest penetration {:.1e} m\n",
                counted(most, "contact", "contacts"),
                rigid.max_penetration,
            ),
        };
        if let Some(joints) = &rigid.joints {
            text += &joint_line(joints);
        }
    }
    if let Some(cloth) = &report.cloth {
        text += &format!(
            "  cloth of {}: {}, {}, longest edge {:.3} of its rest length, {}\n",
            counted(cloth.vertices, "vertex", "vertices"),
            counted_or_none(cloth.collisions, "collision", "collisions"),
            match cloth.failsafe_calls {
                0 => "fail-safe not needed".to_owned(),
                calls => format!("fail-safe in {}", counted(calls as usize, "step", "steps")),
            },
            cloth.max_stretch,
            counted_or_none(cloth.intersections, "intersection", "intersections"),
        );
    }
    if let Some(motion) = &report.motion {
        text += &movement(motion);
    }
    text + &list_written(written)
}

fn joint_line(joints: &JointsReport) -> String {
    let mut text = format!(
        "  {}, largest error {:.1e} m, largest force {:.3e} N",
        counted(joints.count, "joint", "joints"),
        joints.max_error,
        joints.max_force,
    );
    if !joints.broken.is_empty() {
        text += &format!(", broken: {}", joints.broken.join(", "));
    }
    text + "\n"
}

fn energy(report: &Report) -> String {
    let energy = &report.energy;
    let mut text = format!(
        "  energy {} to {}, largest drift {:.1e}\n",
        joules(energy.start),
        joules(energy.end),
        energy.max_relative_drift,
    );
    if let Some(gained) = energy.unexplained {
        text += &format!(
            "  warning: energy grew by {} without a cause in the scene; a smaller time.step may help\n",
            joules(gained),
        );
    }
    text
}

fn movement(motion: &MotionReport) -> String {
    let mut text = format!(
        "  {}, {} found in {}, {:.1} s of processor time\n",
        counted(motion.characters, "character", "characters"),
        counted(motion.variables, "unknown", "unknowns"),
        counted(motion.attempts.len(), "attempt", "attempts"),
        motion.cpu_seconds,
    );
    if let Some(kept) = &motion.kept {
        let costs: Vec<String> = kept.iter().map(|k| cost(k.cost)).collect();
        text += &format!(
            "  {} of {} movements that are good and different; {}\n",
            kept.len(),
            motion.keep.unwrap_or(kept.len()),
            match costs.is_empty() {
                true => "this is the best attempt".to_owned(),
                false => format!("costs {}", costs.join(", ")),
            },
        );
    }
    let (percent, millimetres) = (100.0, 1000.0);
    let score = &motion.score;
    text += &format!(
        "  force residual at most {:.2}% of the weight, {:.3}% on average; contact drift {:.1} mm, limb error {:.1} mm, penetration {:.1} mm, goals missed by {:.1} mm{}\n",
        percent * score.true_residual_max_bw,
        percent * score.true_residual_mean_bw,
        millimetres * score.contact_drift_max,
        millimetres * score.limb_error_max,
        millimetres * score.penetration_max,
        millimetres * score.task_error,
        match score.torque_excess > 0.0 {
            true => format!(
                ", torques up to {:.0}% above the strength of a joint",
                percent * score.torque_excess
            ),
            false => String::new(),
        },
    );
    text + &contacts(motion)
}

/// How many contacts of a character the summary names.
const MAX_CONTACTS: usize = 3;

/// Which contacts carried each character: a line each, the largest first.
fn contacts(motion: &MotionReport) -> String {
    let mut characters: Vec<(&str, Vec<String>)> = Vec::new();
    for contact in &motion.contacts {
        // Contacts of objects have no part; those of characters name them.
        let Some(part) = &contact.part else {
            continue;
        };
        let text = format!(
            "{} on {} {:.0} N·s in {:.1} s",
            escape(part),
            escape(&contact.with),
            contact.impulse,
            contact.seconds
        );
        match characters
            .last_mut()
            .filter(|(name, _)| *name == contact.of)
        {
            Some((_, texts)) => texts.push(text),
            None => characters.push((&contact.of, vec![text])),
        }
    }
    let line = |(name, texts): &(&str, Vec<String>)| {
        let main = &texts[..texts.len().min(MAX_CONTACTS)];
        format!("  {}: {}\n", escape(name), main.join(", "))
    };
    characters.iter().map(line).collect()
}

/// `no collisions`, `1 collision`, `2 collisions`.
fn counted_or_none(count: u64, one: &str, many: &str) -> String {
    match count {
        0 => format!("no {many}"),
        count => counted(count as usize, one, many),
    }
}

/// An energy, short whatever its size.
fn joules(joules: f64) -> String {
    format!("{} J", number(joules))
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::motion::ContactReport;
    use conatus_world::report::{ClothReport, EnergyReport, RigidReport};

    fn report() -> Report {
        Report {
            scene: "cylon".into(),
            seconds: 60.0,
            steps: 3750,
            frames: 1876,
            wall_seconds: 0.5,
            energy: EnergyReport {
                start: 1.0,
                end: 0.5,
                max_relative_drift: 0.5,
                unexplained: None,
            },
            rigid: RigidReport {
                bodies: 4,
                contacts_max: 2,
                max_penetration: 0.001,
                quarantined: Vec::new(),
                joints: None,
            },
            ..Report::default()
        }
    }

    #[test]
    fn the_summary_describes_the_run_and_the_files() {
        let text = summary(&report(), &[("a.glb".into(), 12_345)]);
        assert_eq!(
            text,
            "cylon: 60 s in 3750 steps, 1876 frames; took 0.50 s\n\
             \x20 energy 1 J to 0.5 J, largest drift 5.0e-1\n\
             \x20 4 bodies, at most 2 contacts in a step, largest penetration 1.0e-3 m\n\
             \x20 wrote a.glb (12.3 kB)\n"
        );
    }

    #[test]
    fn kinds_of_bodies_that_a_scene_lacks_have_no_line() {
        let empty = Report::default();
        assert_eq!(summary(&empty, &[]).lines().count(), 1);
        let cloth = Report {
            cloth: Some(ClothReport {
                vertices: 1,
                ..ClothReport::default()
            }),
            ..Report::default()
        };
        let text = summary(&cloth, &[]);
        assert!(!text.contains("bod") && !text.contains("0 coll"), "{text}");
        assert!(text.contains("cloth of 1 vertex: no collisions"), "{text}");
        let mut alone = report();
        alone.rigid.contacts_max = 0;
        let text = summary(&alone, &[]);
        assert!(text.contains("  4 bodies, no contacts\n"), "{text}");
    }

    #[test]
    fn energy_without_a_cause_is_a_warning() {
        assert!(!summary(&report(), &[]).contains("warning"));
        let mut grown = report();
        grown.energy.unexplained = Some(79.0);
        let text = summary(&grown, &[]);
        assert!(text.contains("warning: energy grew by 79 J"), "{text}");
    }

    /// Steps add up to 4.999999999999999 s, and a stopped run reported exactly
    /// that to its user.
    #[test]
    fn seconds_are_rounded() {
        let stopped = Report {
            interrupted: true,
            seconds: 4.999999999999999,
            ..report()
        };
        let (message, _) = failure(&stopped).unwrap();
        assert_eq!(message, "stopped after 5 s");
        assert!(summary(&stopped, &[]).starts_with("cylon: 5 s in"));
    }

    #[test]
    fn the_summary_names_the_three_largest_contacts_of_each_character() {
        let contact = |of: &str, part: Option<&str>, impulse: f64| ContactReport {
            of: of.into(),
            part: part.map(str::to_owned),
            with: "ground".into(),
            seconds: 1.5,
            impulse,
        };
        let motion = MotionReport {
            contacts: vec![
                contact("ada", Some("left foot"), 400.0),
                contact("ada", Some("right foot"), 300.4),
                contact("ada", Some("left hand"), 20.0),
                contact("ada", Some("right hand"), 10.0),
                contact("bob", Some("seat"), 900.0),
                contact("parcel", None, 49.0),
            ],
            ..MotionReport::default()
        };
        assert_eq!(
            contacts(&motion),
            "  ada: left foot on ground 400 N·s in 1.5 s, right foot on ground 300 N·s in 1.5 s, \
             left hand on ground 20 N·s in 1.5 s\n  bob: seat on ground 900 N·s in 1.5 s\n"
        );
    }

    /// A scene and its bodies had escape sequences in their names, which took effect on
    /// the terminal when the summary was printed.
    #[test]
    fn control_characters_of_names_are_escaped() {
        let mut named = report();
        named.scene = "a\u{1b}[2J\nb".into();
        let text = summary(&named, &[("c\u{1b}.glb".into(), 1)]);
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(text.starts_with("a\\u{1b}[2J\\nb: 60 s"), "{text:?}");
    }
}
