//! Shared helpers for tests of characters.

use conatus_math::DVec3;
use conatus_motion::character::built_in;
use conatus_motion::costs::physics::PhysicsMemory;
use conatus_motion::costs::{TermWeights, evaluate_running_costs};
use conatus_motion::inverse_dynamics::Vector6;
use conatus_motion::surface::Surface;
use conatus_motion::variables::{CostSum, MotionState};
use conatus_motion::{CharacterStart, CostWeights, Effort, Goal, Problem, Program, Subject};

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A standing human with the goal to stand 2.5 m ahead.
pub fn walk() -> Problem {
    let description = built_in("human").expect("there is a human");
    let human = description
        .build("human")
        .expect("the description is valid");
    let pose = description
        .build_pose(&human, "standing")
        .expect("the pose exists");
    let feet = vec![
        human.limb("left leg").expect("the left leg exists"),
        human.limb("right leg").expect("the right leg exists"),
    ];
    Problem {
        characters: vec![CharacterStart::at_rest(human, pose)],
        objects: Vec::new(),
        surfaces: vec![Surface::ground()],
        gravity: DVec3::new(0.0, 0.0, -9.81),
        phases: 10,
        phase_seconds: 0.5,
        segments: 2,
        goals: vec![
            Goal::Stand {
                character: 0,
                on: feet,
                up: Vec::new(),
                upside_down: false,
            },
            Goal::Position {
                subject: Subject::Character(0),
                target: [Some(2.5), Some(0.0), None],
                time: None,
                hold: 0.0,
                moving: false,
            },
        ],
        weights: CostWeights::default(),
        objective: Default::default(),
        effort: Effort::default(),
        thresholds: Default::default(),
    }
}

/// The position of a contact, and the world force and moment of a wrench in its axes.
pub fn wrench(
    program: &Program,
    state: &MotionState,
    contact: usize,
    f: &Vector6,
) -> (DVec3, DVec3, DVec3) {
    let spec = &program.contacts[contact];
    let frame = &state.frames[spec.frame];
    let axes = frame.matrix * spec.turn;
    (
        frame.point(spec.offset),
        axes * DVec3::from_slice(f),
        axes * DVec3::from_slice(&f[3..]),
    )
}

/// The sum of running costs at one moment with the weight of a second.
pub fn cost(program: &Program, mix: &TermWeights, state: &MotionState) -> (f64, PhysicsMemory) {
    let mut state = state.clone();
    state.update_limbs(&program.characters, false);
    let moment = program.layout.moment(0, 0.5, 1.0);
    let (mut value, mut memory) = (CostSum::default(), PhysicsMemory::default());
    evaluate_running_costs(program, mix, &moment, &state, &mut memory, &mut value);
    (value.0, memory)
}

/// The index of the contact with this name.
pub fn contact(program: &Program, name: &str) -> usize {
    let mut names = program.contacts.iter();
    names.position(|c| c.name == name).expect("it has this one")
}

/// The still movement with noise on all unknowns, so that every cost is active.
pub fn shaken(program: &Program, seed: u64, size: f64) -> Vec<f64> {
    let mut x = program.layout.still();
    let mut random = Random::new(seed);
    for value in &mut x {
        *value += size * random.normal();
    }
    x
}
