//! Laws of mass properties and of forces at points, for random bodies.

use crate::support::largest;
use crate::support::strategies::{inertia, orientation, pose, state, vector};
use conatus_geometry::{Axis, Shape};
use conatus_math::{DMat3, DVec3, Pose, rotation};
use conatus_rigid::{Load, MassError, MassProperties, State};
use proptest::prelude::*;

fn solid() -> impl Strategy<Value = Shape> {
    let size = || 0.2..2.0;
    let axis = prop_oneof![Just(Axis::X), Just(Axis::Y), Just(Axis::Z)];
    (0..6, [size(), size(), size()], axis).prop_map(|(kind, [a, b, c], axis)| {
        let (radius, height) = (a, b);
        match kind {
            0 => Shape::Sphere { radius },
            1 => Shape::Box {
                half_extents: DVec3::new(a, b, c),
            },
            2 => Shape::Cylinder {
                radius,
                height,
                axis,
            },
            3 => Shape::Capsule {
                radius,
                height,
                axis,
            },
            4 => Shape::Cone {
                radius,
                height,
                axis,
            },
            _ => Shape::Ellipsoid {
                semi_axes: DVec3::new(a, b, c),
            },
        }
    })
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn sorted(v: DVec3) -> [f64; 3] {
    let mut values = v.to_array();
    values.sort_by(f64::total_cmp);
    values
}

fn body() -> impl Strategy<Value = MassProperties> {
    (inertia(), pose()).prop_map(|((mass, moments), pose)| {
        MassProperties {
            mass,
            centre: DVec3::ZERO,
            inertia: DMat3::from_diagonal(moments),
        }
        .at(&pose)
    })
}

proptest! {
    /// Chaney (17): rotating and shifting a body changes neither the trace of
    /// its tensor nor its principal moments.
    #[test]
    fn principal_moments_do_not_depend_on_the_pose(body in body(), pose in pose()) {
        let moved = body.at(&pose);
        let scale = largest(body.inertia);
        prop_assert!((trace(moved.inertia) - trace(body.inertia)).abs() < 1e-12 * scale);
        let (a, b) = (sorted(body.diagonalise().moments), sorted(moved.diagonalise().moments));
        for (a, b) in a.iter().zip(b) {
            prop_assert!((a - b).abs() < 1e-12 * scale);
        }
        prop_assert!((moved.centre - pose.point(body.centre)).length() < 1e-12);
    }

    /// Chaney (17), §2.2: a proper rotation that makes the tensor diagonal,
    /// with the centre of mass carried to the origin.
    #[test]
    fn diagonalising_gives_a_proper_rotation(body in body()) {
        let d = body.diagonalise();
        let r = d.diag_rotation;
        let scale = largest(body.inertia);
        prop_assert!((r.determinant() - 1.0).abs() < 1e-13);
        prop_assert!(largest(r * r.transpose() - DMat3::IDENTITY) < 1e-13);
        let diagonal = r * body.inertia * r.transpose();
        prop_assert!(largest(diagonal - DMat3::from_diagonal(d.moments)) < 1e-12 * scale);
        prop_assert!((r * body.centre + d.diag_offset).length() < 1e-12);
        prop_assert!(body.check().is_ok());
        // A body placed by its shape's coordinates lies where the shape does.
        let turn = rotation::exp(DVec3::new(0.4, -0.3, 1.0));
        let placed = State::placed(&d, DVec3::X, turn);
        let point = DVec3::new(0.2, 0.7, -0.4);
        let expected = turn * (point - body.centre) + DVec3::X;
        prop_assert!((placed.point_position(d.carry().point(point)) - expected).length() < 1e-11);
    }

    /// Di Pierro (64)-(66): in any order and grouping, and moved before or
    /// after.
    #[test]
    fn combining_does_not_depend_on_order_grouping_or_frame(
        parts in [body(), body(), body()], poses in [pose(), pose(), pose()], moved in pose(),
    ) {
        let list: Vec<_> = parts.into_iter().zip(poses).collect();
        let whole = MassProperties::combine(&list);
        let scale = largest(whole.inertia);
        let mut reversed = list.clone();
        reversed.reverse();
        let pair = MassProperties::combine(&list[..2]);
        let grouped = MassProperties::combine(&[(pair, Pose::IDENTITY), list[2]]);
        let before: Vec<_> = list.iter().map(|(p, at)| (*p, moved.after(at))).collect();
        let there_and_back =
            MassProperties::combine(&before).at(&moved.inverse());
        for other in [MassProperties::combine(&reversed), grouped, there_and_back] {
            prop_assert!((other.mass - whole.mass).abs() < 1e-12 * whole.mass);
            prop_assert!((other.centre - whole.centre).length() < 1e-12);
            prop_assert!(largest(other.inertia - whole.inertia) < 1e-12 * scale);
        }
        // More mass, spread wider: the moments are never smaller than those of
        // the parts.
        let sum: f64 = list.iter().map(|(p, _)| trace(p.inertia)).sum();
        prop_assert!(trace(whole.inertia) >= sum * (1.0 - 1e-12));
    }

    /// The volume integrals of a solid's mesh and its closed forms.
    #[test]
    fn the_mesh_of_a_solid_has_nearly_its_mass_properties(solid in solid(), pose in pose()) {
        let exact = MassProperties::of_shape(&solid, 3.0).unwrap().at(&pose);
        let found = MassProperties::of_mesh(&solid.mesh().at(&pose), 3.0);
        prop_assert!((found.centre - exact.centre).length() < 1e-10);
        let error = largest(found.inertia - exact.inertia) / largest(exact.inertia);
        prop_assert!(error < 0.012, "{error}");
        if matches!(solid, Shape::Box { .. }) {
            prop_assert!(error < 1e-11, "{error}");
        }
        let inside_out = MassProperties::of_mesh(&solid.mesh().at(&pose).flipped(), 3.0);
        prop_assert!(largest(inside_out.inertia - found.inertia) < 1e-10);
    }

    /// Chaney (22)-(26): one force, three ways, any state.
    #[test]
    fn forces_at_points_agree_however_they_are_given(
        s in state(), force in vector(10.0), r_body in vector(2.0),
    ) {
        let r = crate::support::matrix_by_conjugation(s.orientation);
        let mut loads = [Load::default(); 4];
        loads[0].add_force_at(&s, force, s.point_position(r_body));
        loads[1].add_force_at_body_point(&s, force, r_body);
        loads[2].add_body_force(&s, r.transpose() * force, r_body);
        loads[3].force = force;
        loads[3].add_torque(&s, (r * r_body).cross(force));
        for load in loads {
            prop_assert!((load.force - force).length() < 1e-12);
            let torque = (r * r_body).cross(force);
            prop_assert!((r * load.torque_body - torque).length() < 1e-12);
        }
        // The power of the force is the same in both descriptions.
        let power = force.dot(s.point_velocity(r_body));
        let by_load = force.dot(s.velocity) + loads[0].torque_body.dot(s.omega_body);
        prop_assert!((power - by_load).abs() < 1e-10);
    }

    /// Tensors that no body can have are refused.
    #[test]
    fn tensors_that_no_body_can_have_are_refused(
        (mass, m) in inertia(), turn in orientation(), excess in 0.01..5.0,
    ) {
        let r = rotation::to_matrix(turn);
        let tensor = |moments: DVec3| r * DMat3::from_diagonal(moments) * r.transpose();
        let check = |moments| MassProperties::new(mass, DVec3::ZERO, tensor(moments));
        prop_assert!(check(m).is_ok());
        let wide = DVec3::new(m.x, m.y, (m.x + m.y) * (1.0 + excess));
        prop_assert!(matches!(check(wide), Err(MassError::TriangleInequality(..))));
        let negative = DVec3::new(m.x, m.y, -m.z * excess);
        prop_assert!(matches!(check(negative), Err(MassError::NotPositiveDefinite(..))));
        let weightless = MassProperties::new(-mass, DVec3::ZERO, tensor(m));
        prop_assert!(matches!(weightless, Err(MassError::NotPositive(_))));
        let mut skewed = tensor(m);
        skewed.x_axis.y += m.x * excess;
        let skewed = MassProperties::new(mass, DVec3::ZERO, skewed);
        prop_assert!(matches!(skewed, Err(MassError::NotSymmetric(..))));
        let unbounded = MassProperties::new(mass, DVec3::X * f64::NAN, tensor(m));
        prop_assert!(matches!(unbounded, Err(MassError::NotFinite)));
    }
}
