//! The contacts of each body.

use super::constraint::ContactConstraint;

/// The contacts of each body, one body after the other.
#[derive(Debug, Default)]
pub struct Adjacency {
    /// Where the list of each body begins, and the end of the last.
    starts: Vec<u32>,
    contacts: Vec<u32>,
}

impl Adjacency {
    /// Collects the contacts of all bodies but body 0.
    pub fn rebuild(&mut self, bodies: usize, contacts: &[ContactConstraint]) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        let moving = |c: &ContactConstraint| c.bodies.into_iter().filter(|b| *b != 0);
        for b in contacts.iter().flat_map(moving) {
            self.starts[b as usize + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        let mut next = self.starts.clone();
        self.contacts.clear();
        self.contacts.resize(self.starts[bodies] as usize, 0);
        for (k, c) in (0u32..).zip(contacts) {
            for b in moving(c) {
                self.contacts[next[b as usize] as usize] = k;
                next[b as usize] += 1;
            }
        }
    }

    /// The contacts of a body.
    pub fn of(&self, body: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.starts[body as usize + k] as usize);
        &self.contacts[from..to]
    }
}
