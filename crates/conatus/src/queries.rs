//! Questions about what is where, between steps: rays, moving shapes, nearest points,
//! overlaps.

use crate::attachment::{BodyId, ColliderId};
use crate::simulation::Simulation;
use conatus_geometry::{Ray, Shape};
use conatus_math::{DVec3, Pose};
use conatus_rigid::contact::{Collider, ColliderHit, ColliderQueries, QueryTree};
use conatus_world::World;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Which colliders a query finds: all solid ones by default.
///
/// ```
/// use conatus::prelude::*;
///
/// let mut scene = SceneBuilder::new("filters");
/// let ball = scene.add_body(BodySpec::sphere(0.5).position([0.0, 0.0, 3.0]));
/// scene.add_plane(PlaneSpec::ground().name("floor"));
/// let simulation = scene.simulate()?;
/// let below = |filter: &QueryFilter| {
///     let hit = simulation.ray_cast([0.0, 0.0, 3.0], [0.0, 0.0, -1.0], 10.0, filter)?;
///     Some(simulation.collider_name(hit.collider).to_owned())
/// };
/// assert_eq!(below(&QueryFilter::new()).as_deref(), Some("body-1"));
/// assert_eq!(below(&QueryFilter::new().without(ball)).as_deref(), Some("floor"));
/// assert_eq!(below(&QueryFilter::new().without(ball).bodies()), None);
/// # Ok::<(), conatus::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryFilter {
    without: Vec<BodyId>,
    bodies: Option<bool>,
    sensors: bool,
    groups: Option<Vec<String>>,
}

impl QueryFilter {
    /// All colliders that are solid.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out a body, such as the one that a ray starts in.
    #[must_use]
    pub fn without(mut self, body: BodyId) -> Self {
        self.without.push(body);
        self
    }

    /// Bodies alone.
    #[must_use]
    pub fn bodies(mut self) -> Self {
        self.bodies = Some(true);
        self
    }

    /// Planes, obstacles and parts of characters alone.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.bodies = Some(false);
        self
    }

    /// Sensors as well.
    #[must_use]
    pub fn sensors(mut self) -> Self {
        self.sensors = true;
        self
    }

    /// What is in one of these groups alone. Groups that the scene does not have hold
    /// nothing.
    #[must_use]
    pub fn groups<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.groups = Some(names.into_iter().map(Into::into).collect());
        self
    }

    fn accepts(&self, world: &World) -> impl Fn(u32, &Collider) -> bool {
        let names = self.groups.as_ref();
        let groups = names.map(|names| world.group_bits(names.iter().map(String::as_str)));
        move |_, c| {
            let removed = c
                .body
                .is_some_and(|body| self.without.contains(&BodyId(body)));
            let is_kind = self.bodies.is_none_or(|bodies| bodies == c.body.is_some());
            let in_group = groups.is_none_or(|bits| bits & c.groups.member != 0);
            !removed && is_kind && in_group && (self.sensors || !c.sensor)
        }
    }
}

/// What a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryHit {
    /// The body; `None` for a plane, an obstacle or a part of a character.
    pub body: Option<BodyId>,
    /// The shape that was hit.
    pub collider: ColliderId,
    /// Where, in world coordinates.
    pub point: DVec3,
    /// The outward unit normal of the surface there; zero for a point inside.
    pub normal: DVec3,
    /// In metres from the start of the ray, of the movement, or from the point.
    pub distance: f64,
}

impl From<ColliderHit> for QueryHit {
    fn from(hit: ColliderHit) -> Self {
        Self {
            body: hit.body.map(BodyId),
            collider: ColliderId(hit.collider),
            point: hit.point,
            normal: hit.normal,
            distance: hit.distance,
        }
    }
}

/// The colliders in a tree, which is updated by the first query after something moved.
#[derive(Default)]
pub(crate) struct QueryCache {
    tree: OnceLock<QueryTree>,
    spare: Mutex<QueryTree>,
}

impl QueryCache {
    /// Something has moved.
    pub fn outdate(&mut self) {
        if let Some(tree) = self.tree.take() {
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = tree;
        }
    }

    fn queries<'a>(&'a self, world: &'a World) -> ColliderQueries<'a> {
        let tree = self.tree.get_or_init(|| {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut tree = std::mem::take(&mut *spare);
            world.update_query_tree(&mut tree);
            tree
        });
        ColliderQueries::new(&world.contact_engine.colliders, tree)
    }
}

impl Simulation {
    fn queries(&self) -> ColliderQueries<'_> {
        self.query_cache.queries(self.world())
    }

    /// The first shape on a ray within `max_distance` metres. `direction` may have any
    /// length but zero. A ray that starts in a shape hits it at distance 0. Cloth is not
    /// found by queries.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("laser");
    /// let ball = scene.add_body(BodySpec::sphere(0.5).position([4.0, 0.0, 1.0]));
    /// let simulation = scene.gravity([0.0; 3]).simulate()?;
    /// let hit = simulation
    ///     .ray_cast([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 100.0, &QueryFilter::new())
    ///     .expect("the ball is in the way");
    /// assert_eq!(hit.body, Some(ball));
    /// assert_eq!((hit.distance, hit.normal), (3.5, DVec3::NEG_X));
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn ray_cast(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max_distance: f64,
        filter: &QueryFilter,
    ) -> Option<QueryHit> {
        let ray = Ray::new(origin.into(), direction.into())?;
        let accepts = filter.accepts(self.world());
        let hit = self.queries().ray_cast(&ray, max_distance, &accepts);
        hit.map(QueryHit::from)
    }

    /// Where a ray enters each of the shapes that it meets, in order of distance.
    pub fn ray_cast_all(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max_distance: f64,
        filter: &QueryFilter,
    ) -> Vec<QueryHit> {
        let Some(ray) = Ray::new(origin.into(), direction.into()) else {
            return Vec::new();
        };
        let accepts = filter.accepts(self.world());
        let hits = self.queries().ray_cast_all(&ray, max_distance, &accepts);
        hits.into_iter().map(QueryHit::from).collect()
    }

    /// The first shape that another one touches when it moves from a pose along
    /// `direction`, without turning, by at most `max_distance` metres.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("clearance");
    /// scene.add_plane(PlaneSpec::ground());
    /// let simulation = scene.simulate()?;
    /// let wheel = Shape::Cylinder { radius: 0.4, height: 0.2, axis: Axis::Y };
    /// let start = Pose::shift(DVec3::new(0.0, 0.0, 2.0));
    /// let hit = simulation.shape_cast(&wheel, &start, [0.0, 0.0, -1.0], 5.0, &QueryFilter::new());
    /// assert!((hit.expect("the ground").distance - 1.6).abs() < 1e-9);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn shape_cast(
        &self,
        shape: &Shape,
        pose: &Pose,
        direction: impl Into<DVec3>,
        max_distance: f64,
        filter: &QueryFilter,
    ) -> Option<QueryHit> {
        let accepts = filter.accepts(self.world());
        let queries = self.queries();
        let hit = queries.shape_cast(shape, pose, direction.into(), max_distance, &accepts);
        hit.map(QueryHit::from)
    }

    /// The shape nearest to a point, within `max_distance` metres, and its nearest point. A
    /// shape that contains the point is at distance 0.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("near");
    /// scene.add_body(BodySpec::cuboid([1.0; 3]));
    /// let simulation = scene.simulate()?;
    /// let hit = simulation.nearest([3.0, 0.5, 0.0], 10.0, &QueryFilter::new()).unwrap();
    /// assert!(hit.point.distance(DVec3::new(1.0, 0.5, 0.0)) < 1e-9);
    /// assert!((hit.distance - 2.0).abs() < 1e-9);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn nearest(
        &self,
        point: impl Into<DVec3>,
        max_distance: f64,
        filter: &QueryFilter,
    ) -> Option<QueryHit> {
        let accepts = filter.accepts(self.world());
        let hit = self.queries().nearest(point.into(), max_distance, &accepts);
        hit.map(QueryHit::from)
    }

    /// The shapes that overlap another one, in order of their numbers. Surfaces of
    /// triangles have no inside.
    pub fn overlapping(&self, shape: &Shape, pose: &Pose, filter: &QueryFilter) -> Vec<ColliderId> {
        let accepts = filter.accepts(self.world());
        let found = self.queries().overlapping(shape, pose, &accepts);
        found.into_iter().map(ColliderId).collect()
    }

    /// The shapes that contain a point, in order of their numbers.
    pub fn containing(&self, point: impl Into<DVec3>, filter: &QueryFilter) -> Vec<ColliderId> {
        let accepts = filter.accepts(self.world());
        let found = self.queries().containing(point.into(), &accepts);
        found.into_iter().map(ColliderId).collect()
    }

    /// The name of a collider: that of its body, of its plane or of its obstacle.
    pub fn collider_name(&self, collider: ColliderId) -> &str {
        self.world().collider_name(collider.0)
    }

    /// The body that a collider is fixed to.
    pub fn body_of(&self, collider: ColliderId) -> Option<BodyId> {
        let colliders = &self.world().contact_engine.colliders;
        colliders.get(collider.index())?.body.map(BodyId)
    }
}
