//! Queries of the colliders of a world, against a loop over all of them.

use super::engine::material;
use conatus_geometry::{Axis, Ray, Shape, icosphere};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_rigid::contact::collider::Collider;
use conatus_rigid::contact::{
    ColliderHit, ColliderQueries, ContactEngine, QueryTree, ScriptedMotion,
};
use conatus_rigid::{Activity, Bodies, Constants, State};

/// Numbers between −1 and 1 that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn pose(&mut self, reach: f64) -> Pose {
        let q = DQuat::from_xyzw(self.next(), self.next(), self.next(), 1.1).normalize();
        Pose::new(q, self.vector() * reach)
    }

    /// A convex solid of every kind in turn.
    fn solid(&mut self, kind: usize) -> Shape {
        let [a, b, c] = [0; 3].map(|_| 0.5 + 0.3 * self.next());
        match kind % 7 {
            0 => Shape::Sphere { radius: a },
            1 => Shape::Box {
                half_extents: DVec3::new(a, b, c),
            },
            2 => Shape::Capsule {
                radius: b,
                height: 2.0 * a,
                axis: Axis::X,
            },
            3 => Shape::Cylinder {
                radius: a,
                height: 2.0 * b,
                axis: Axis::Z,
            },
            4 => Shape::Cone {
                radius: a,
                height: b,
                axis: Axis::Y,
            },
            5 => Shape::Ellipsoid {
                semi_axes: DVec3::new(a, b, c),
            },
            _ => {
                let points: Vec<DVec3> = (0..12).map(|_| self.vector() * 0.8).collect();
                Shape::hull(&points).unwrap_or(Shape::Sphere { radius: a })
            }
        }
    }
}

struct Scene {
    engine: ContactEngine,
    bodies: Bodies,
    scripted: Vec<ScriptedMotion>,
    tree: QueryTree,
}

/// 60 bodies of all kinds, two of them removed and asleep, two half-spaces, a mesh, and an
/// obstacle that a script moves.
fn scene(numbers: &mut Numbers) -> Scene {
    let mut engine = ContactEngine::default();
    let mut bodies = Bodies::new();
    for k in 0..60 {
        let pose = numbers.pose(6.0);
        let state = State {
            position: pose.translation,
            orientation: pose.rotation,
            ..State::default()
        };
        let activity = [Activity::Free, Activity::Locked, Activity::Asleep][k % 3];
        let body = bodies.add(Constants::new(1.0, DVec3::ONE), state, activity);
        let mut collider = Collider::on_body(body, numbers.solid(k), material(0.0, 0.0));
        collider.pose = numbers.pose(0.3);
        collider.sensor = k % 10 == 9;
        engine.add(collider);
    }
    engine.disable_body(7);
    engine.add(Collider::plane(
        DVec3::Z * -8.0,
        DVec3::Z,
        material(0.0, 0.0),
    ));
    engine.add(Collider::plane(
        DVec3::X * 7.0,
        DVec3::NEG_X,
        material(0.0, 0.0),
    ));
    let mut mesh = icosphere(2);
    mesh.vertices.iter_mut().for_each(|v| *v *= 2.0);
    let scripted = [Shape::mesh_of(mesh), numbers.solid(1)];
    for (k, shape) in (0..).zip(scripted) {
        engine.add(Collider::scripted(
            k,
            shape,
            Pose::IDENTITY,
            material(0.0, 0.0),
        ));
    }
    Scene {
        engine,
        bodies,
        scripted: vec![ScriptedMotion::at_rest(numbers.pose(4.0)); 2],
        tree: QueryTree::default(),
    }
}

impl Scene {
    fn queries(&mut self) -> ColliderQueries<'_> {
        self.tree.update(&self.engine, &self.bodies, &self.scripted);
        ColliderQueries::new(&self.engine.colliders, &self.tree)
    }

    /// A scene with only one collider: what a loop over all asks, one after the other.
    fn alone(&self, k: usize) -> Self {
        let mut one = Self {
            engine: ContactEngine::default(),
            bodies: Bodies::new(),
            scripted: self.scripted.clone(),
            tree: QueryTree::default(),
        };
        for body in 0..self.bodies.len() {
            let state = self.bodies.state(body);
            one.bodies
                .add(Constants::new(1.0, DVec3::ONE), state, Activity::Free);
        }
        one.engine.add(self.engine.colliders[k].clone());
        one
    }

    /// The hits of each collider alone, in order.
    fn each(&self, find: impl Fn(&ColliderQueries) -> Option<ColliderHit>) -> Vec<ColliderHit> {
        let mut hits: Vec<ColliderHit> = (0..self.engine.colliders.len())
            .filter_map(|k| {
                let hit = find(&self.alone(k).queries())?;
                Some(ColliderHit {
                    collider: k as u32,
                    ..hit
                })
            })
            .collect();
        hits.sort_by(|a, b| {
            a.distance
                .total_cmp(&b.distance)
                .then(a.collider.cmp(&b.collider))
        });
        hits
    }
}

#[test]
fn queries_find_what_a_loop_over_all_colliders_finds() {
    let mut numbers = Numbers(7);
    let mut scene = scene(&mut numbers);
    let solid = |_: u32, c: &Collider| !c.sensor;
    for k in 0..25 {
        // The tree is refitted after some bodies have moved.
        for body in (k..60).step_by(9) {
            let mut state = scene.bodies.state(body);
            state.position += numbers.vector();
            scene.bodies.set_mover_state(body, &state);
        }
        let pose = numbers.pose(6.0);
        let ray = Ray::new(pose.translation, numbers.vector()).unwrap();
        let rays = scene.each(|q| q.ray_cast(&ray, 20.0, &solid));
        let found = scene.queries().ray_cast_all(&ray, 20.0, &solid);
        assert_eq!(found, rays);
        assert_eq!(
            scene.queries().ray_cast(&ray, 20.0, &solid),
            rays.first().copied()
        );
        if let Some(first) = rays.first() {
            let short = scene
                .queries()
                .ray_cast(&ray, first.distance - 1e-9, &solid);
            assert_eq!(short, None);
        }

        let shape = numbers.solid(k);
        let casts = scene.each(|q| q.shape_cast(&shape, &pose, ray.direction, 20.0, &solid));
        let found = scene
            .queries()
            .shape_cast(&shape, &pose, ray.direction, 20.0, &solid);
        assert_eq!(found, casts.first().copied());

        let near = scene.each(|q| q.nearest(pose.translation, 3.0, &solid));
        let found = scene.queries().nearest(pose.translation, 3.0, &solid);
        assert_eq!(found, near.first().copied());

        let all = |_: u32, _: &Collider| true;
        let overlapping = scene.queries().overlapping(&shape, &pose, &all);
        let alone = |k: usize, scene: &Scene| {
            !scene
                .alone(k)
                .queries()
                .overlapping(&shape, &pose, &all)
                .is_empty()
        };
        let expected: Vec<u32> = (0..64).filter(|&k| alone(k as usize, &scene)).collect();
        assert_eq!(overlapping, expected);
        assert!(!overlapping.contains(&7), "body 7 was removed");
        let inside = scene.queries().containing(pose.translation, &solid);
        let zero: Vec<u32> = near
            .iter()
            .filter(|h| h.distance == 0.0)
            .map(|h| h.collider)
            .collect();
        let mut zero = zero;
        zero.sort_unstable();
        assert_eq!(inside, zero);
    }
}

#[test]
fn the_nearest_point_lies_on_the_surface_at_its_distance() {
    let mut numbers = Numbers(3);
    let mut scene = scene(&mut numbers);
    for _ in 0..40 {
        let point = numbers.vector() * 7.0;
        let solid = |_: u32, c: &Collider| c.body.is_some();
        let Some(hit) = scene.queries().nearest(point, 9.0, &solid) else {
            continue;
        };
        assert!((hit.point.distance(point) - hit.distance).abs() < 1e-6);
        let c = &scene.engine.colliders[hit.collider as usize];
        let at = *scene.tree.pose(hit.collider);
        let probe = Shape::Sphere { radius: 1e-6 };
        assert!(c.shape().overlaps(&at, &probe, &Pose::shift(hit.point)));
        // Nothing else is nearer than the ball around the point.
        let ball = Shape::Sphere {
            radius: (hit.distance - 1e-6).max(0.0),
        };
        let inside = scene
            .queries()
            .overlapping(&ball, &Pose::shift(point), &solid);
        assert!(hit.distance < 1e-6 || inside.is_empty());
    }
}
