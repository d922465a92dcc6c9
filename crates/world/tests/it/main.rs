//! The integration tests of the world, in one binary so that they link once.

mod support;

mod bad_contacts;
mod behaviours;
mod behaviours_bodies;
mod behaviours_objects;
mod behaviours_obstacles;
mod cloth_claims;
mod cloth_contacts;
mod continuation;
mod golden;
mod import;
mod import_bad;
mod import_mjcf;
mod inputs;
mod later;
mod motion;
mod motion_contacts;
mod mutated_scenes;
mod mutation;
mod physics_info;
mod pins;
mod resume;
mod scene_reference;
mod scenes;
mod schema;
mod several;
mod shapes;
mod warnings;
mod world;
