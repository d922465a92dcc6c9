//! Drift of the energy and the angular momentum of a tumbling top (the
//! Dzhanibekov effect) over 100,000 steps, compared with rapier3d-f64.

use crate::rapier::Rapier;
use crate::table::{Table, at_most, blank, count, power};
use conatus_math::DVec3;
use conatus_rigid::{Activity, Bodies, Constants, Integration, Integrator, State};

const STEPS: usize = 100_000;
const STEP: f64 = 0.01;
const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 3.0);

/// Runs both and compares.
pub fn measure() -> Table {
    let constants = Constants::new(1.0, MOMENTS);
    let start = State {
        omega_body: DVec3::new(0.01, 2.0, 0.01),
        ..State::default()
    };

    let mut bodies = Bodies::new();
    bodies.add(constants, start, Activity::Free);
    let mut integration = Integration::default();
    let ours = follow(start, || {
        integration.step(
            &mut bodies,
            &mut [],
            Integrator::Rk4,
            DVec3::ZERO,
            0.0,
            STEP,
        );
        bodies.mover_state(0)
    });

    let mut rapier = Rapier::new(&[(constants, start)], DVec3::ZERO, STEP);
    let theirs = follow(start, || {
        rapier.step();
        rapier.state(0)
    });

    let mut table = Table::new(
        "Tumbling top: I = (1, 2, 3), ω = (0.01, 2, 0.01), 100,000 steps of 0.01 s",
        &[
            "candidate",
            "ΔE/E",
            "E target",
            "|ΔL|/L",
            "L target",
            "flips",
            "flips target",
        ],
    );
    table.row(vec![
        "ours".into(),
        power(ours.energy),
        at_most(ours.energy.abs(), 1e-9),
        power(ours.angular_momentum),
        at_most(ours.angular_momentum, 5e-9),
        count(ours.flips),
        if ours.flips == 91 {
            "91: met"
        } else {
            "91: MISSED"
        }
        .into(),
    ]);
    table.row(vec![
        "rapier3d-f64".into(),
        power(theirs.energy),
        blank(),
        power(theirs.angular_momentum),
        blank(),
        count(theirs.flips),
    ]);
    table
}

/// The largest relative changes over a run, the energy's with its sign.
#[derive(Default)]
struct Drift {
    energy: f64,
    angular_momentum: f64,
    flips: u64,
}

fn follow(start: State, mut step: impl FnMut() -> State) -> Drift {
    let energy = start.kinetic_energy(1.0, MOMENTS);
    let momentum = start.angular_momentum(MOMENTS);
    let mut drift = Drift::default();
    let mut up = true;
    for _ in 0..STEPS {
        let state = step();
        let change = state.kinetic_energy(1.0, MOMENTS) / energy - 1.0;
        if change.abs() > drift.energy.abs() {
            drift.energy = change;
        }
        let turned = (state.angular_momentum(MOMENTS) - momentum).length() / momentum.length();
        drift.angular_momentum = drift.angular_momentum.max(turned);
        if (state.omega_body.y > 0.0) != up {
            up = !up;
            drift.flips += 1;
        }
    }
    drift
}
