//! Stage 2: collisions within the step, resolved one by one in order of time by
//! inelastic impulses (Bridson's continuous collision response; the single
//! constraint of Harmon et al. §2).

use super::constraint::Constraint;
use super::motion::ResponseMotion;
use crate::collide::narrow::{CollisionHit, MIN_GAP_RATIO};

/// Resolves all hits once, in order of time, each by the impulse of a single
/// constraint, λ = −∇C q̇/⟨∇C, ∇C⟩ (Harmon §2); `friction_of` gives Coulomb's
/// coefficient of a stencil.
pub(crate) fn resolve(
    motion: &mut ResponseMotion,
    hits: &mut [CollisionHit],
    friction_of: impl Fn(&CollisionHit) -> f64,
) {
    hits.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.stencil.cmp(&b.stencil)));
    for hit in hits.iter() {
        let c = Constraint::new(
            motion,
            hit.stencil,
            &hit.weights,
            hit.normal,
            friction_of(hit),
        );
        if c.is_rigid() {
            continue;
        }
        // A very small gap is widened a little. It is not measured along the
        // normal at the start: after a rotation within the step that value is
        // meaningless and would cause a huge impulse.
        let wanted = (2.0 * MIN_GAP_RATIO * hit.thickness).min(1.5 * hit.distance);
        let target = ((wanted - hit.gap.max(hit.distance)) / motion.h).max(0.0);
        let u = c.relative_velocity(motion);
        let normal = c.normal.dot(u);
        // Hits without an impulse are marked too, so that they are tested
        // again.
        c.touch(motion);
        if normal >= target {
            continue;
        }
        let impulse = (target - normal) / c.inverse_mass;
        c.apply(motion, impulse * c.normal);
        if c.friction > 0.0 {
            let slide = u - normal * c.normal;
            let speed = slide.length();
            if speed > 0.0 {
                let t = slide / speed;
                let mass = t.dot(c.velocity_change(motion, t));
                let friction = (speed / mass).min(c.friction * impulse);
                c.apply(motion, -friction * t);
            }
        }
    }
}
