//! Stands in for cloth in builds without the feature `cloth`: the same interface without
//! values. Scenes with cloth or obstacles are refused there.

use crate::checkpoint::CheckpointError;
use crate::checkpoint::wire::{Reader, Wire};
use crate::motion::MotionWorld;
use crate::report::ClothReport;
use crate::run::RunStats;
use conatus_math::{DVec3, Pose};
use conatus_rigid::Bodies;
use conatus_rigid::contact::ScriptedMotion;
use serde_json::Value;

/// The cloth of a world. No world has any.
pub enum ClothWorld {}

impl ClothWorld {
    /// The bodies that cloth can collide with.
    pub fn bodies(&self) -> &[usize] {
        match *self {}
    }

    /// The bodies that cloth may set in motion.
    pub fn moved_bodies(&self) -> &[usize] {
        match *self {}
    }

    /// Whether the cloth stopped.
    pub fn is_halted(&self) -> bool {
        match *self {}
    }

    /// A message that says why the cloth stopped.
    pub fn failure_message(&self) -> Option<String> {
        match *self {}
    }

    pub(crate) fn failure_event(&self) -> Option<Value> {
        match *self {}
    }

    pub(crate) fn stopped(&self) -> Option<f64> {
        match *self {}
    }

    /// Where the scene's obstacles are.
    pub fn obstacle_poses(&self, _t: f64) -> std::iter::Empty<Pose> {
        match *self {}
    }

    pub(crate) fn scripted_motions(&self, _t: f64, _h: f64) -> std::iter::Empty<ScriptedMotion> {
        match *self {}
    }

    /// Makes the parts of characters move as they do in their present movement.
    pub fn follow(&mut self, _motion: &MotionWorld) {
        match *self {}
    }

    pub(crate) fn state(&self) -> ClothState {
        match *self {}
    }

    pub(crate) fn restore(
        &mut self,
        _state: &ClothState,
        _bodies: &Bodies,
    ) -> Result<(), CheckpointError> {
        match *self {}
    }

    pub(crate) fn clear_caches(&mut self) {
        match *self {}
    }

    pub(crate) fn before(&mut self, _bodies: &Bodies) {
        match *self {}
    }

    pub(crate) fn step(&mut self, _t: f64, _h: f64, _bodies: &mut Bodies) {
        match *self {}
    }

    pub(crate) fn intersections(&self) -> u64 {
        match *self {}
    }

    /// The positions of all vertices.
    pub fn positions(&self) -> &[DVec3] {
        match *self {}
    }

    pub(crate) fn max_stretch(&self) -> f64 {
        match *self {}
    }

    pub(crate) fn is_driven(&self) -> bool {
        match *self {}
    }

    pub(crate) fn lift(&self) -> f64 {
        match *self {}
    }

    pub(crate) fn report(&self, _run: &RunStats) -> ClothReport {
        match *self {}
    }

    pub(crate) fn totals(&self, _gravity: DVec3) -> (f64, f64, DVec3, DVec3) {
        match *self {}
    }
}

/// The state of cloth in a checkpoint, which cannot be read.
pub(crate) enum ClothState {}

impl Wire for ClothState {
    fn put(&self, _out: &mut Vec<u8>) {
        match *self {}
    }

    fn get(_bytes: &mut Reader) -> Option<Self> {
        None
    }
}
