//! The binary layout of a frame; docs/formats.md is its specification.

use crate::bytes::Bytes;
use crate::model::{BodyFrame, ContactFrame, Frame, Status, Totals};
use conatus_math::DQuat;

/// A description of the layout: the schema of `/frames` in every recording.
pub const FRAME_LAYOUT: &str = "\
One frame. All numbers are little-endian; f64 is IEEE 754 binary64; lengths in
metres, masses in kilograms, times in seconds. n = bodies, c = contacts, m =
vertices of all pieces of cloth in /header.

offset      type      what
0           f64       time since the start
8           u64       steps since the start
16          f64       kinetic energy
24          f64       potential energy
32          f64[3]    momentum
56          f64[3]    angular momentum about the world's origin
80          f64       greatest penetration since the previous frame
88          u32       n, the number of bodies in /header
92          u32       c, the number of contacts
96          body[n]   104 bytes each:
              f64[3]    position of the centre of mass
              f64[4]    orientation w, x, y, z (body to world axes)
              f64[3]    velocity of the centre of mass
              f64[3]    angular velocity in body axes
96+104n     contact[c] 56 bytes each:
              f64[3]    point
              f64[3]    impulse on the first body
              f64       penetration
96+104n+56c f64[3][m] vertices of the pieces of cloth, one piece after the other
96+104n+56c+24m u8[n] status: 0 free, 1 locked, 2 merged, 3 quarantined,
                      4 scripted
";

/// The same for `/state`.
pub const STATE_LAYOUT: &str = "\
A checkpoint after the messages so far, for `conatus run --resume`. It begins with
a u32, the version of its layout; the rest is private to the program.
";

const HEAD: usize = 96;
const BODY: usize = 104;
const CONTACT: usize = 56;
const VERTEX: usize = 24;

/// How many bytes a frame takes in a file before compression.
pub(crate) fn encoded_len(bodies: usize, contacts: usize, vertices: usize) -> usize {
    HEAD.saturating_add(bodies.saturating_mul(BODY + 1))
        .saturating_add(contacts.saturating_mul(CONTACT))
        .saturating_add(vertices.saturating_mul(VERTEX))
}

impl Frame {
    /// Appends the frame's bytes to `out`, as `/frames` of a recording holds
    /// them ([`FRAME_LAYOUT`]).
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(encoded_len(
            self.bodies.len(),
            self.contacts.len(),
            self.cloth.len(),
        ));
        let mut f64s = |values: &[f64]| {
            for v in values {
                out.extend_from_slice(&v.to_bits().to_le_bytes());
            }
        };
        let Totals {
            kinetic,
            potential,
            momentum,
            angular_momentum,
            max_penetration,
        } = self.totals;
        f64s(&[self.time, f64::from_bits(self.step), kinetic, potential]);
        f64s(&momentum.to_array());
        f64s(&angular_momentum.to_array());
        f64s(&[max_penetration]);
        let counts = self.bodies.len() as u64 | (self.contacts.len() as u64) << 32;
        f64s(&[f64::from_bits(counts)]);
        for body in &self.bodies {
            let q = body.orientation;
            f64s(&body.position.to_array());
            f64s(&[q.w, q.x, q.y, q.z]);
            f64s(&body.velocity.to_array());
            f64s(&body.omega_body.to_array());
        }
        for contact in &self.contacts {
            f64s(&contact.point.to_array());
            f64s(&contact.impulse.to_array());
            f64s(&[contact.penetration]);
        }
        for vertex in &self.cloth {
            f64s(&vertex.to_array());
        }
        out.extend(self.bodies.iter().map(|b| b.status as u8));
    }

    /// Reads a frame of `bodies` bodies and `vertices` vertices of cloth from
    /// the output of [`Frame::encode`]; the error says what is wrong.
    pub fn decode(data: &[u8], bodies: usize, vertices: usize) -> Result<Self, String> {
        let cut = || "a frame is too short".to_string();
        let mut b = Bytes(data);
        let mut frame = head(&mut b).ok_or_else(cut)?;
        let n = b.u32().ok_or_else(cut)? as usize;
        let c = b.u32().ok_or_else(cut)? as usize;
        if n != bodies {
            return Err(format!("a frame has {n} bodies, the header {bodies}"));
        }
        // The length is checked before anything is allocated, so that a wrong count
        // cannot allocate more memory than the file has bytes.
        if data.len() != encoded_len(n, c, vertices) {
            return Err(format!(
                "a frame of {n} bodies, {c} contacts and {vertices} vertices of cloth has {} bytes",
                data.len()
            ));
        }
        frame.bodies = (0..n)
            .map(|_| body(&mut b))
            .collect::<Option<_>>()
            .ok_or_else(cut)?;
        frame.contacts = (0..c)
            .map(|_| contact(&mut b))
            .collect::<Option<_>>()
            .ok_or_else(cut)?;
        frame.cloth = (0..vertices)
            .map(|_| b.vec3())
            .collect::<Option<_>>()
            .ok_or_else(cut)?;
        for body in &mut frame.bodies {
            body.status = match b.u8().ok_or_else(cut)? {
                0 => Status::Free,
                1 => Status::Locked,
                2 => Status::Merged,
                3 => Status::Quarantined,
                4 => Status::Scripted,
                5 => Status::Removed,
                6 => Status::Asleep,
                other => return Err(format!("unknown status {other} of a body")),
            };
        }
        Ok(frame)
    }
}

fn head(b: &mut Bytes) -> Option<Frame> {
    Some(Frame {
        time: b.f64()?,
        step: b.u64()?,
        totals: Totals {
            kinetic: b.f64()?,
            potential: b.f64()?,
            momentum: b.vec3()?,
            angular_momentum: b.vec3()?,
            max_penetration: b.f64()?,
        },
        bodies: Vec::new(),
        contacts: Vec::new(),
        cloth: Vec::new(),
    })
}

fn body(b: &mut Bytes) -> Option<BodyFrame> {
    let position = b.vec3()?;
    let [w, x, y, z] = [b.f64()?, b.f64()?, b.f64()?, b.f64()?];
    Some(BodyFrame {
        position,
        orientation: DQuat::from_xyzw(x, y, z, w),
        velocity: b.vec3()?,
        omega_body: b.vec3()?,
        status: Status::Free,
    })
}

fn contact(b: &mut Bytes) -> Option<ContactFrame> {
    Some(ContactFrame {
        point: b.vec3()?,
        impulse: b.vec3()?,
        penetration: b.f64()?,
    })
}
