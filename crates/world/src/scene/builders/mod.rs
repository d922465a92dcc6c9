//! Builder methods of the scene's own structs, so that code describes a scene in
//! the words of a scene file.
//!
//! ```
//! use conatus_world::scene::model::{BodySpec, PlaneSpec};
//! let ball = BodySpec::sphere(0.2).density(500.0).position([0.0, 0.0, 2.0]);
//! let floor = PlaneSpec::ground().restitution(0.8);
//! # assert_eq!((ball.density, floor.restitution), (Some(500.0), Some(0.8)));
//! ```
//!
//! The methods set keys and check nothing: [`Scene::build`](crate::scene::Scene::build)
//! checks all of them, wherever they come from.

mod body;
mod cloth;
mod force;
mod joint;
mod motion;
mod obstacle;
mod surroundings;
