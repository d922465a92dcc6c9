//! Every SIMD width and every number of threads gives the same bits.

use crate::support::strategies::{inertia, state, vector};
use crate::support::{Universe, general_state};
use conatus_math::DVec3;
use conatus_rigid::blocks::Width;
use conatus_rigid::forces::Callback;
use conatus_rigid::{Activity, Bodies, Constants, State};
use proptest::prelude::*;

/// The bits of every number of every state.
fn bits(bodies: &Bodies) -> Vec<u64> {
    (0..bodies.len())
        .flat_map(|i| {
            let s = bodies.state(i);
            let parts = [s.position, s.velocity, s.omega_body].map(|v| v.to_array());
            let numbers: Vec<f64> = parts
                .concat()
                .into_iter()
                .chain(s.orientation.to_array())
                .collect();
            numbers.into_iter().map(f64::to_bits)
        })
        .collect()
}

fn universe(list: &[(Constants, State)], gravity: DVec3, width: Width) -> Universe {
    let mut u = Universe::new(0.02, gravity);
    u.bodies.set_width(width);
    for (constants, state) in list {
        u.bodies.add(*constants, *state, Activity::Free);
    }
    u
}

fn many() -> impl Strategy<Value = Vec<(Constants, State)>> {
    // Damping that a step of 0.02 s can follow: 1/s, times mass or moment.
    let rate = || 0.0..5.0;
    let one = (inertia(), state(), rate(), rate()).prop_map(|((mass, moments), state, l, a)| {
        let constants = Constants {
            mass,
            moments,
            linear_damping: l * mass,
            angular_damping: a * moments.min_element(),
        };
        (constants, state)
    });
    proptest::collection::vec(one, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    /// Any number of bodies, blocks filled or not, with and without damping.
    #[test]
    fn all_widths_give_the_same_bits(
        mut list in many(), gravity in vector(10.0), damped in any::<bool>(),
    ) {
        if !damped {
            for (c, _) in &mut list {
                (c.linear_damping, c.angular_damping) = (0.0, 0.0);
            }
        }
        let mut expected = None;
        for width in Width::available() {
            let mut u = universe(&list, gravity, width);
            u.run(20);
            let found = bits(&u.bodies);
            let first = expected.get_or_insert_with(|| found.clone());
            prop_assert_eq!(&found, first, "{:?}", width);
        }
    }

    /// A force of zero makes bodies go through the stages one by one; the
    /// result is the same as in blocks.
    #[test]
    fn bodies_in_blocks_and_in_stages_give_the_same_bits(
        list in many(), gravity in vector(10.0),
    ) {
        let mut in_blocks = universe(&list, gravity, Width::best());
        let mut in_stages = universe(&list, gravity, Width::best());
        in_stages.push(Callback::new(|_, _, _| ()));
        in_blocks.run(20);
        in_stages.run(20);
        prop_assert_eq!(bits(&in_blocks.bodies), bits(&in_stages.bodies));
    }
}

#[test]
fn every_processor_has_at_least_two_widths() {
    let widths = Width::available();
    assert_eq!(widths[0], Width::Scalar);
    assert!(widths.len() >= 2);
    assert_eq!(widths.last(), Some(&Width::best()));
}

/// Five thousand bodies are distributed over threads; locked ones do not move.
#[test]
fn one_thread_and_two_give_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a thread pool");
        pool.install(|| {
            let mut u = Universe::new(0.01, crate::support::DOWN);
            for i in 0..5003 {
                let mut s = general_state();
                s.position.x = f64::from(i) * 3.0;
                s.omega_body.y += f64::from(i % 17) * 0.1;
                let activity = match i % 100 {
                    7 => Activity::Locked,
                    _ => Activity::Free,
                };
                let moments = DVec3::new(1.0, 1.5, 1.2 + 0.01 * f64::from(i % 50));
                u.bodies.add(Constants::new(1.0, moments), s, activity);
            }
            u.run(20);
            u.bodies
        })
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(bits(&one), bits(&two));
    assert_eq!(one.state(107).position, DVec3::new(321.0, -2.0, 3.0));
    assert_ne!(one.state(108).position, DVec3::new(324.0, -2.0, 3.0));
}
