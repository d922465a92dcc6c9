//! What the world's colliders are called, and questions about where they are.

use crate::world::World;
use conatus_rigid::contact::{Collider, ColliderQueries, QueryTree, ScriptedMotion};

impl World {
    /// Adds a shape that collides, with a name of its own if it is on no body.
    pub fn add_named_collider(&mut self, name: &str, collider: Collider) {
        let first = self.contact_engine.colliders.len() as u32;
        let named = collider.body.is_none();
        self.add_collider(collider);
        // A compound becomes several.
        for number in first..self.contact_engine.colliders.len() as u32 {
            if named {
                self.collider_names.insert(number, name.to_owned());
            }
        }
    }

    /// The name of a collider: that of its body, or its own.
    pub fn collider_name(&self, collider: u32) -> &str {
        let found = self.contact_engine.colliders.get(collider as usize);
        let name = match found.and_then(|c| c.body) {
            Some(body) => self.names.get(body),
            None => self.collider_names.get(&collider),
        };
        name.map_or("", String::as_str)
    }

    /// The bits of the groups of these names; unknown names have none.
    pub fn group_bits<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> u32 {
        names.into_iter().fold(0, |bits, name| {
            let bit = self.group_names.iter().position(|n| n == name);
            bits | bit.map_or(0, |bit| 1u32.checked_shl(bit as u32).unwrap_or(0))
        })
    }

    /// Where obstacles and parts of characters are now.
    pub(crate) fn scripted_motions(&self) -> Vec<ScriptedMotion> {
        let cloth = self.cloth.iter();
        let motions = cloth.flat_map(|cloth| cloth.scripted_motions(self.time(), self.h));
        motions.collect()
    }

    /// Takes over the present poses of colliders into a tree.
    pub fn update_query_tree(&self, tree: &mut QueryTree) {
        tree.update(&self.contact_engine, &self.bodies, &self.scripted_motions());
    }

    /// Answers questions about colliders at their present poses: rays, moving shapes,
    /// nearest points, overlaps. Cloth is not among them. Keep the tree from step to step:
    /// it is updated where something moved.
    ///
    /// ```
    /// use conatus_geometry::Ray;
    /// use conatus_math::DVec3;
    /// use conatus_rigid::contact::{Collider, ContactMaterial, QueryTree};
    /// use conatus_world::World;
    ///
    /// let mut world = World::new(0.01);
    /// let material = ContactMaterial::default();
    /// world.add_collider(Collider::plane(DVec3::ZERO, DVec3::Z, material));
    /// let mut tree = QueryTree::default();
    /// let ray = Ray::new(DVec3::Z * 3.0, DVec3::NEG_Z).unwrap();
    /// let hit = world.queries(&mut tree).ray_cast(&ray, 10.0, &|_, _| true).unwrap();
    /// assert_eq!(hit.distance, 3.0);
    /// ```
    pub fn queries<'a>(&'a self, tree: &'a mut QueryTree) -> ColliderQueries<'a> {
        self.update_query_tree(tree);
        ColliderQueries::new(&self.contact_engine.colliders, tree)
    }
}
