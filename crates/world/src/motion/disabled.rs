//! Stands in for characters in builds without the feature `motion`: the same interface
//! without values. Scenes with characters are refused there.

use crate::scene::Setup;
use conatus_record::{BodyFrame, Clip, ContactFrame};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The description of a character, unchecked.
pub(crate) type Description = BTreeMap<String, Value>;
/// A placement in a pose, unchecked.
pub(crate) type PlaceDescription = BTreeMap<String, Value>;

/// Plans the movement of characters. No scene has one.
pub enum MotionPlanner {}

/// The characters of a world. No world has any.
pub enum MotionWorld {}

impl MotionWorld {
    /// The clip of the movement, once it is set.
    pub fn movement_clip(&self) -> Option<&Clip> {
        match *self {}
    }

    /// The clip that is played.
    pub fn clip(&self) -> &Clip {
        match *self {}
    }

    /// The report of the movement.
    pub fn report(&self) -> Option<&MotionReport> {
        match *self {}
    }

    /// The states of all parts at a time.
    pub fn parts(&self, _time: f64) -> Vec<BodyFrame> {
        match *self {}
    }

    /// The contact forces on characters at a time.
    pub fn contacts(&self, _time: f64, _step: f64) -> Vec<ContactFrame> {
        match *self {}
    }
}

impl Setup {
    /// Does nothing: no scene has characters.
    pub fn plan_movement(&mut self) {}
}

/// What the report of a recorded run says about characters, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MotionReport(pub Value);

impl MotionReport {
    /// Whether the search for the movement was stopped before its end.
    pub fn was_interrupted(&self) -> bool {
        self.0["interrupted"] == true
    }

    /// Whether the movement misses a threshold or a goal.
    pub fn has_failed(&self) -> bool {
        self.0["failure"].is_string()
    }
}
