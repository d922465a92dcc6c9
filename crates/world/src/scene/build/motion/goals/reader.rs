//! Reads one goal: from the keys of the scene file to the goal of the optimiser.

use super::super::short;
use super::Bodies;
use super::character::CharacterReader;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{GoalKindSpec, GoalSpec};
use conatus_math::DVec3;
use conatus_motion::surface::Surface;
use conatus_motion::{Goal, Subject};

/// The fastest that a goal may require a torso to move, in m/s.
const MAX_SPEED_M_S: f64 = 3.0;
/// The fastest that a goal may require a thrown object to move, in m/s.
const MAX_THROW_SPEED_M_S: f64 = 12.0;

/// Reads one goal.
pub(super) struct Reader<'a> {
    /// The goal as the scene file has it.
    pub spec: &'a GoalSpec,
    /// Its path in the scene file, for messages.
    pub path: &'a str,
    /// The character or object that it is about.
    pub subject: Subject,
    /// All characters and objects.
    pub bodies: Bodies<'a>,
    /// The surroundings.
    pub surfaces: &'a [Surface],
    /// The length of the movement.
    pub seconds: f64,
}

impl<'a> Reader<'a> {
    /// The goal for the optimiser; none if something is wrong with it.
    pub fn read(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        match self.subject {
            Subject::Character(number) => {
                let of = CharacterReader {
                    reader: self,
                    number,
                    start: &self.bodies.0[number],
                };
                of.read(diagnostics)
            }
            // Keys of other kinds were reported already.
            Subject::Object(_) => match self.spec.kind {
                GoalKindSpec::Position => self.position(diagnostics),
                _ => None,
            },
        }
    }

    /// The name of the character or object.
    pub fn name(&self) -> &'a str {
        match self.subject {
            Subject::Character(number) => &self.bodies.0[number].character.base.name,
            Subject::Object(number) => &self.bodies.1[number].object.base.name,
        }
    }

    /// Where its centre starts.
    pub fn start(&self) -> DVec3 {
        match self.subject {
            Subject::Character(number) => self.bodies.0[number].pose.torso.position,
            Subject::Object(number) => self.bodies.1[number].place.position,
        }
    }

    /// The value of a key that this kind of goal requires.
    pub fn required<T>(
        &self,
        value: Option<T>,
        key: &str,
        example: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        if value.is_none() {
            diagnostics.at(
                self.path,
                format!("the goal `{}` has no `{key}`", self.spec.kind.name()),
                format!("add for example {key} = {example}"),
            );
        }
        value
    }

    pub fn position(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        let place = self.spec.position.as_ref();
        let place = self.required(place, "position", "[2.5, 0]", diagnostics)?;
        let path = format!("{}.position", self.path);
        let Some(target) = place.coordinates() else {
            diagnostics.at(
                &path,
                format!("expected 2 or 3 numbers, found {}", place.count()),
                "give x and y, or x, y and the height of the torso's centre, or a table such as { z = 2 }",
            );
            return None;
        };
        let start = self.start();
        let to = DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k])));
        let time = self.spec.time;
        if let Some(time) = time {
            self.check_time(time, diagnostics)?;
        }
        let seconds = time.unwrap_or(self.seconds);
        self.check_speed(&path, start.distance(to), seconds, diagnostics)?;
        if target.iter().all(Option::is_some)
            && let Some(wall) = self.surfaces.iter().find(|s| s.distance(to).value < 0.0)
        {
            diagnostics.at(
                &path,
                format!("the goal is inside `{}`", wall.name),
                "give a free place; z is the height of the centre",
            );
            return None;
        }
        Some(Goal::Position {
            subject: self.subject,
            target,
            time,
            hold: self.hold(seconds, diagnostics)?,
            moving: self.spec.moving.unwrap_or(false),
        })
    }

    /// How long the goal is held before its time, in seconds.
    fn hold(&self, seconds: f64, diagnostics: &mut Diagnostics) -> Option<f64> {
        let hold = self.spec.hold.unwrap_or(0.0);
        if (0.0..seconds).contains(&hold) {
            return Some(hold);
        }
        diagnostics.at(
            &format!("{}.hold", self.path),
            format!("held for {} s of {} s", short(hold), short(seconds)),
            "give less: at the start the position is that of the start pose",
        );
        None
    }

    /// Rejects times that are not within the movement.
    pub fn check_time(&self, time: f64, diagnostics: &mut Diagnostics) -> Option<()> {
        if time > 0.0 && time <= self.seconds {
            return Some(());
        }
        diagnostics.at(
            &format!("{}.time", self.path),
            format!(
                "a goal at {} s, but the movement goes from 0 to {} s",
                short(time),
                short(self.seconds)
            ),
            "set an earlier time, or give more phases with `motion.phases`",
        );
        None
    }

    /// Rejects distances that need a higher speed than is plausible.
    pub fn check_speed(
        &self,
        path: &str,
        distance: f64,
        seconds: f64,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let max_speed = match self.spec.moving {
            Some(true) => MAX_THROW_SPEED_M_S,
            _ => MAX_SPEED_M_S,
        };
        if distance <= max_speed * seconds {
            return Some(());
        }
        diagnostics.at(
            path,
            format!(
                "the goal is {distance:.2} m away, and there are {} s: that needs more than {max_speed} m/s",
                short(seconds)
            ),
            "move it nearer, or give more phases with `motion.phases`",
        );
        None
    }
}
