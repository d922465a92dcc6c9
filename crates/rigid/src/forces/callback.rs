//! A user-defined force, as a Rust closure.

use super::{Force, Loads, Reach, View};

/// A closure that is called at every stage of every step. It may have state.
///
/// Runs are reproducible bit for bit only if the closure depends on nothing but
/// time, the bodies and its own state.
///
/// ```
/// use conatus_rigid::forces::Callback;
/// // Wind that pushes body 0 along x, harder the higher it is.
/// let mut evaluations = 0;
/// let wind = Callback::new(move |_t, view, loads| {
///     evaluations += 1;
///     let height = view.state(0).position.z;
///     loads.central_force(view, 0, conatus_math::DVec3::X * 0.1 * height);
/// });
/// ```
pub struct Callback<F> {
    function: F,
    reach: Reach,
}

impl<F: FnMut(f64, &View, &mut Loads) + Send + Sync> Callback<F> {
    /// The force that `function` adds to the loads, on any body.
    pub fn new(function: F) -> Self {
        Self {
            function,
            reach: Reach::All,
        }
    }

    /// The same for a function that acts only on these bodies: the others keep
    /// their fast free motion.
    pub fn on(bodies: Vec<usize>, function: F) -> Self {
        Self {
            function,
            reach: Reach::Bodies(bodies),
        }
    }
}

impl<F: FnMut(f64, &View, &mut Loads) + Send + Sync> Force for Callback<F> {
    fn apply(&mut self, t: f64, view: &View, loads: &mut Loads) {
        (self.function)(t, view, loads);
    }

    fn reach(&self) -> Reach {
        self.reach.clone()
    }

    fn remove_body(&mut self, body: usize) -> bool {
        match &mut self.reach {
            Reach::All => true,
            Reach::Bodies(list) => {
                list.retain(|&i| i != body);
                !list.is_empty()
            }
        }
    }
}
