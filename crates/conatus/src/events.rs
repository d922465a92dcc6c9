//! What begins and stops touching, and code that is called with contacts.

use crate::attachment::{BodyId, ColliderId};
use crate::simulation::{ContactEvent, Simulation};
use conatus_math::DVec3;
use conatus_rigid::contact::{ColliderOwner, PendingContact, TouchKind};

/// What is called with the contacts of a step after it.
pub(crate) type ContactObserver = dyn FnMut(&ContactEvent) + Send + Sync;

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactSide {
    /// A body.
    Body(BodyId),
    /// A plane, an obstacle or a part of a character.
    Fixed(ColliderId),
}

impl ContactSide {
    /// The body, if it is one.
    pub fn body(self) -> Option<BodyId> {
        match self {
            Self::Body(body) => Some(body),
            Self::Fixed(_) => None,
        }
    }
}

impl From<ColliderOwner> for ContactSide {
    fn from(owner: ColliderOwner) -> Self {
        match owner {
            ColliderOwner::Body(body) => Self::Body(BodyId(body)),
            ColliderOwner::Fixed(collider) => Self::Fixed(ColliderId(collider)),
        }
    }
}

impl From<BodyId> for ContactSide {
    fn from(body: BodyId) -> Self {
        Self::Body(body)
    }
}

/// The beginning or the end of a contact, or of the overlap of something with a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionEvent {
    /// What happened.
    pub kind: TouchKind,
    /// One of the two; the sensor, of sensors.
    pub a: ContactSide,
    /// The other.
    pub b: ContactSide,
}

/// A contact before it is solved, which a closure may change; see
/// [`Simulation::on_contact`].
pub struct ContactRequest<'a> {
    pub(crate) inner: &'a mut PendingContact,
}

impl ContactRequest<'_> {
    /// What touches.
    pub fn sides(&self) -> [ContactSide; 2] {
        self.inner.owners.map(ContactSide::from)
    }

    /// Whether it is a contact of a body.
    pub fn involves(&self, side: impl Into<ContactSide>) -> bool {
        self.sides().contains(&side.into())
    }

    /// The unit normal from the first to the second.
    pub fn normal(&self) -> DVec3 {
        self.inner.normal
    }

    /// Where they touch, in world coordinates.
    pub fn point(&self) -> DVec3 {
        self.inner.point
    }

    /// Their distance in metres; negative if they overlap.
    pub fn separation(&self) -> f64 {
        self.inner.separation
    }

    /// The velocity of the second relative to the first at the point, before the step.
    pub fn relative_velocity(&self) -> DVec3 {
        self.inner.relative_velocity
    }

    /// Lets them pass through each other in this step.
    pub fn disable(&mut self) {
        self.inner.enabled = false;
    }

    /// The coefficient of restitution.
    pub fn restitution(&mut self) -> &mut f64 {
        &mut self.inner.restitution
    }

    /// Coulomb's μ.
    pub fn friction(&mut self) -> &mut f64 {
        &mut self.inner.friction
    }

    /// The velocity of the surface of a plane or an obstacle, in world axes: a conveyor
    /// belt. It does nothing between two bodies.
    pub fn surface_velocity(&mut self, velocity: impl Into<DVec3>) {
        self.inner.surface_velocity = velocity.into();
    }
}

impl Simulation {
    /// What began and stopped touching in the last step, and what entered and left
    /// sensors.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("gate");
    /// let ball = scene.add_body(BodySpec::sphere(0.1).position([0.0, 0.0, 1.0]));
    /// scene.add_obstacle(ObstacleSpec::cuboid([1.0, 1.0, 0.1]).name("gate").sensor());
    /// let mut simulation = scene.simulate()?;
    /// let mut seen = Vec::new();
    /// while simulation.time() < 1.0 {
    ///     simulation.step();
    ///     seen.extend(simulation.contact_events().map(|event| (event.kind, event.b)));
    /// }
    /// let ball = ContactSide::Body(ball);
    /// assert_eq!(seen, [(TouchKind::SensorEnter, ball), (TouchKind::SensorLeave, ball)]);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn contact_events(&self) -> impl Iterator<Item = CollisionEvent> + '_ {
        let events = self.world().touch_events().iter();
        events.map(|event| {
            let [a, b] = event.pair.map(ContactSide::from);
            CollisionEvent {
                kind: event.kind,
                a,
                b,
            }
        })
    }

    /// The name of a side of a contact.
    pub fn name_of_side(&self, side: ContactSide) -> &str {
        match side {
            ContactSide::Body(body) => self.name_of(body),
            ContactSide::Fixed(collider) => self.collider_name(collider),
        }
    }

    /// Calls a closure with every contact of every step before it is solved, in order of
    /// the colliders; bodies that sleep have none. It may change friction and restitution, give the surface of an
    /// obstacle a velocity, or let the two pass. It takes the place of an earlier one.
    ///
    /// A recording does not contain it: such a run cannot be replayed from its recording.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("conveyor");
    /// let parcel = BodySpec::cuboid([0.2; 3]).position([0.0, 0.0, 0.2]).friction(0.5);
    /// let parcel = scene.add_body(parcel.restitution(0.0));
    /// scene.add_plane(PlaneSpec::ground());
    /// let mut simulation = scene.simulate()?;
    /// simulation.on_contact(|contact| contact.surface_velocity([1.0, 0.0, 0.0]));
    /// simulation.run_until(2.0);
    /// assert!((simulation.state(parcel).velocity.x - 1.0).abs() < 1e-3);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn on_contact(
        &mut self,
        mut callback: impl FnMut(&mut ContactRequest) + Send + Sync + 'static,
    ) {
        let hook = move |inner: &mut PendingContact| callback(&mut ContactRequest { inner });
        self.world_mut().set_contact_hook(hook);
    }

    /// Calls a closure after every step with each of its contacts and the impulse that acted
    /// there, in order. It takes the place of an earlier one.
    ///
    /// ```
    /// use conatus::prelude::*;
    /// use std::sync::mpsc;
    ///
    /// let mut scene = SceneBuilder::new("bang");
    /// scene.add_body(BodySpec::sphere(0.1).mass(1.0).position([0.0, 0.0, 0.1]).velocity([0.0, 0.0, -2.0]));
    /// scene.add_plane(PlaneSpec::ground().restitution(0.5));
    /// let mut simulation = scene.gravity([0.0; 3]).simulate()?;
    /// let (send, receive) = mpsc::channel();
    /// simulation.after_contacts(move |contact| drop(send.send(contact.impulse.z)));
    /// simulation.run_until(0.1);
    /// let sum: f64 = receive.try_iter().sum();
    /// assert!((sum - 3.0).abs() < 1e-9);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn after_contacts(&mut self, observer: impl FnMut(&ContactEvent) + Send + Sync + 'static) {
        self.after_contacts = Some(Box::new(observer));
    }

    /// Removes the closure of [`on_contact`](Self::on_contact).
    pub fn clear_on_contact(&mut self) {
        self.world_mut().remove_contact_hook();
    }
}
