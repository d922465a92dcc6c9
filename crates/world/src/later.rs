//! Bodies and joints that commands put into a running world.
//!
//! They are in the lists of the world from its start, so that no number ever changes: a body
//! as if it were removed, a joint as if it were broken. The command puts them in. So a run
//! can be replayed and resumed across it, and every frame lists the same bodies.

use crate::world::World;
use conatus_math::Pose;
use conatus_rigid::contact::Groups;
use conatus_rigid::forces::Force;
use conatus_rigid::{Activity, Joint, State};

/// A body that is not in the world yet.
pub(crate) struct LaterBody {
    body: usize,
    activity: Activity,
    state: State,
    /// The groups of its colliders, which are in none until then.
    groups: Vec<(usize, Groups)>,
    /// What acts on it alone, such as water.
    forces: Vec<Box<dyn Force>>,
}

/// Makes a joint from the poses of its bodies.
pub(crate) type JointMaker = Box<dyn Fn([Pose; 2]) -> Option<Joint> + Send + Sync>;

/// A joint that commands add, with the poses of its bodies when they last did.
pub(crate) struct LaterJoint {
    joint: usize,
    make: JointMaker,
    added_at: Option<[Pose; 2]>,
}

impl World {
    /// Takes the body that was added last out of the world until a command adds it, with
    /// forces that act on it alone from then on.
    pub(crate) fn make_body_later(&mut self, forces: Vec<Box<dyn Force>>) {
        let Some(body) = self.bodies.len().checked_sub(1) else {
            return;
        };
        let colliders = self.contact_engine.colliders.iter().enumerate();
        let own = colliders.filter(|(_, c)| c.body == Some(body));
        self.later_bodies.push(LaterBody {
            body,
            activity: self.bodies.activity(body),
            state: self.bodies.mover_state(body),
            groups: own.map(|(k, c)| (k, c.groups)).collect(),
            forces,
        });
        self.contact_engine.disable_body(body);
        self.bodies.set_mover_state(body, &State::default());
        self.bodies.set_activity(body, Activity::Removed);
    }

    /// Whether a body waits for a command that adds it.
    pub(crate) fn is_later(&self, body: usize) -> bool {
        self.later_bodies.iter().any(|later| later.body == body)
    }

    /// Puts a body into the world.
    pub(crate) fn put_in(&mut self, body: usize) {
        let Some(at) = self.later_bodies.iter().position(|l| l.body == body) else {
            return;
        };
        let later = self.later_bodies.remove(at);
        self.bodies.set_mover_state(body, &later.state);
        self.bodies.set_activity(body, later.activity);
        self.valid_states[body] = later.state;
        self.attach(later);
    }

    fn attach(&mut self, later: LaterBody) {
        for (k, groups) in later.groups {
            self.contact_engine.colliders[k].groups = groups;
        }
        for force in later.forces {
            self.add_boxed_force(force);
        }
    }

    /// After a checkpoint was restored: attaches what belongs to bodies that are in the
    /// world already.
    pub(crate) fn attach_restored_bodies(&mut self) {
        let (later, present): (Vec<_>, Vec<_>) = std::mem::take(&mut self.later_bodies)
            .into_iter()
            .partition(|later| self.is_removed(later.body));
        self.later_bodies = later;
        present.into_iter().for_each(|body| self.attach(body));
    }

    /// Adds a joint that waits for a command. `joint` shows its bodies and coordinates.
    pub(crate) fn add_later_joint(&mut self, name: &str, mut joint: Joint, make: JointMaker) {
        joint.broken = true;
        let joint = self.add_joint(name, joint);
        self.later_joints.push(LaterJoint {
            joint,
            make,
            added_at: None,
        });
    }

    fn poses_of(&self, joint: usize) -> [Pose; 2] {
        self.contact_engine.joints[joint]
            .bodies
            .map(|body| match body {
                Some(body) => self.bodies.state(body).pose(),
                None => Pose::IDENTITY,
            })
    }

    /// Joins the bodies of a joint as they are now. Joints whose bodies are not in the world
    /// stay apart.
    pub(crate) fn put_in_joint(&mut self, name: &str) {
        let Some(k) = self.joint_names.iter().position(|n| n == name) else {
            return;
        };
        let bodies = self.contact_engine.joints[k].bodies;
        if bodies.iter().flatten().any(|&body| self.is_removed(body)) {
            return;
        }
        let poses = self.poses_of(k);
        self.make_joint(k, poses);
    }

    fn make_joint(&mut self, k: usize, poses: [Pose; 2]) {
        let Some(later) = self.later_joints.iter_mut().find(|l| l.joint == k) else {
            return;
        };
        if let Some(joint) = (later.make)(poses) {
            later.added_at = Some(poses);
            self.contact_engine.joints[k] = joint;
        }
    }

    /// Takes a joint out of the world without a break.
    pub(crate) fn take_out_joint(&mut self, name: &str) {
        if let Some(joint) = self.joint_mut(name) {
            joint.broken = true;
        }
    }

    /// The joints that commands have added, with the poses of their bodies at that time.
    pub(crate) fn added_joints(&self) -> Vec<(usize, [Pose; 2])> {
        let joints = self.later_joints.iter();
        joints
            .filter_map(|l| Some((l.joint, l.added_at?)))
            .collect()
    }

    /// Adds the joints of a checkpoint again; false if they are not of this world.
    pub(crate) fn restore_added_joints(&mut self, added: &[(usize, [Pose; 2])]) -> bool {
        added.iter().all(|&(k, poses)| {
            let known = self.later_joints.iter().any(|l| l.joint == k);
            self.make_joint(k, poses);
            known
        })
    }
}
