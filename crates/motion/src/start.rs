//! The state in which a movement starts: poses and velocities of all characters and
//! objects.
//!
//! A movement starts at rest by default. With velocities it can continue another
//! movement from any time of that ([`Problem::continued_from`]).
//!
//! [`Problem::continued_from`]: crate::Problem::continued_from

use crate::character::{Character, CharacterPose, Placement};
use crate::object::Object;
use crate::problem::{Goal, Problem};
use crate::program::Program;
use crate::score::MIN_ACTIVE_CONTACT;
use crate::variables::{FrameState, MotionState};
use conatus_math::DVec3;

/// Linear and angular velocity of a frame, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// The velocity of the frame's origin, in m/s.
    pub linear: DVec3,
    /// The angular velocity, in rad/s.
    pub angular: DVec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self {
        linear: DVec3::ZERO,
        angular: DVec3::ZERO,
    };
}

/// The rate of change of a [`CharacterPose`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseVelocity {
    /// Of the torso.
    pub torso: Twist,
    /// Of the effectors, in the order of the limbs. Effectors beyond the end of the
    /// list are at rest.
    pub effectors: Vec<Twist>,
}

impl PoseVelocity {
    /// Whether nothing moves.
    pub fn is_at_rest(&self) -> bool {
        let mut all = self.effectors.iter().chain([&self.torso]);
        all.all(|twist| *twist == Twist::ZERO)
    }
}

/// A character with the state in which it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterStart {
    /// The character.
    pub character: Character,
    /// Where its torso and its effectors are.
    pub pose: CharacterPose,
    /// How fast they move.
    pub velocity: PoseVelocity,
    /// For a movement that does not start at rest: the names of the contacts of this
    /// character that stay in use for the whole first phase. Contacts that carry a
    /// movement that starts at rest are found without it.
    pub held_contacts: Vec<String>,
}

impl CharacterStart {
    /// A character that starts at rest.
    pub fn at_rest(character: Character, pose: CharacterPose) -> Self {
        Self {
            character,
            pose,
            velocity: PoseVelocity::default(),
            held_contacts: Vec::new(),
        }
    }
}

/// An object with the state in which it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectStart {
    /// The object.
    pub object: Object,
    /// Where it is.
    pub place: Placement,
    /// How fast it moves.
    pub velocity: Twist,
    /// As for characters: the names of its contacts with the surroundings that stay in
    /// use for the whole first phase.
    pub held_contacts: Vec<String>,
}

impl ObjectStart {
    /// An object that starts at rest.
    pub fn at_rest(object: Object, place: Placement) -> Self {
        Self {
            object,
            place,
            velocity: Twist::ZERO,
            held_contacts: Vec::new(),
        }
    }
}

impl Problem {
    /// Whether all characters and objects start at rest.
    pub fn starts_at_rest(&self) -> bool {
        let mut characters = self.characters.iter();
        let mut objects = self.objects.iter();
        characters.all(|c| c.velocity.is_at_rest()) && objects.all(|o| o.velocity == Twist::ZERO)
    }

    /// The rest of this problem from a time on: it starts in the state that the movement
    /// with the unknowns `x` has at that time, and ends when this problem ends.
    ///
    /// `program` is that of this problem. Goals whose time is over are left out. Phases
    /// keep about their length. Contacts that the movement uses for as long as the new
    /// first phase lasts are held for that phase.
    pub fn continued_from(&self, program: &Program, x: &[f64], time: f64) -> Self {
        let layout = &program.layout;
        let time = time.clamp(0.0, layout.seconds() - layout.segment_seconds());
        let rest = self.after(time);
        let mut state = MotionState::default();
        program.update_state(x, &layout.moment_at(time), &mut state);
        let held = held_contacts(program, x, time, rest.phase_seconds);
        let names = |body: usize| {
            let own = held.iter().map(|&i| &program.contacts[i]);
            own.filter(|c| c.body == body)
                .map(|c| c.name.clone())
                .collect()
        };
        let characters = self.characters.iter().enumerate().map(|(c, before)| {
            let mut twists = program.frames_of(c).map(|f| twist(&state.frames[f]));
            CharacterStart {
                character: before.character.clone(),
                pose: program.pose(&state, c),
                velocity: PoseVelocity {
                    torso: twists.next().unwrap_or_default(),
                    effectors: twists.collect(),
                },
                held_contacts: names(c),
            }
        });
        let objects = self.objects.iter().enumerate().map(|(k, before)| {
            let body = self.characters.len() + k;
            let frame = &state.frames[program.base_frames[body]];
            ObjectStart {
                object: before.object.clone(),
                place: Placement {
                    position: frame.position,
                    orientation: frame.matrix,
                },
                velocity: twist(frame),
                held_contacts: names(body),
            }
        });
        Self {
            characters: characters.collect(),
            objects: objects.collect(),
            ..rest
        }
    }

    /// The same problem without its first `time` seconds. It ends when this one ends,
    /// phases keep about their length, and goals whose time is over are left out. The
    /// start is still that of this problem: replace it by the state at that time.
    pub fn after(&self, time: f64) -> Self {
        let left = self.phases as f64 * self.phase_seconds - time;
        let phases = (left / self.phase_seconds).round().max(1.0);
        Self {
            phases: phases as usize,
            phase_seconds: left / phases,
            goals: (self.goals.iter())
                .filter_map(|goal| goal.after(time, left))
                .collect(),
            ..self.clone()
        }
    }
}

fn twist(frame: &FrameState) -> Twist {
    Twist {
        linear: frame.velocity,
        angular: frame.omega,
    }
}

/// The contacts that are active in all phases between a time and `seconds` after it.
fn held_contacts(program: &Program, x: &[f64], time: f64, seconds: f64) -> Vec<usize> {
    /// Times closer than this are the same, in seconds.
    const SAME_TIME_S: f64 = 1e-9;
    let layout = &program.layout;
    let phase_at = |time: f64| {
        let phase = (time / layout.phase_seconds).floor().max(0.0) as usize;
        phase.min(layout.phases - 1)
    };
    let phases = phase_at(time + SAME_TIME_S)..=phase_at(time + seconds - SAME_TIME_S);
    let is_active = |phase: usize, i: usize| {
        let a = x[layout.contact(phase, i)];
        a * a > MIN_ACTIVE_CONTACT
    };
    (0..layout.contacts)
        .filter(|&i| phases.clone().all(|phase| is_active(phase, i)))
        .collect()
}

impl Goal {
    /// The goal of a movement that begins `time` later and lasts `left` seconds; none if
    /// its time is over.
    pub fn after(&self, time: f64, left: f64) -> Option<Self> {
        let mut goal = self.clone();
        match &mut goal {
            Self::Position { time: at, hold, .. } => {
                if let Some(at) = at {
                    *at -= time;
                    if *at <= 0.0 {
                        return None;
                    }
                }
                // A goal cannot be held before the start.
                let until = at.unwrap_or(left);
                *hold = hold.min(until);
            }
            Self::Strike { time: at, .. } => {
                *at -= time;
                if *at <= 0.0 {
                    return None;
                }
            }
            Self::Stand { .. } | Self::Sit { .. } | Self::Crawl { .. } | Self::Facing { .. } => {}
        }
        Some(goal)
    }
}
