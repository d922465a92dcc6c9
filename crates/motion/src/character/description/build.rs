//! Builds characters and poses from descriptions: checks values and adds mirror images.

use super::{
    Description, DescriptionError, KneeDescription, LimbDescription, PatchDescription,
    PlaceDescription,
};
use crate::base::RigidBase;
use crate::character::{
    BodyPatch, Character, CharacterPose, HullBall, Knee, Limb, Link, Patch, Placement,
};
use conatus_geometry::PartShape;
use conatus_math::{DMat3, DVec3};
use std::collections::BTreeMap;

fn error(path: impl Into<String>, what: impl Into<String>) -> DescriptionError {
    DescriptionError {
        path: path.into(),
        what: what.into(),
    }
}

fn positive(path: String, value: f64) -> Result<f64, DescriptionError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(error(path, format!("{value} should be a positive number")))
}

fn unit(path: String, v: [f64; 3]) -> Result<DVec3, DescriptionError> {
    let v = DVec3::from_array(v);
    v.try_normalize()
        .filter(|u| u.is_finite())
        .ok_or_else(|| error(path, "a direction cannot be zero"))
}

impl Description {
    /// Builds the character, or reports the first error of the description.
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
            return Err(error(
                "limb",
                "a character needs limbs or patches: add [[limb]] or [[patch]]",
            ));
        }
        let mut names: Vec<&str> = limbs.iter().map(|l: &Limb| l.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(error(
                "limb",
                format!("two limbs have the name `{}`", twice[0]),
            ));
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
            limb_contacts: false,
        })
    }

    /// The names of its poses.
    pub fn poses(&self) -> impl Iterator<Item = &str> {
        self.pose.keys().map(String::as_str)
    }

    /// Builds a pose by name. Limbs that the pose leaves out mirror their counterparts.
    pub fn build_pose(
        &self,
        character: &Character,
        name: &str,
    ) -> Result<CharacterPose, DescriptionError> {
        let Some(places) = self.pose.get(name) else {
            let known: Vec<&str> = self.poses().collect();
            let what = format!("no pose `{name}`; there are: {}", known.join(", "));
            return Err(error("pose", what));
        };
        self.place_pose(character, name, places)
    }

    /// Builds a pose from given placements.
    pub fn place_pose(
        &self,
        character: &Character,
        name: &str,
        places: &BTreeMap<String, PlaceDescription>,
    ) -> Result<CharacterPose, DescriptionError> {
        let path = |part: &str| format!("pose.{name}.{part}");
        let read = |part: &str, place: &PlaceDescription| {
            let [p, f, n] = [place.position, place.forward, place.normal].map(DVec3::from_array);
            Placement::new(p, f, n)
                .filter(|p| p.position.is_finite() && p.orientation.is_finite())
                .ok_or_else(|| error(path(part), "`forward` and `normal` must not be parallel"))
        };
        let torso = places
            .get("torso")
            .ok_or_else(|| error(path("torso"), "a pose needs `torso`"))?;
        let torso = read("torso", torso)?;
        let mut effectors = Vec::new();
        for limb in &character.limbs {
            let own = places.get(&limb.name);
            let counterpart = self
                .limb
                .iter()
                .find(|l| l.mirror.as_ref() == Some(&limb.name));
            let place = match (own, counterpart.and_then(|l| places.get(&l.name))) {
                (Some(place), _) => read(&limb.name, place)?,
                (None, Some(place)) => read(&limb.name, place)?.mirrored(),
                (None, None) => {
                    return Err(error(path(&limb.name), "the pose does not place this limb"));
                }
            };
            effectors.push(place);
        }
        if let Some(unknown) = places
            .keys()
            .find(|key| *key != "torso" && character.limb(key).is_none())
        {
            return Err(error(path(unknown), "there is no such limb"));
        }
        Ok(CharacterPose { torso, effectors })
    }
}

impl LimbDescription {
    fn build(&self, path: &str) -> Result<Limb, DescriptionError> {
        if self.links.is_empty() {
            return Err(error(
                format!("{path}.links"),
                "a limb needs at least one link { length, radius }",
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
            .ok_or_else(|| error(format!("{path}.bend"), "it is parallel to `direction`"))?;
        let angle = |key: &str, value: f64| {
            if (0.0..=180.0).contains(&value) {
                return Ok(value.to_radians());
            }
            let path = format!("{path}.{key}");
            Err(error(
                path,
                format!("{value} is not an angle from 0 to 180"),
            ))
        };
        for (k, h) in self.effector.half_extents.iter().enumerate() {
            if !(h.is_finite() && *h >= 0.0) {
                let path = format!("{path}.effector.half_extents[{k}]");
                return Err(error(path, format!("{h} should not be negative")));
            }
        }
        let friction = self.effector.friction;
        if !(friction.is_finite() && friction >= 0.0) {
            let path = format!("{path}.effector.friction");
            return Err(error(path, format!("{friction} should not be negative")));
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
            strength: self.strength(path)?,
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

    /// The greatest torques of the joints.
    fn strength(&self, path: &str) -> Result<Vec<f64>, DescriptionError> {
        let joints = self.links.len() + 1;
        if self.strength.len() > joints {
            let given = self.strength.len();
            let what = format!("{given} torques, but the limb has {joints} joints with its tip");
            return Err(error(format!("{path}.strength"), what));
        }
        let torques = self.strength.iter().enumerate();
        torques
            .map(|(k, torque)| positive(format!("{path}.strength[{k}]"), *torque))
            .collect()
    }

    /// The load-bearing joints of `knee`.
    fn knees(&self, path: &str) -> Result<Vec<Knee>, DescriptionError> {
        let build = |(k, knee): (usize, &KneeDescription)| {
            let path = format!("{path}.knee[{k}]");
            if knee.joint + 1 >= self.links.len() {
                let inner = self.links.len() - 1;
                let what = format!("joint {}, but there are {inner} inner joints", knee.joint);
                return Err(error(format!("{path}.joint"), what));
            }
            if !(knee.friction.is_finite() && knee.friction >= 0.0) {
                let what = format!("{} should not be negative", knee.friction);
                return Err(error(format!("{path}.friction"), what));
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

    /// `stance`, checked against the length of the limb.
    fn stance(&self, path: &str) -> Result<Option<DVec3>, DescriptionError> {
        let Some(stance) = self.stance.map(DVec3::from_array) else {
            return Ok(None);
        };
        let reach: f64 = self.links.iter().map(|link| link.length).sum();
        let span = stance.length();
        // The negated comparison rejects NaN as well.
        if !(span > 0.0 && span <= reach) {
            let what = format!("it spans {span:.3} m, but the limb is {reach:.3} m long");
            return Err(error(format!("{path}.stance"), what));
        }
        Ok(Some(stance))
    }
}

/// The mirror image of a limb at the plane y = 0 of the torso.
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
        let default_name = || format!("{} of {name}", described.name);
        knee.patch.name = described.mirror.clone().unwrap_or_else(default_name);
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
            .ok_or_else(|| error(format!("{path}.forward"), "it is parallel to `normal`"))?;
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            let what = format!("{} should not be negative", self.friction);
            return Err(error(format!("{path}.friction"), what));
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
