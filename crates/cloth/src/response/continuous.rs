//! Stage 2: collisions within the step, answered one by one in the order of
//! their times by inelastic impulses (Bridson's continuous collision
//! response; the single constraint of Harmon et al. §2).

use super::constraint::Constraint;
use super::motion::Motion;
use crate::collide::narrow::{GAP, Hit};

/// Answers all hits once, in order of time; `friction_of` gives Coulomb's
/// coefficient of a stencil.
pub(crate) fn resolve(
    motion: &mut Motion,
    hits: &mut [Hit],
    friction_of: impl Fn(&Hit) -> f64,
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
        let gap = gap_at_start(motion, hit);
        // A gap that has become very small is opened again a little.
        let wanted = (2.0 * GAP * hit.thickness).min(1.5 * hit.distance);
        let target = ((wanted - gap) / motion.h).max(0.0);
        let u = c.relative_velocity(motion);
        let normal = c.normal.dot(u);
        // Also what needs no impulse is looked at again: it was a hit.
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

/// The gap at the start of the step along the normal of the hit.
fn gap_at_start(motion: &Motion, hit: &Hit) -> f64 {
    if hit.is_plane() {
        return hit.distance;
    }
    let points = hit.stencil.points.iter().zip(hit.weights);
    let vector: conatus_math::DVec3 = points.map(|(&p, w)| w * motion.start[p as usize]).sum();
    hit.normal.dot(vector)
}
