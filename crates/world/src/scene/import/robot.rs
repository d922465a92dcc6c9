//! What URDF and MJCF have in common: a tree of links with joints.

use crate::scene::model::{PlaneSpec, ShapeSpec, Vec3};
use crate::scene::tree::Span;
use conatus_math::{DVec3, Pose};
use conatus_rigid::MassProperties;

/// A robot as its file describes it.
#[derive(Clone, Debug, Default)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Its links; parents come before their children.
    pub links: Vec<RobotLink>,
    /// Joints that close loops.
    pub loops: Vec<LoopJoint>,
    /// Links that do not collide with each other.
    pub excludes: Vec<Vec<usize>>,
    /// Whether links that are joined to static ones collide with them, as in MJCF.
    pub static_links_collide: bool,
    /// Whether links that overlap at the start may not collide, as URDF files expect.
    pub excludes_overlaps: bool,
    /// Planes of the world.
    pub planes: Vec<PlaneSpec>,
    /// Gravity, if the file gives it.
    pub gravity: Option<Vec3>,
    /// The step in seconds, if the file gives it.
    pub step: Option<f64>,
}

/// A rigid part of a robot.
#[derive(Clone, Debug)]
pub struct RobotLink {
    /// Its name, unique in the robot.
    pub name: String,
    /// The link that carries it; none for the world.
    pub parent: Option<usize>,
    /// Where it is in its parent while all joints are at zero.
    pub pose: Pose,
    /// The joints between it and its parent, that of the parent first. Without any it is
    /// fixed to its parent, unless it is free.
    pub joints: Vec<LinkJoint>,
    /// Not joined to anything.
    pub free: bool,
    /// Mass, centre of mass and inertia in its own axes; none without mass.
    pub mass: Option<MassProperties>,
    /// Its shapes.
    pub shapes: Vec<LinkShape>,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// Coulomb's coefficient.
    pub friction: Option<f64>,
    /// Its place in the file.
    pub span: Span,
}

/// A shape of a link.
#[derive(Clone, Debug)]
pub struct LinkShape {
    /// The shape.
    pub shape: ShapeSpec,
    /// Where it is in the link.
    pub pose: Pose,
    /// The groups that it is in and that it collides with, as MuJoCo's bits; zeros for a
    /// shape that is only seen.
    pub groups: [u32; 2],
}

impl LinkShape {
    /// Whether it can touch anything.
    pub fn collides(&self) -> bool {
        self.groups != [0, 0]
    }

    /// Whether two shapes can touch each other.
    pub fn meets(&self, other: &Self) -> bool {
        self.groups[0] & other.groups[1] != 0 || other.groups[0] & self.groups[1] != 0
    }
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkJointKind {
    /// A rotation about its axis.
    Hinge,
    /// A displacement along its axis.
    Slider,
    /// All rotations.
    Ball,
}

/// A joint between a link and its parent.
#[derive(Clone, Debug)]
pub struct LinkJoint {
    /// Its name.
    pub name: String,
    /// What it leaves free.
    pub kind: LinkJointKind,
    /// Where it is, in the axes of the link.
    pub anchor: DVec3,
    /// Its axis in the axes of the link, of length one.
    pub axis: DVec3,
    /// The least and greatest position; of a ball, the greatest angle is the second.
    pub limits: Option<[f64; 2]>,
    /// The position that the file calls its reference: the link is there at its pose.
    pub reference: f64,
    /// The position at the start.
    pub start: f64,
    /// N·m/rad or N/m.
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Where the spring is at rest.
    pub rest: f64,
    /// A motor that works from the start.
    pub motor: Option<LinkMotor>,
    /// The greatest force of whatever drives it.
    pub effort: Option<f64>,
    /// Its place in the file.
    pub span: Span,
}

/// What a motor holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkMotor {
    /// A position, with a greatest force.
    Position(f64, f64),
    /// A speed, with a greatest force.
    Speed(f64, f64),
}

impl LinkJoint {
    /// A joint without limits, springs and motors.
    pub fn new(name: impl Into<String>, kind: LinkJointKind, axis: DVec3, span: Span) -> Self {
        Self {
            name: name.into(),
            kind,
            anchor: DVec3::ZERO,
            axis,
            limits: None,
            reference: 0.0,
            start: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            rest: 0.0,
            motor: None,
            effort: None,
            span,
        }
    }
}

/// A joint that closes a loop.
#[derive(Clone, Debug)]
pub struct LoopJoint {
    /// Its name.
    pub name: String,
    /// The links; none is the world.
    pub links: [Option<usize>; 2],
    /// Where it is in the axes of the first link.
    pub anchor: DVec3,
    /// Whether it holds rotations too.
    pub rigid: bool,
}
