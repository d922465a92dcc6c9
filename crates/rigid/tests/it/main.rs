//! The integration tests of the crate, in one binary so that they link once.

mod support;

mod at_rest;
mod bounces;
mod bullet;
mod chaney_mass;
mod chaney_motion;
mod closed_forms;
mod closed_systems;
mod contacts;
mod di_pierro_bodies;
mod di_pierro_collisions;
mod di_pierro_newton;
mod di_pierro_rotation;
mod documents;
mod drag_limit;
mod engine;
mod errata_chaney;
mod errata_cylon;
mod errata_di_pierro;
mod floating;
mod free_top;
mod heavy_top;
mod impacts;
mod joint_solver;
mod joints;
mod mass_properties;
mod one_contact;
mod orders;
mod properties_collisions;
mod queries;
mod random_scenes;
mod sleep;
mod widths;
