//! How impulses change the relative speeds of a contact, in its frame n, t, u.

use crate::contact::solver::bodies::WideMass;
use crate::contact::solver::simd::Simd;
use conatus_math::lanes::V3;

/// The matrices A, B and C of the module above. It is computed where it is needed: that
/// takes less time than reading it from memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mobility<F> {
    /// A_nn, A_tn, A_un.
    pub normal: [F; 3],
    /// B in rows n, t, u of the force and columns n, t, u of the torque.
    pub mixed: [[F; 3]; 3],
    /// C, the upper half.
    pub spin: [[F; 3]; 3],
}

/// C of one body and, with the arm (c_n, c_t, c_u) to the centre, the arms times the axes:
/// c × n = c_u t − c_t u, c × t = c_n u − c_u n, c × u = c_t n − c_n t. Then B_ij is
/// (c × i)·C j, and A_ij is (c × i)·B_j.
#[inline(always)]
fn of_body<F: Simd>(frame: &[V3<F>; 3], mass: &WideMass<F>, arm: V3<F>) -> Mobility<F> {
    let [n, t, u] = *frame;
    let (cn, ct, cu) = (arm.dot(n), arm.dot(t), arm.dot(u));
    let inertia = &mass.inverse_inertia;
    let (kn, kt, ku) = (inertia.times(n), inertia.times(t), inertia.times(u));
    let (nn, nt, nu) = (n.dot(kn), n.dot(kt), n.dot(ku));
    let (tt, tu, uu) = (t.dot(kt), t.dot(ku), u.dot(ku));
    let bn = [cu * nt - ct * nu, cu * tt - ct * tu, cu * tu - ct * uu];
    let bt = [cn * nu - cu * nn, cn * tu - cu * nt, cn * uu - cu * nu];
    let bu = [ct * nn - cn * nt, ct * nt - cn * tt, ct * nu - cn * tu];
    Mobility {
        normal: [
            cu * bn[1] - ct * bn[2] + mass.inverse_mass,
            cn * bn[2] - cu * bn[0],
            ct * bn[0] - cn * bn[1],
        ],
        mixed: [bn, bt, bu],
        spin: [[nn, nt, nu], [nt, tt, tu], [nu, tu, uu]],
    }
}

impl<F: Simd> Mobility<F> {
    /// Of two bodies with arms to the centre of the points.
    #[inline(always)]
    pub fn new(frame: &[V3<F>; 3], masses: &[WideMass<F>; 2], arms: &[V3<F>; 2]) -> Self {
        let mut sum = of_body(frame, &masses[0], arms[0]);
        let other = of_body(frame, &masses[1], arms[1]);
        for i in 0..3 {
            sum.normal[i] = sum.normal[i] + other.normal[i];
            for j in 0..3 {
                sum.mixed[i][j] = sum.mixed[i][j] + other.mixed[i][j];
                sum.spin[i][j] = sum.spin[i][j] + other.spin[i][j];
            }
        }
        sum
    }

    /// A in the tangent plane: tt, tu, uu.
    #[inline(always)]
    pub fn tangent(frame: &[V3<F>; 3], masses: &[WideMass<F>; 2], arms: &[V3<F>; 2]) -> [F; 3] {
        let zero = F::splat(0.0);
        let mut sum = [zero; 3];
        for side in 0..2 {
            let own = of_body(frame, &masses[side], arms[side]);
            let [n, t, u] = *frame;
            let arm = arms[side];
            let (cn, ct, cu) = (arm.dot(n), arm.dot(t), arm.dot(u));
            let [_, bt, bu] = own.mixed;
            let m = masses[side].inverse_mass;
            sum[0] = sum[0] + (cn * bt[2] - cu * bt[0] + m);
            sum[1] = sum[1] + (cn * bu[2] - cu * bu[0]);
            sum[2] = sum[2] + (ct * bu[0] - cn * bu[1] + m);
        }
        sum
    }
}
