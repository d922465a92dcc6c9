//! Stage 3, the paper's fail-safe: of all velocities without normal velocity in
//! any collision of the zone, the nearest to those before (Harmon et al. §2).
//! Impact is cancelled, sliding is not.

use super::constraint::Constraint;
use super::motion::ResponseMotion;
use super::zone::ZoneRows;

/// The result of a fail-safe.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// The impulse of each constraint along its normal.
    pub(crate) impulses: Vec<f64>,
    /// The largest remaining normal velocity, in m/s: zero unless the
    /// constraints contradict each other.
    pub(crate) violation: f64,
    /// ‖q̇′ − q̇‖ in the mass norm.
    pub(crate) change: f64,
}

/// Velocities below this count as zero.
pub(crate) const ZERO_VELOCITY_M_S: f64 = 1e-7;

/// The inelastic projection: solves ∇C M⁻¹ ∇Cᵀ λ = ∇C q̇, Harmon (5), and puts
/// λ into p′ = p − ∇Cᵀ λ, Harmon (3), after which ∇C q̇′ = 0, Harmon (4).
pub(crate) fn inelastic_projection(
    motion: &mut ResponseMotion,
    constraints: &[Constraint],
) -> Outcome {
    let rows = ZoneRows::normals(motion, constraints);
    let b = normal_velocities(motion, constraints, &rows);
    let mut lambda = Vec::new();
    rows.solve(&b, tolerance(&rows), true, &mut lambda);
    let outcome = apply(motion, constraints, &rows, &lambda, -1.0);
    let left = constraints.iter().map(|c| normal_velocity(motion, c).abs());
    Outcome {
        violation: left.fold(0.0, f64::max),
        ..outcome
    }
}

/// The same with nonnegative impulses: λ ≥ 0, ∇C q̇′ ≥ 0 and one of the two
/// zero for every collision, the complementarity problem that the paper leaves
/// for later (Harmon §2). Nothing sticks.
pub(crate) fn complementarity(motion: &mut ResponseMotion, constraints: &[Constraint]) -> Outcome {
    let rows = ZoneRows::normals(motion, constraints);
    let b = normal_velocities(motion, constraints, &rows);
    let mut lambda = Vec::new();
    rows.solve_complementarity(&b, tolerance(&rows), 2000, &mut lambda);
    let outcome = apply(motion, constraints, &rows, &lambda, 1.0);
    let left = constraints
        .iter()
        .map(|c| (-normal_velocity(motion, c)).max(0.0));
    Outcome {
        violation: left.fold(0.0, f64::max),
        ..outcome
    }
}

fn normal_velocity(motion: &ResponseMotion, c: &Constraint) -> f64 {
    c.normal.dot(c.relative_velocity(motion))
}

/// ∇C q̇, one entry per row, scaled.
fn normal_velocities(
    motion: &ResponseMotion,
    constraints: &[Constraint],
    rows: &ZoneRows,
) -> Vec<f64> {
    let scaled = constraints.iter().zip(&rows.scale);
    scaled
        .map(|(c, s)| s * normal_velocity(motion, c))
        .collect()
}

/// [`ZERO_VELOCITY_M_S`] in the scale of the rows.
fn tolerance(rows: &ZoneRows) -> f64 {
    ZERO_VELOCITY_M_S * rows.scale.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Applies to every constraint its impulse, `sign`·λ along its normal.
fn apply(
    motion: &mut ResponseMotion,
    constraints: &[Constraint],
    rows: &ZoneRows,
    lambda: &[f64],
    sign: f64,
) -> Outcome {
    let mut impulses = Vec::with_capacity(lambda.len());
    for ((c, &lambda), &scale) in constraints.iter().zip(lambda).zip(&rows.scale) {
        let impulse = sign * lambda * scale;
        c.apply(motion, impulse * c.normal);
        impulses.push(impulse);
    }
    Outcome {
        impulses,
        violation: 0.0,
        change: rows.norm(lambda),
    }
}
