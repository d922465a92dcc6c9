//! `[[goal]]`: what is to be reached.

use super::short;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{GoalKindSpec, GoalSpec, SceneFile};
use conatus_math::DVec3;
use conatus_motion::surface::Surface;
use conatus_motion::{CharacterStart, Goal, ObjectStart, Subject};
use conatus_record::clip::{Target, TargetKind};

/// Nobody gets along faster, in m/s.
const FASTEST: f64 = 3.0;
/// and nobody throws anything faster.
const THROWN: f64 = 12.0;

/// The characters and the objects of a scene.
type Bodies<'a> = (&'a [CharacterStart], &'a [ObjectStart]);

/// All goals: what the optimiser is told, their names in messages, and what is
/// shown of them.
pub fn build(
    file: &SceneFile,
    bodies: Bodies,
    surfaces: &[Surface],
    seconds: f64,
    diagnostics: &mut Diagnostics,
) -> (Vec<Goal>, Vec<String>, Vec<Target>) {
    let (mut goals, mut names, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for (i, spec) in file.goal.iter().enumerate() {
        let path = format!("goal[{i}]");
        check_keys(spec, &path, diagnostics);
        let Some(subject) = find(spec, bodies, &path, diagnostics) else {
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

/// Keys that the goal's kind does not have.
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

/// Who is meant.
fn find(
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
            "the goal does not say whose it is",
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

/// Which object is meant.
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
            "the goal is about a character and about a thing",
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
            format!("there is no thing `{name}`"),
            help,
        );
    }
    found
}

/// Reads one goal.
struct Reader<'a> {
    spec: &'a GoalSpec,
    path: &'a str,
    subject: Subject,
    bodies: Bodies<'a>,
    surfaces: &'a [Surface],
    seconds: f64,
}

impl<'a> Reader<'a> {
    fn read(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
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
    fn name(&self) -> &'a str {
        match self.subject {
            Subject::Character(number) => &self.bodies.0[number].character.base.name,
            Subject::Object(number) => &self.bodies.1[number].object.base.name,
        }
    }

    /// Where its centre starts.
    fn start(&self) -> DVec3 {
        match self.subject {
            Subject::Character(number) => self.bodies.0[number].pose.torso.position,
            Subject::Object(number) => self.bodies.1[number].place.position,
        }
    }

    /// A key that this goal cannot do without.
    fn needed<T>(
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

    fn position(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        let place = self.spec.position.as_deref();
        let place = self.needed(place, "position", "[2.5, 0]", diagnostics)?;
        let path = format!("{}.position", self.path);
        let target = match *place {
            [x, y] => [Some(x), Some(y), None],
            [x, y, z] => [Some(x), Some(y), Some(z)],
            _ => {
                diagnostics.at(
                    &path,
                    format!("a place of {} numbers", place.len()),
                    "give x and y, or x, y and the height of the torso's centre",
                );
                return None;
            }
        };
        let start = self.start();
        let to = DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k])));
        let time = self.spec.time;
        if let Some(time) = time {
            self.within_time(time, diagnostics)?;
        }
        let seconds = time.unwrap_or(self.seconds);
        self.within_reach(&path, start.distance(to), seconds, diagnostics)?;
        if place.len() == 3
            && let Some(wall) = self.surfaces.iter().find(|s| s.distance(to).value < 0.0)
        {
            diagnostics.at(
                &path,
                format!("the goal is inside of `{}`", wall.name),
                "give a place where there is room; z is the height of the centre",
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

    /// For how long a goal is held before its time.
    fn hold(&self, seconds: f64, diagnostics: &mut Diagnostics) -> Option<f64> {
        let hold = self.spec.hold.unwrap_or(0.0);
        if (0.0..seconds).contains(&hold) {
            return Some(hold);
        }
        diagnostics.at(
            &format!("{}.hold", self.path),
            format!("to be there for {} s of {} s", short(hold), short(seconds)),
            "give less: at the start everybody is where they start",
        );
        None
    }

    /// Whether a moment is in the movement.
    fn within_time(&self, time: f64, diagnostics: &mut Diagnostics) -> Option<()> {
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
            "ask for it earlier, or give more phases with `motion.phases`",
        );
        None
    }

    fn within_reach(
        &self,
        path: &str,
        far: f64,
        seconds: f64,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let fastest = match self.spec.moving {
            Some(true) => THROWN,
            _ => FASTEST,
        };
        if far <= fastest * seconds {
            return Some(());
        }
        diagnostics.at(
            path,
            format!(
                "the goal is {:.2} m away, and there are {} s: farther than {fastest} m/s get anybody",
                far,
                short(seconds)
            ),
            "bring it nearer, or give more phases with `motion.phases`",
        );
        None
    }

    /// What is shown of a goal.
    fn target(&self, goal: &Goal, before: &[Goal]) -> Option<Target> {
        let name = format!("{} of {}", self.spec.kind.name(), self.name());
        let start = self.start();
        let of = self.name().to_owned();
        Some(match goal {
            Goal::Stand { .. } | Goal::Crawl { .. } => return None,
            Goal::Sit { height, .. } => Target {
                name,
                kind: TargetKind::Height,
                position: DVec3::new(start.x, start.y, *height),
                direction: None,
                time: self.seconds,
                of,
            },
            Goal::Position { target, time, .. } => Target {
                name,
                kind: TargetKind::Position,
                position: DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k]))),
                direction: None,
                time: time.unwrap_or(self.seconds),
                of,
            },
            Goal::Facing { direction, .. } => {
                // Where it will be, as far as that is known.
                let place = before.iter().rev().find_map(|goal| match goal {
                    Goal::Position {
                        subject,
                        target,
                        time: None,
                        ..
                    } if *subject == self.subject => {
                        Some([0, 1, 2].map(|k| target[k].unwrap_or(start[k])))
                    }
                    _ => None,
                });
                Target {
                    name,
                    kind: TargetKind::Direction,
                    position: place.map_or(start, DVec3::from_array),
                    direction: Some(*direction),
                    time: self.seconds,
                    of,
                }
            }
            Goal::Strike {
                character,
                limb,
                time,
                position,
                velocity,
            } => Target {
                name,
                kind: TargetKind::Strike,
                position: *position,
                direction: velocity.try_normalize(),
                time: *time,
                of: self.bodies.0[*character].character.limbs[*limb]
                    .effector
                    .name
                    .clone(),
            },
        })
    }
}

/// Reads one goal of a character.
struct CharacterReader<'a> {
    reader: &'a Reader<'a>,
    number: usize,
    start: &'a CharacterStart,
}

impl CharacterReader<'_> {
    fn read(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
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
                crate::scene::build::check::positive(diagnostics, &path, "the height", height);
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
                crate::scene::build::check::positive(diagnostics, &path, "the height", height);
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

    /// Limbs by name, or all whose name has a word in it.
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
                        "no limb of `{}` is called a {word}",
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
                "nobody can stand on nothing",
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
        crate::scene::build::check::at_most_one(diagnostics, self.reader.path, &keys);
        let turned = self.reader.spec.heading.map(|degrees| {
            let (sin, cos) = conatus_math::sincos(degrees.to_radians());
            [cos, sin]
        });
        let direction = self.reader.spec.direction.or(turned);
        let [x, y] = self
            .reader
            .needed(direction, "direction", "[0, 1]", diagnostics)?;
        let path = format!("{}.direction", self.reader.path);
        let before = diagnostics.len();
        let direction =
            crate::scene::build::check::direction(diagnostics, &path, "the direction", [x, y, 0.0]);
        (diagnostics.len() == before).then_some(Goal::Facing {
            character: self.number,
            direction,
        })
    }

    fn strike(&self, diagnostics: &mut Diagnostics) -> Option<Goal> {
        let spec = self.reader.spec;
        let name =
            self.reader
                .needed(spec.limb.as_deref(), "limb", "\"right arm\"", diagnostics)?;
        let limb = self.limb(&format!("{}.limb", self.reader.path), name, diagnostics)?;
        let time = self.reader.needed(spec.time, "time", "1.5", diagnostics)?;
        self.reader.within_time(time, diagnostics)?;
        let place = spec.position.as_deref();
        let place = self
            .reader
            .needed(place, "position", "[0.6, 0, 1.4]", diagnostics)?;
        let path = format!("{}.position", self.reader.path);
        let [x, y, z] = *place else {
            diagnostics.at(
                &path,
                format!("a place of {} numbers", place.len()),
                "a strike is somewhere in space: give x, y and z",
            );
            return None;
        };
        let position = DVec3::new(x, y, z);
        let reach = self.start.character.limbs[limb].reach()
            + self.start.character.base.half_extents.length();
        let far = self.start.pose.torso.position.distance(position) - reach;
        self.reader.within_reach(&path, far, time, diagnostics)?;
        Some(Goal::Strike {
            character: self.number,
            limb,
            time,
            position,
            velocity: spec.velocity.unwrap_or_default().into(),
        })
    }
}
