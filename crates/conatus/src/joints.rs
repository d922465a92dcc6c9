//! Joints of a simulation: added, removed, driven and broken while it runs.
//!
//! Each change is an event of the recording, which replays it.

use crate::attachment::BodyId;
use crate::error::Error;
use crate::simulation::Simulation;
use conatus_rigid::joint::{JointLoad, MotorTarget};
use conatus_world::Command;
use conatus_world::scene::model::JointSpec;

impl Simulation {
    /// Joins two bodies as they are now, or a body to the world if `a` is `None`, and
    /// returns the name of the joint.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("catch");
    /// let ball = scene.add_body(BodySpec::sphere(0.1).mass(1.0));
    /// let mut simulation = scene.simulate()?;
    /// simulation.run_until(0.5);
    /// let rope = simulation.add_joint(None, ball, JointSpec::rope(2.0))?;
    /// simulation.run_until(3.0);
    /// assert!(simulation.state(ball).position.z > -2.1);
    /// assert!(simulation.remove_joint(&rope));
    /// simulation.run_until(4.0);
    /// assert!(simulation.state(ball).position.z < -4.0);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    ///
    /// # Panics
    /// If a handle belongs to another scene.
    pub fn add_joint(
        &mut self,
        a: impl Into<Option<BodyId>>,
        b: BodyId,
        joint: JointSpec,
    ) -> Result<String, Error> {
        let bodies = a.into().into_iter().chain([b]);
        let names: Vec<String> = bodies.map(|body| self.name_of(body).to_owned()).collect();
        Ok(self.setup.add_joint(&self.scene, joint.bodies(names))?)
    }

    fn has_joint(&self, joint: &str) -> bool {
        self.world().joint_names.iter().any(|name| name == joint)
    }

    /// Executes a command to a joint; false if there is no such joint.
    fn joint_command(&mut self, joint: &str, command: Command) -> bool {
        let known = self.has_joint(joint);
        if known {
            self.world_mut().execute_now(&command);
        }
        known
    }

    /// Removes a joint. Returns false if there is no such joint.
    pub fn remove_joint(&mut self, joint: &str) -> bool {
        let name = joint.to_owned();
        self.joint_command(joint, Command::RemoveJoint { joint: name })
    }

    /// Gives the motor of a joint another target. Returns false if there is no such joint.
    pub fn set_motor(&mut self, joint: &str, target: MotorTarget) -> bool {
        let (speed, position) = match target {
            MotorTarget::Velocity(speed) => (Some(speed), None),
            MotorTarget::Position(position) => (None, Some(position)),
        };
        let command = Command::Motor {
            joint: joint.to_owned(),
            steering: false,
            speed,
            position,
        };
        self.joint_command(joint, command)
    }

    /// Breaks a joint. Returns false if there is no such joint.
    pub fn break_joint(&mut self, joint: &str) -> bool {
        let name = joint.to_owned();
        self.joint_command(joint, Command::Break { joint: name })
    }

    /// The force (N) and torque (N·m) of a joint on its second body, and its errors, in
    /// the last step.
    pub fn joint_load(&self, joint: &str) -> Option<JointLoad> {
        let world = self.world();
        let at = world.joint_names.iter().position(|name| name == joint)?;
        Some(world.joints()[at].load)
    }
}
