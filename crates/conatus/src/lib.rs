//! Conatus turns a description of a scene into physically sound animation: rigid
//! bodies with exact free motion, cloth that never tangles, and characters that
//! find their own movements.
//!
//! ```
//! use conatus::prelude::*;
//!
//! let mut scene = SceneBuilder::new("falling ball");
//! let ball = scene.add_body(BodySpec::sphere(0.2).density(500.0).position([0.0, 0.0, 2.0]));
//! scene.add_plane(PlaneSpec::ground().restitution(0.8));
//!
//! let mut simulation = scene.simulate()?;
//! while simulation.time() < 1.0 {
//!     simulation.step();
//! }
//! assert!(simulation.state(ball).position.z > 0.19);
//! # Ok::<(), conatus::Error>(())
//! ```
//!
//! - [`SceneBuilder`] describes a scene in the words of a scene file; the `...Spec`
//!   types have a builder method for each key. [`Scene::load`] reads a file or one
//!   of the built-in scenes.
//! - [`Simulation`] steps through it: states, contacts, forces, added and removed
//!   bodies, all by handles. It answers queries ([`Simulation::ray_cast`] and others),
//!   lists what began and stopped touching ([`Simulation::contact_events`]), and calls
//!   closures with contacts ([`Simulation::on_contact`], [`Simulation::after_contacts`]).
//! - [`run`] makes a whole [`Run`]: a recording, a report, and files in many formats.
//!
//! # Features
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `cloth` | cloth, and obstacles | yes |
//! | `motion` | characters that find their own movements | yes |
//! | `export` | files for other programs | yes |
//! | `viewer` | the live page and `.html` files; building the page needs Node.js | no |
//!
//! A scene or file that needs a feature which is off is refused with a message that
//! names it. Only the crates of enabled features are compiled. Without `cloth`, bodies
//! cannot collide with characters.

mod attachment;
mod builder;
mod error;
mod events;
mod joints;
mod queries;
mod run;
mod simulation;

pub use attachment::{Attachment, BodyId, ColliderId};
pub use builder::SceneBuilder;
pub use error::Error;
pub use events::{CollisionEvent, ContactRequest, ContactSide};
pub use queries::{QueryFilter, QueryHit};
pub use run::{Run, run, run_with};
pub use simulation::{ContactEvent, Simulation};

pub use conatus_geometry::{Axis, Shape};
pub use conatus_math::{DMat3, DQuat, DVec3, Pose};
pub use conatus_record::{Frame, Recording};
pub use conatus_rigid::State;
pub use conatus_rigid::contact::TouchKind;
pub use conatus_rigid::forces::{Callback, Force, Loads, View};
pub use conatus_rigid::joint::{JointLoad, MotorTarget};
pub use conatus_world::scene::model;
pub use conatus_world::scene::{LoadOptions, Scene, SceneError};
pub use conatus_world::{ForceId, Report, StepReport};

/// Characters: planning, movements, and descriptions of characters.
#[cfg(feature = "motion")]
pub use conatus_world::motion;

#[cfg(feature = "export")]
pub use conatus_export as export;
#[cfg(feature = "viewer")]
pub use conatus_viewer as viewer;

/// Everything that most programs need: `use conatus::prelude::*;`.
pub mod prelude {
    pub use crate::model::*;
    pub use crate::{
        Attachment, Axis, BodyId, Callback, ColliderId, CollisionEvent, ContactEvent,
        ContactRequest, ContactSide, DMat3, DQuat, DVec3, Force, LoadOptions, Loads, MotorTarget,
        Pose, QueryFilter, QueryHit, Run, Scene, SceneBuilder, Shape, Simulation, State, TouchKind,
        View, run,
    };
}

/// Runs the README's examples as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadmeExamples;
