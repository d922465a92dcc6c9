//! The tree of bodies that joints make: each body below the one that it is joined to.
//!
//! Loops are broken at the joint that closes them, and ropes and rods join nothing. Bodies
//! that leave the world are in no tree, because a node hides all nodes below it.

use conatus_record::{Recording, Status};
use std::collections::VecDeque;

/// The trees of a recording's bodies.
pub(super) struct Hierarchy {
    /// The body that each one follows.
    pub parents: Vec<Option<usize>>,
    /// All bodies, parents before their children.
    pub order: Vec<usize>,
}

impl Hierarchy {
    /// Reads the joints.
    pub fn new(recording: &Recording) -> Self {
        let header = &recording.header;
        let count = header.bodies.len();
        let mut stays = vec![true; count];
        for frame in &recording.frames {
            for (stays, body) in stays.iter_mut().zip(&frame.bodies) {
                *stays &= body.status != Status::Removed;
            }
        }
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut is_second = vec![false; count];
        let mut groups: Vec<usize> = (0..count).collect();
        for joint in header.physics.joints.iter().filter(|j| j.has_axes()) {
            let [Some(a), Some(b)] = joint.bodies else {
                continue;
            };
            if a >= count || b >= count || !(stays[a] && stays[b]) {
                continue;
            }
            let [first, second] = [a, b].map(|body| find(&mut groups, body));
            if first == second {
                continue;
            }
            groups[second] = first;
            beside[a].push(b);
            beside[b].push(a);
            is_second[b] = true;
        }
        // A tree starts at a body that is the first of all its joints, if there is one.
        let mut roots: Vec<Option<usize>> = vec![None; count];
        for only_first in [true, false] {
            for (body, &second) in is_second.iter().enumerate() {
                let group = find(&mut groups, body);
                if roots[group].is_none() && !(only_first && second) {
                    roots[group] = Some(body);
                }
            }
        }
        let mut parents = vec![None; count];
        let mut order = Vec::with_capacity(count);
        let mut open: VecDeque<usize> = roots.into_iter().flatten().collect();
        while let Some(body) = open.pop_front() {
            order.push(body);
            for &child in &beside[body] {
                if parents[body] != Some(child) {
                    parents[child] = Some(body);
                    open.push_back(child);
                }
            }
        }
        Self { parents, order }
    }
}

/// The representative of a body's group, with shortened paths.
fn find(groups: &mut [usize], mut body: usize) -> usize {
    while groups[body] != body {
        groups[body] = groups[groups[body]];
        body = groups[body];
    }
    body
}
