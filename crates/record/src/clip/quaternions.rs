//! Quaternions as files write them: w, x, y, z.

use conatus_math::DQuat;

fn to_wxyz(q: &DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn from_wxyz([w, x, y, z]: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(x, y, z, w)
}

/// One quaternion, for `#[serde(with)]`.
pub(crate) mod one {
    use super::DQuat;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(q: &DQuat, s: S) -> Result<S::Ok, S::Error> {
        super::to_wxyz(q).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<DQuat, D::Error> {
        <[f64; 4]>::deserialize(d).map(super::from_wxyz)
    }
}

/// A list of quaternions, for `#[serde(with)]`.
pub(crate) mod many {
    use super::DQuat;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(list: &[DQuat], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(list.iter().map(super::to_wxyz))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<DQuat>, D::Error> {
        let list = Vec::<[f64; 4]>::deserialize(d)?;
        Ok(list.into_iter().map(super::from_wxyz).collect())
    }
}
