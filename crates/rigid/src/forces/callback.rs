//! A force of one's own, as a Rust function.

use super::{Force, Loads, Reach, View};

/// A function that is called at every stage of every step.
///
/// It must depend on nothing but time and the bodies, or runs will not repeat.
///
/// ```
/// use conatus_rigid::forces::Callback;
/// // A wind that pushes body 0 along x, harder the higher it is.
/// let wind = Callback::new(|_t, view, loads| {
///     let height = view.state(0).position.z;
///     loads.central_force(view, 0, conatus_math::DVec3::X * 0.1 * height);
/// });
/// ```
pub struct Callback<F>(F);

impl<F: Fn(f64, &View, &mut Loads) + Send + Sync> Callback<F> {
    /// The force that `f` adds to the loads.
    pub fn new(f: F) -> Self {
        Self(f)
    }
}

impl<F: Fn(f64, &View, &mut Loads) + Send + Sync> Force for Callback<F> {
    fn apply(&self, t: f64, view: &View, loads: &mut Loads) {
        (self.0)(t, view, loads);
    }

    fn reach(&self) -> Reach {
        Reach::All
    }
}
