//! Reads goals that only characters have: standing, sitting, crawling, facing and
//! striking.

use super::reader::Reader;
use crate::scene::build::check;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::GoalKindSpec;
use conatus_math::DVec3;
use conatus_motion::{CharacterStart, Goal};

/// Reads one goal of a character.
pub(super) struct CharacterReader<'a> {
    /// What all goals have in common.
    pub reader: &'a Reader<'a>,
    /// The index of the character,
    pub number: usize,
    /// and the state in which it starts.
    pub start: &'a CharacterStart,
}

impl CharacterReader<'_> {
    /// The goal for the optimiser; none if something is wrong with it.
    pub fn read(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        let (spec, character) = (self.reader.spec, self.number);
        match spec.kind {
            GoalKindSpec::Stand => Some(Goal::Stand {
                character,
                on: self.limbs("on", spec.on.as_deref(), Some("leg"), diagnostics)?,
                up: self.limbs("up", spec.up.as_deref(), None, diagnostics)?,
                upside_down: false,
            }),
            GoalKindSpec::Handstand => Some(Goal::Stand {
                character,
                on: self.limbs("on", spec.on.as_deref(), Some("arm"), diagnostics)?,
                up: self.limbs("up", spec.up.as_deref(), Some("leg"), diagnostics)?,
                upside_down: true,
            }),
            GoalKindSpec::Sit => {
                let height = spec.height.unwrap_or(self.start.character.seat_height());
                let path = format!("{}.height", self.reader.path);
                check::positive(diagnostics, &path, "the height", height);
                Some(Goal::Sit {
                    character,
                    height,
                    forwards: self.limbs(
                        "forwards",
                        spec.forwards.as_deref(),
                        Some("leg"),
                        diagnostics,
                    )?,
                })
            }
            GoalKindSpec::Crawl => {
                let height = spec.height.unwrap_or(self.start.pose.torso.position.z);
                let path = format!("{}.height", self.reader.path);
                check::positive(diagnostics, &path, "the height", height);
                let names = self.start.character.limbs.iter().map(|l| l.name.clone());
                let all: Vec<String> = names.collect();
                let on = spec.on.as_deref().unwrap_or(&all);
                Some(Goal::Crawl {
                    character,
                    height,
                    on: self.limbs("on", Some(on), None, diagnostics)?,
                })
            }
            GoalKindSpec::Position => self.reader.position(diagnostics),
            GoalKindSpec::Facing => self.facing(diagnostics),
            GoalKindSpec::Strike => self.strike(diagnostics),
        }
    }

    /// The limbs with the given names; without names, all limbs whose name contains
    /// `word`.
    fn limbs(
        &self,
        key: &str,
        given: Option<&[String]>,
        word: Option<&str>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<usize>> {
        let names = || self.start.character.limbs.iter().map(|l| l.name.as_str());
        let Some(given) = given else {
            let Some(word) = word else {
                return Some(Vec::new());
            };
            let limbs = names().enumerate().filter(|(_, name)| name.contains(word));
            let limbs: Vec<usize> = limbs.map(|(k, _)| k).collect();
            if limbs.is_empty() {
                let known: Vec<&str> = names().collect();
                diagnostics.at(
                    self.reader.path,
                    format!(
                        "no limb of `{}` has `{word}` in its name",
                        self.start.character.base.name
                    ),
                    format!("name limbs in `{key}`; there are {}", known.join(", ")),
                );
                return None;
            }
            return Some(limbs);
        };
        let mut found = Vec::new();
        for (k, name) in given.iter().enumerate() {
            found.push(self.limb(
                &format!("{}.{key}[{k}]", self.reader.path),
                name,
                diagnostics,
            )?);
        }
        if found.is_empty() && word.is_some() && key == "on" {
            diagnostics.at(
                &format!("{}.on", self.reader.path),
                "`on` is empty: standing needs a limb",
                "name at least one limb, or leave `on` out",
            );
            return None;
        }
        Some(found)
    }

    fn limb(&self, path: &str, name: &str, diagnostics: &mut Diagnostics) -> Option<usize> {
        let found = self.start.character.limb(name);
        if found.is_none() {
            let names = self.start.character.limbs.iter().map(|l| l.name.as_str());
            let near = match nearest(name, names.clone()) {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            let all: Vec<&str> = names.collect();
            diagnostics.at(
                path,
                format!("`{}` has no limb `{name}`", self.start.character.base.name),
                format!("{near}its limbs are {}", all.join(", ")),
            );
        }
        found
    }

    fn facing(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        let keys = [
            ("direction", self.reader.spec.direction.is_some()),
            ("heading", self.reader.spec.heading.is_some()),
        ];
        check::at_most_one(diagnostics, self.reader.path, &keys);
        let turned = self.reader.spec.heading.map(|degrees| {
            let (sin, cos) = conatus_math::sincos(degrees.to_radians());
            [cos, sin]
        });
        let direction = self.reader.spec.direction.or(turned);
        let [x, y] = self
            .reader
            .required(direction, "direction", "[0, 1]", diagnostics)?;
        let path = format!("{}.direction", self.reader.path);
        let before = diagnostics.len();
        let direction = check::direction(diagnostics, &path, "the direction", [x, y, 0.0]);
        (diagnostics.len() == before).then_some(Goal::Facing {
            character: self.number,
            direction,
        })
    }

    fn strike(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        let spec = self.reader.spec;
        let name =
            self.reader
                .required(spec.limb.as_deref(), "limb", "\"right arm\"", diagnostics)?;
        let limb = self.limb(&format!("{}.limb", self.reader.path), name, diagnostics)?;
        let time = self
            .reader
            .required(spec.time, "time", "1.5", diagnostics)?;
        self.reader.check_time(time, diagnostics)?;
        let place = spec.position.as_ref();
        let place = self
            .reader
            .required(place, "position", "[0.6, 0, 1.4]", diagnostics)?;
        let path = format!("{}.position", self.reader.path);
        let Some([Some(x), Some(y), Some(z)]) = place.coordinates() else {
            diagnostics.at(
                &path,
                format!("expected 3 numbers, found {}", place.count()),
                "give x, y and z of the point to strike",
            );
            return None;
        };
        let position = DVec3::new(x, y, z);
        let reach = self.start.character.limbs[limb].reach()
            + self.start.character.base.half_extents.length();
        let distance = self.start.pose.torso.position.distance(position) - reach;
        self.reader
            .check_speed(&path, distance, time, diagnostics)?;
        Some(Goal::Strike {
            character: self.number,
            limb,
            time,
            position,
            velocity: spec.velocity.unwrap_or_default().into(),
        })
    }
}
