//! Contact detection: a bounding-volume hierarchy over the spheres, never all
//! pairs, and every sphere against the few planes.

use super::shapes::{self, Contact, Plane, Sphere};
use crate::bodies::{Activity, Bodies};
use crate::state::State;
use conatus_geometry::{Aabb, Bvh};
use conatus_math::DVec3;

/// The shapes that collide, and buffers for contact detection.
#[derive(Debug, Default)]
pub struct Detector {
    /// The spheres of all bodies.
    pub spheres: Vec<Sphere>,
    /// The static planes.
    pub planes: Vec<Plane>,
    /// Whether bodies collide with each other.
    pub between_bodies: bool,
    centres: Vec<DVec3>,
    boxes: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
    bvh: Bvh,
    /// The centres when the hierarchy was last built.
    built_at: Vec<DVec3>,
}

impl Detector {
    /// Whether no contact is possible.
    pub fn is_idle(&self) -> bool {
        self.spheres.is_empty()
            || (self.planes.is_empty() && (!self.between_bodies || self.spheres.len() < 2))
    }

    /// All contacts, those between bodies first, in an order that depends only
    /// on the scene. `states` are the movers'.
    pub fn find(&mut self, bodies: &Bodies, states: &[State], contacts: &mut Vec<Contact>) {
        contacts.clear();
        self.centres.clear();
        self.centres
            .extend(self.spheres.iter().map(|s| centre(bodies, states, s)));
        if self.between_bodies {
            self.find_pairs(bodies, contacts);
        }
        for (sphere, &centre) in self.spheres.iter().zip(&self.centres) {
            let mover = bodies.mount(sphere.body).mover;
            if bodies.activity(mover) != Activity::Free {
                continue;
            }
            for plane in &self.planes {
                if let Some((point, normal, penetration)) =
                    shapes::sphere_plane(centre, sphere.radius, plane)
                {
                    contacts.push(Contact {
                        a: mover,
                        b: None,
                        body_a: sphere.body,
                        body_b: None,
                        point,
                        normal,
                        penetration,
                        restitution: plane.restitution.unwrap_or(sphere.restitution),
                        friction: plane.friction.unwrap_or(sphere.friction),
                    });
                }
            }
        }
    }

    /// Updates the hierarchy for the boxes. Rebuilding gives the fastest
    /// queries, refitting is cheap; both find the same pairs. A refit suffices
    /// while most spheres are within a radius of where they were at the last
    /// rebuild.
    fn update_hierarchy(&mut self) {
        if self.built_at.len() == self.centres.len() {
            let moved = self.spheres.iter().zip(&self.centres).zip(&self.built_at);
            let strays = moved
                .filter(|((s, now), then)| now.distance_squared(**then) > s.radius * s.radius)
                .count();
            if strays * 8 <= self.centres.len() {
                return self.bvh.refit(&self.boxes);
            }
        }
        self.bvh.rebuild(&self.boxes);
        self.built_at.clone_from(&self.centres);
    }

    /// Moves bodies that others have pushed beyond a plane back to it; `pushed`
    /// are the movers to check, in order.
    pub(super) fn keep_behind_planes(
        &self,
        bodies: &Bodies,
        pushed: &[usize],
        states: &mut [State],
    ) {
        for sphere in &self.spheres {
            let mover = bodies.mount(sphere.body).mover;
            let free = bodies.activity(mover) == Activity::Free;
            if !free || pushed.binary_search(&mover).is_err() {
                continue;
            }
            for plane in &self.planes {
                let centre = centre(bodies, states, sphere);
                if let Some((_, into, depth)) = shapes::sphere_plane(centre, sphere.radius, plane) {
                    states[mover].position -= into * depth;
                }
            }
        }
    }

    fn find_pairs(&mut self, bodies: &Bodies, contacts: &mut Vec<Contact>) {
        self.boxes.clear();
        self.boxes.extend(
            self.spheres
                .iter()
                .zip(&self.centres)
                .map(|(s, &c)| Aabb::of_sphere(c, s.radius)),
        );
        self.update_hierarchy();
        self.bvh.pairs(&mut self.pairs);
        for &(i, j) in &self.pairs {
            let (i, j) = (i as usize, j as usize);
            let (s, o) = (&self.spheres[i], &self.spheres[j]);
            let (a, b) = (bodies.mount(s.body).mover, bodies.mount(o.body).mover);
            let free = |m| bodies.activity(m) == Activity::Free;
            if a == b || !(free(a) || free(b)) {
                continue;
            }
            if let Some((point, normal, penetration)) =
                shapes::sphere_sphere(self.centres[i], s.radius, self.centres[j], o.radius)
            {
                contacts.push(Contact {
                    a,
                    b: Some(b),
                    body_a: s.body,
                    body_b: Some(o.body),
                    point,
                    normal,
                    penetration,
                    restitution: mean(s.restitution, o.restitution),
                    friction: mean(s.friction, o.friction),
                });
            }
        }
    }
}

/// The combined coefficient of two surfaces: the geometric mean, exact if they
/// are equal.
fn mean(a: f64, b: f64) -> f64 {
    if a == b { a } else { (a * b).sqrt() }
}

fn centre(bodies: &Bodies, states: &[State], sphere: &Sphere) -> DVec3 {
    let mount = bodies.mount(sphere.body);
    let on_mover = mount.pose.map_or(sphere.centre, |p| p.point(sphere.centre));
    let state = &states[mount.mover];
    if on_mover == DVec3::ZERO {
        state.position
    } else {
        state.point_position(on_mover)
    }
}
