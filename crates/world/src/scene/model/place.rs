//! Places of which coordinates may be left open.

use schemars::JsonSchema;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A place: `[x, y]`, `[x, y, z]`, or a table of the coordinates that count, such as
/// `{ z = 2.3 }`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Place")]
pub enum PlaceSpec {
    /// Two or three numbers.
    List(Vec<f64>),
    /// Those that are given.
    Some(CoordinatesSpec),
}

/// The coordinates that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Coordinates", deny_unknown_fields)]
pub struct CoordinatesSpec {
    /// In metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// In metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
    /// In metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
}

impl PlaceSpec {
    /// The coordinates; none if there are not two or three numbers, or no coordinate at all.
    pub fn coordinates(&self) -> Option<[Option<f64>; 3]> {
        match self {
            Self::List(list) => match list[..] {
                [x, y] => Some([Some(x), Some(y), None]),
                [x, y, z] => Some([Some(x), Some(y), Some(z)]),
                _ => None,
            },
            Self::Some(CoordinatesSpec { x, y, z }) => {
                let all = [*x, *y, *z];
                all.iter().any(Option::is_some).then_some(all)
            }
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Some(CoordinatesSpec { x, y, z }) => [x, y, z].into_iter().flatten().count(),
        }
    }
}

impl From<Vec<f64>> for PlaceSpec {
    fn from(list: Vec<f64>) -> Self {
        Self::List(list)
    }
}

impl<const N: usize> From<[f64; N]> for PlaceSpec {
    fn from(list: [f64; N]) -> Self {
        Self::List(list.to_vec())
    }
}

impl From<CoordinatesSpec> for PlaceSpec {
    fn from(coordinates: CoordinatesSpec) -> Self {
        Self::Some(coordinates)
    }
}

impl<'de> Deserialize<'de> for PlaceSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlaceVisitor)
    }
}

/// Says what it expects, which a derived choice of two forms does not.
struct PlaceVisitor;

impl<'de> Visitor<'de> for PlaceVisitor {
    type Value = PlaceSpec;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("[x, y], [x, y, z] or a table of x, y and z")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PlaceSpec, A::Error> {
        let mut list = Vec::new();
        while let Some(number) = seq.next_element()? {
            list.push(number);
        }
        Ok(PlaceSpec::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PlaceSpec, A::Error> {
        let mut coordinates = CoordinatesSpec::default();
        while let Some(key) = map.next_key::<String>()? {
            let place = match key.as_str() {
                "x" => &mut coordinates.x,
                "y" => &mut coordinates.y,
                "z" => &mut coordinates.z,
                _ => return Err(A::Error::unknown_field(&key, &["x", "y", "z"])),
            };
            *place = Some(map.next_value()?);
        }
        Ok(PlaceSpec::Some(coordinates))
    }
}
