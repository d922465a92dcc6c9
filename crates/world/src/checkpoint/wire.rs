//! The byte layout of checkpoints: little-endian numbers with all their bits,
//! lists after their length. Reading returns `None` for bytes that writing cannot
//! produce.

use crate::energy::EnergyGrowth;
use crate::run::{ConservationTally, RunStats};
use crate::step::JointExtremes;
use conatus_geometry::convex::NearCorners;
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::bytes::Bytes;
use conatus_rigid::bodies::Mount;
use conatus_rigid::contact::{ColliderOwner, SleepState, StoredContact, StoredTouches};
use conatus_rigid::forces::PointerSpring;
use conatus_rigid::joint::{JointImpulses, StoredJoint};
use conatus_rigid::snapshot::Mover;
use conatus_rigid::{Activity, Constants, State};

/// The bytes that are left to read.
pub(crate) struct Reader<'a> {
    bytes: Bytes<'a>,
    /// Whether reading stopped at a NaN or an infinity.
    pub found_non_finite: bool,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes: Bytes(bytes),
            found_non_finite: false,
        }
    }

    /// The number of bytes that are left.
    pub fn len(&self) -> usize {
        self.bytes.0.len()
    }

    /// A number. No state of a world holds a NaN or an infinity: bodies and
    /// cloth with such numbers are stopped before a checkpoint is written, and
    /// the code that continues a run relies on that.
    fn finite(&mut self) -> Option<f64> {
        let value = self.bytes.f64()?;
        self.found_non_finite |= !value.is_finite();
        value.is_finite().then_some(value)
    }
}

/// A value that can be written as bytes and read back.
pub(crate) trait Wire: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads the value from the front.
    fn get(bytes: &mut Reader) -> Option<Self>;
}

/// Writes a struct field by field. The compiler requires all fields, so that a
/// new one cannot be forgotten.
macro_rules! wire {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }
            fn get(bytes: &mut Reader) -> Option<Self> {
                Some(Self { $($field: Wire::get(bytes)?),* })
            }
        }
    };
}
pub(crate) use wire;

impl Wire for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        bytes.bytes.u8()
    }
}

impl Wire for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        bytes.bytes.u32()
    }
}

impl Wire for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        bytes.bytes.u64()
    }
}

impl Wire for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        bytes.bytes.u64()?.try_into().ok()
    }
}

impl Wire for f64 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_bits().put(out);
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        bytes.finite()
    }
}

impl Wire for DQuat {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().iter().for_each(|x| x.put(out));
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        Some(Self::from_array(Wire::get(bytes)?))
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|x| x.put(out));
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        let list: Option<Vec<T>> = (0..N).map(|_| T::get(bytes)).collect();
        list?.try_into().ok()
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        Some((A::get(bytes)?, B::get(bytes)?))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(self.is_some()).put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        match u8::get(bytes)? {
            0 => Some(None),
            1 => Some(Some(T::get(bytes)?)),
            _ => None,
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|x| x.put(out));
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        let count = usize::get(bytes)?;
        // Every value takes at least one byte. A wrong length must not allocate
        // memory.
        if count > bytes.len() {
            return None;
        }
        (0..count).map(|_| T::get(bytes)).collect()
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        let count = usize::get(bytes)?;
        let text = std::str::from_utf8(bytes.bytes.take(count)?).ok()?;
        Some(text.to_owned())
    }
}

impl Wire for Activity {
    fn put(&self, out: &mut Vec<u8>) {
        let number: u8 = match self {
            Self::Free => 0,
            Self::Locked => 1,
            Self::Quarantined => 2,
            Self::Absorbed => 3,
            Self::Removed => 4,
            Self::Asleep => 5,
        };
        number.put(out);
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        Some(match u8::get(bytes)? {
            0 => Self::Free,
            1 => Self::Locked,
            2 => Self::Quarantined,
            3 => Self::Absorbed,
            4 => Self::Removed,
            5 => Self::Asleep,
            _ => return None,
        })
    }
}

wire!(StoredContact {
    colliders,
    part,
    ids,
    points,
    impulses,
    count,
    friction,
    twist,
    rolling,
    near,
});
wire!(NearCorners { corners, count });
impl Wire for ColliderOwner {
    fn put(&self, out: &mut Vec<u8>) {
        let (kind, number): (u8, usize) = match self {
            Self::Body(body) => (0, *body),
            Self::Fixed(collider) => (1, *collider as usize),
        };
        kind.put(out);
        number.put(out);
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        let (kind, number) = (u8::get(bytes)?, usize::get(bytes)?);
        match kind {
            0 => Some(Self::Body(number)),
            1 => Some(Self::Fixed(number.try_into().ok()?)),
            _ => None,
        }
    }
}

wire!(StoredTouches { touching, inside });
wire!(JointImpulses {
    locked,
    lower,
    upper,
    spring,
    motor
});
wire!(StoredJoint {
    impulses,
    broken,
    moves,
    targets
});
wire!(DVec3 { x, y, z });
wire!(Pose {
    rotation,
    translation
});
wire!(Constants {
    mass,
    moments,
    linear_damping,
    angular_damping
});
wire!(State {
    position,
    velocity,
    orientation,
    omega_body
});
wire!(Mover {
    constants,
    state,
    activity
});
wire!(Mount { mover, pose });
wire!(PointerSpring {
    body,
    point_body,
    target,
    stiffness,
    damping
});
wire!(ConservationTally {
    start,
    end,
    energy_change,
    largest_kinetic,
    spin_change,
    largest_spin,
    max_penetration,
});
wire!(EnergyGrowth {
    lowest,
    gained,
    largest_kinetic,
    potential,
    lift,
});
wire!(SleepState {
    slow_seconds,
    islands,
    count,
});
wire!(JointExtremes {
    error,
    angle_error,
    force,
    torque,
});
wire!(RunStats {
    frames,
    contacts_max,
    quarantined,
    joints,
    broken_joints,
    tally,
    growth,
    intersections,
    max_stretch,
    wall_seconds,
    cpu_seconds,
});
