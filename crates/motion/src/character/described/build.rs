//! From descriptions to characters and their poses: values are checked, and mirror images
//! added.

use super::{
    Description, DescriptionError, KneeDescription, LimbDescription, PatchDescription,
    PlaceDescription,
};
use crate::base::RigidBase;
use crate::character::{BodyPatch, Character, HullBall, Knee, Limb, Link, Patch, Place, Pose};
use conatus_geometry::PartShape;
use conatus_math::{DMat3, DVec3};
use std::collections::BTreeMap;

fn wrong(path: impl Into<String>, what: impl Into<String>) -> DescriptionError {
    DescriptionError {
        path: path.into(),
        what: what.into(),
    }
}

fn positive(path: String, value: f64) -> Result<f64, DescriptionError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(wrong(path, format!("{value} should be a positive number")))
}

fn unit(path: String, v: [f64; 3]) -> Result<DVec3, DescriptionError> {
    let v = DVec3::from_array(v);
    v.try_normalize()
        .filter(|u| u.is_finite())
        .ok_or_else(|| wrong(path, "a direction cannot be zero"))
}

impl Description {
    /// The character, if the description makes sense.
    pub fn build(&self, name: &str) -> Result<Character, DescriptionError> {
        let mass = positive("mass".into(), self.mass)?;
        for (k, h) in self.half_extents.iter().enumerate() {
            positive(format!("half_extents[{k}]"), *h)?;
        }
        let half = DVec3::from_array(self.half_extents);
        let squares = half * half;
        let solid = DVec3::new(
            squares.y + squares.z,
            squares.x + squares.z,
            squares.x + squares.y,
        ) * (mass / 3.0);
        let inertia = match self.inertia {
            Some(given) => {
                for (k, i) in given.iter().enumerate() {
                    positive(format!("inertia[{k}]"), *i)?;
                }
                DVec3::from_array(given)
            }
            None => solid,
        };
        let mut limbs = Vec::new();
        for (k, limb) in self.limb.iter().enumerate() {
            let built = limb.build(&format!("limb[{k}]"))?;
            let image = limb
                .mirror
                .as_ref()
                .map(|name| mirrored(&built, limb, name));
            limbs.push(built);
            limbs.extend(image);
        }
        let mut patches = Vec::new();
        for (k, patch) in self.patch.iter().enumerate() {
            patches.push(patch.build(&format!("patch[{k}]"))?);
        }
        if limbs.is_empty() && patches.is_empty() {
            return Err(wrong(
                "limb",
                "a character without limbs and without patches has nothing to move with: give it [[limb]] or [[patch]]",
            ));
        }
        let mut names: Vec<&str> = limbs.iter().map(|l: &Limb| l.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(wrong("limb", format!("two limbs are named `{}`", twice[0])));
        }
        let mut hull = Vec::new();
        for (k, ball) in self.hull.iter().enumerate() {
            hull.push(HullBall {
                name: ball.name.clone(),
                position: DVec3::from_array(ball.position),
                radius: positive(format!("hull[{k}].radius"), ball.radius)?,
            });
        }
        if hull.is_empty() {
            hull.push(HullBall {
                name: None,
                position: DVec3::ZERO,
                radius: half.min_element(),
            });
        }
        Ok(Character {
            base: RigidBase {
                name: name.into(),
                mass,
                inertia,
                half_extents: half,
                patches,
                hull,
                color: self.color,
            },
            limbs,
            workload: 1.0,
            limbs_bear: false,
        })
    }

    /// The names of its poses.
    pub fn poses(&self) -> impl Iterator<Item = &str> {
        self.pose.keys().map(String::as_str)
    }

    /// A pose by name: limbs that are left out mirror their twins.
    pub fn build_pose(&self, character: &Character, name: &str) -> Result<Pose, DescriptionError> {
        let Some(places) = self.pose.get(name) else {
            let known: Vec<&str> = self.poses().collect();
            let what = format!("no pose `{name}`; there are: {}", known.join(", "));
            return Err(wrong("pose", what));
        };
        self.place_pose(character, name, places)
    }

    /// A pose by numbers.
    pub fn place_pose(
        &self,
        character: &Character,
        name: &str,
        places: &BTreeMap<String, PlaceDescription>,
    ) -> Result<Pose, DescriptionError> {
        let path = |part: &str| format!("pose.{name}.{part}");
        let read = |part: &str, place: &PlaceDescription| {
            let [p, f, n] = [place.position, place.forward, place.normal].map(DVec3::from_array);
            Place::new(p, f, n)
                .filter(|p| p.position.is_finite() && p.orientation.is_finite())
                .ok_or_else(|| wrong(path(part), "`forward` and `normal` have to differ"))
        };
        let torso = places
            .get("torso")
            .ok_or_else(|| wrong(path("torso"), "a pose needs a place for the torso"))?;
        let torso = read("torso", torso)?;
        let mut effectors = Vec::new();
        for limb in &character.limbs {
            let own = places.get(&limb.name);
            let twin = self
                .limb
                .iter()
                .find(|l| l.mirror.as_ref() == Some(&limb.name));
            let place = match (own, twin.and_then(|l| places.get(&l.name))) {
                (Some(place), _) => read(&limb.name, place)?,
                (None, Some(place)) => read(&limb.name, place)?.mirrored(),
                (None, None) => {
                    return Err(wrong(
                        path(&limb.name),
                        "this limb has no place in the pose",
                    ));
                }
            };
            effectors.push(place);
        }
        if let Some(stray) = places
            .keys()
            .find(|key| *key != "torso" && character.limb(key).is_none())
        {
            return Err(wrong(path(stray), "there is no such limb"));
        }
        Ok(Pose { torso, effectors })
    }
}

impl LimbDescription {
    fn build(&self, path: &str) -> Result<Limb, DescriptionError> {
        if self.links.is_empty() {
            return Err(wrong(
                format!("{path}.links"),
                "a limb without links: give at least one { length, radius }",
            ));
        }
        let mut links = Vec::new();
        for (k, link) in self.links.iter().enumerate() {
            let next = self.links.get(k + 1).map(|next| next.radius);
            let end_radius =
                (link.end_radius).unwrap_or(PartShape::link_end_radius(link.radius, next));
            links.push(Link {
                length: positive(format!("{path}.links[{k}].length"), link.length)?,
                radius: positive(format!("{path}.links[{k}].radius"), link.radius)?,
                end_radius: positive(format!("{path}.links[{k}].end_radius"), end_radius)?,
            });
        }
        let ankle = links.last().map(|link| link.radius);
        let thickness = (self.effector.thickness)
            .unwrap_or(PartShape::sole_thickness(self.effector.half_extents, ankle));
        let direction = unit(format!("{path}.direction"), self.direction)?;
        let bend = unit(format!("{path}.bend"), self.bend)?;
        let bend = (bend - direction * direction.dot(bend))
            .try_normalize()
            .ok_or_else(|| wrong(format!("{path}.bend"), "it lies along `direction`"))?;
        let angle = |key: &str, value: f64| {
            if (0.0..=180.0).contains(&value) {
                return Ok(value.to_radians());
            }
            let path = format!("{path}.{key}");
            Err(wrong(
                path,
                format!("{value} is not an angle from 0 to 180"),
            ))
        };
        for (k, h) in self.effector.half_extents.iter().enumerate() {
            if !(h.is_finite() && *h >= 0.0) {
                let path = format!("{path}.effector.half_extents[{k}]");
                return Err(wrong(path, format!("{h} should not be negative")));
            }
        }
        let friction = self.effector.friction;
        if !(friction.is_finite() && friction >= 0.0) {
            let path = format!("{path}.effector.friction");
            return Err(wrong(path, format!("{friction} should not be negative")));
        }
        Ok(Limb {
            name: self.name.clone(),
            base: DVec3::from_array(self.base),
            links,
            direction,
            bend,
            follow: DVec3::from_array(self.follow).clamp_length_max(0.95),
            swing: angle("swing", self.swing)?,
            flexion: angle("flexion", self.flexion)?,
            tilt: angle("tilt", self.tilt)?,
            twist: angle("twist", self.twist)?,
            knees: self.knees(path)?,
            effector: Patch {
                name: self.effector.name.clone().unwrap_or(self.name.clone()),
                half_extents: self.effector.half_extents,
                friction,
                grasps: self.effector.grasps,
                effort: positive(format!("{path}.effector.effort"), self.effector.effort)?,
            },
            tip: DVec3::from_array(self.tip),
            effector_radius: positive(format!("{path}.effector.radius"), self.effector.radius)?,
            effector_thickness: positive(format!("{path}.effector.thickness"), thickness)?,
            rest: self.rest.map(DVec3::from_array),
            comfort: self.comfort,
            stance: self.stance(path)?,
        })
    }

    /// `knee`, where there are such joints.
    fn knees(&self, path: &str) -> Result<Vec<Knee>, DescriptionError> {
        let build = |(k, knee): (usize, &KneeDescription)| {
            let path = format!("{path}.knee[{k}]");
            if knee.joint + 1 >= self.links.len() {
                let inner = self.links.len() - 1;
                let what = format!("joint {}, but there are {inner} inner joints", knee.joint);
                return Err(wrong(format!("{path}.joint"), what));
            }
            if !(knee.friction.is_finite() && knee.friction >= 0.0) {
                let what = format!("{} should not be negative", knee.friction);
                return Err(wrong(format!("{path}.friction"), what));
            }
            Ok(Knee {
                joint: knee.joint,
                patch: Patch {
                    name: knee.name.clone(),
                    half_extents: [0.0; 2],
                    friction: knee.friction,
                    grasps: false,
                    effort: positive(format!("{path}.effort"), knee.effort)?,
                },
            })
        };
        self.knee.iter().enumerate().map(build).collect()
    }

    /// `stance`, if the limb can span it.
    fn stance(&self, path: &str) -> Result<Option<DVec3>, DescriptionError> {
        let Some(stance) = self.stance.map(DVec3::from_array) else {
            return Ok(None);
        };
        let reach: f64 = self.links.iter().map(|link| link.length).sum();
        let span = stance.length();
        // Written so that numbers which are none are refused as well.
        if !(span > 0.0 && span <= reach) {
            let what = format!("it spans {span:.3} m, and the limb reaches {reach:.3} m");
            return Err(wrong(format!("{path}.stance"), what));
        }
        Ok(Some(stance))
    }
}

/// The mirror image of a limb at the torso's plane y = 0.
fn mirrored(limb: &Limb, described: &LimbDescription, name: &str) -> Limb {
    let m = |v: DVec3| DVec3::new(v.x, -v.y, v.z);
    let mut image = limb.clone();
    image.name = name.into();
    image.base = m(limb.base);
    image.direction = m(limb.direction);
    image.bend = m(limb.bend);
    image.tip = m(limb.tip);
    image.follow = m(limb.follow);
    image.rest = limb.rest.map(m);
    image.stance = limb.stance.map(m);
    for (knee, described) in image.knees.iter_mut().zip(&described.knee) {
        let twin = || format!("{} of {name}", described.name);
        knee.patch.name = described.mirror.clone().unwrap_or_else(twin);
    }
    image.effector.name = described.effector.mirror.clone().unwrap_or(name.into());
    image
}

impl PatchDescription {
    fn build(&self, path: &str) -> Result<BodyPatch, DescriptionError> {
        let z = unit(format!("{path}.normal"), self.normal)?;
        let x = unit(format!("{path}.forward"), self.forward)?;
        let x = (x - z * x.dot(z))
            .try_normalize()
            .ok_or_else(|| wrong(format!("{path}.forward"), "it lies along `normal`"))?;
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            let what = format!("{} should not be negative", self.friction);
            return Err(wrong(format!("{path}.friction"), what));
        }
        Ok(BodyPatch {
            patch: Patch {
                name: self.name.clone(),
                half_extents: self.half_extents,
                friction: self.friction,
                grasps: false,
                effort: positive(format!("{path}.effort"), self.effort)?,
            },
            position: DVec3::from_array(self.position),
            orientation: DMat3::from_cols(x, z.cross(x), z),
        })
    }
}
