//! The bodies, springs, waters and pieces of cloth of one frame as balls and
//! triangles.

use super::space::{Space, narrow};
use super::stage::Stage;
use crate::shared::surface::{self, Corner};
use crate::shared::{cloth, color, markers, motion};
use conatus_math::{DQuat, DVec3};
use conatus_record::{BodyFrame, BodyInfo, EndInfo, Frame, Status};

/// The colour of springs, in linear light.
const STEEL: [f32; 3] = [0.22, 0.24, 0.27];

/// A ball, with the axes of its body.
pub(super) struct Ball {
    pub centre: DVec3,
    pub radius: f64,
    pub axes: [DVec3; 3],
    pub color: [f32; 3],
    /// Whether its numbers went wrong.
    pub marked: bool,
}

/// A piece of a surface.
pub(super) struct Triangle {
    pub corners: [[f32; 3]; 3],
    pub normals: [[f32; 3]; 3],
    pub color: [f32; 3],
    /// The body whose octants it shows, as its place among the poses.
    pub octants: Option<u32>,
    /// Whether its body's numbers went wrong.
    pub marked: bool,
    /// Whether it is a piece of cloth.
    pub cloth: bool,
}

/// All that is drawn of one frame, except for planes.
#[derive(Default)]
pub(super) struct Things {
    pub balls: Vec<Ball>,
    pub triangles: Vec<Triangle>,
    /// Where bodies with surfaces are, and their axes.
    pub poses: Vec<(DVec3, [DVec3; 3])>,
    pub water: Vec<Triangle>,
    /// Surfaces that one sees through.
    pub veils: Vec<Triangle>,
    /// How many triangles cast shadows: all but marks, which come last.
    pub casting: usize,
}

/// What all triangles of a surface have in common.
struct Look {
    color: [f32; 3],
    octants: Option<u32>,
    marked: bool,
    /// Whether all of it has one brightness.
    plain: bool,
}

impl Things {
    /// What is seen in a frame.
    pub fn new(stage: &Stage, frame: &Frame) -> Self {
        let mut things = Self::default();
        let bodies = stage.recording.header.bodies.iter();
        for (index, (info, body)) in bodies.zip(&frame.bodies).enumerate() {
            things.body(stage, index, info, body);
        }
        things.springs(stage, frame);
        things.cloth(stage, frame);
        things.water = super::water::surfaces(stage, frame.time);
        things.casting = things.triangles.len();
        things.marks(stage, frame);
        things
    }

    /// The triangles that cast shadows.
    pub fn casting(&self) -> &[Triangle] {
        self.triangles.get(..self.casting).unwrap_or_default()
    }

    fn body(&mut self, stage: &Stage, index: usize, info: &BodyInfo, body: &BodyFrame) {
        let space = &stage.space;
        let Some((at, axes)) = space.pose(body) else {
            return;
        };
        let color = info.color.map(color::linear);
        let marked = body.status == Status::Quarantined;
        // What never turns need not show that it does.
        let still = info.scripted && !stage.turning.get(index).is_some_and(|turns| *turns);
        let plain = still || info.character.is_some();
        let mut ball = |centre: DVec3, radius: f64| {
            let radius = radius.abs() / space.scale;
            let centre = at + carry(&axes, centre / space.scale);
            if centre.is_finite() && radius > 0.0 && radius < 1e3 {
                self.balls.push(Ball {
                    centre,
                    radius,
                    axes: match plain {
                        true => [DVec3::ZERO; 3],
                        false => axes,
                    },
                    color,
                    marked,
                });
            }
        };
        if let Some(&Some(radius)) = stage.balls.get(index) {
            return ball(DVec3::ZERO, radius);
        }
        let Some(surface) = info.mesh.and_then(|m| stage.surfaces.get(m)) else {
            return info.spheres.iter().for_each(|(c, r)| ball(*c, *r));
        };
        let place = |p: DVec3| at + carry(&axes, p / space.scale);
        let pose = self.poses.len() as u32;
        self.poses.push((at, axes));
        let look = Look {
            color,
            octants: Some(pose),
            marked,
            plain,
        };
        let before = self.triangles.len();
        self.surface(surface, place, |n| carry(&axes, n), look);
        if stage.veiled.get(index).is_some_and(|veiled| *veiled) {
            self.veils.extend(self.triangles.drain(before..));
        }
    }

    /// Contacts that are active, their forces, and targets.
    fn marks(&mut self, stage: &Stage, frame: &Frame) {
        let Some(clip) = &stage.recording.clip else {
            return;
        };
        for mark in markers::at(clip, &stage.chart, frame.time) {
            let look = Look {
                color: mark.color.map(color::linear),
                octants: None,
                marked: false,
                plain: true,
            };
            let space = &stage.space;
            let place = |p: DVec3| space.at(mark.pose.point(p)).unwrap_or(DVec3::NAN);
            let turn = |n: DVec3| space.turn(mark.pose.direction(n));
            self.surface(&surface::rounded(&mark.mesh), place, turn, look);
        }
    }

    fn surface(
        &mut self,
        surface: &[Corner],
        place: impl Fn(DVec3) -> DVec3,
        turn: impl Fn(DVec3) -> DVec3,
        look: Look,
    ) {
        for [a, b, c] in surface.as_chunks().0 {
            let corners = [a, b, c].map(|corner| place(corner.position));
            if corners.iter().all(|p| p.abs().max_element() < 1e4) {
                self.triangles.push(Triangle {
                    corners: corners.map(narrow),
                    normals: [a, b, c].map(|corner| narrow(turn(corner.normal))),
                    color: match a.octant || look.plain {
                        true => look.color,
                        false => look.color.map(|c| c * a.shade),
                    },
                    octants: look.octants.filter(|_| a.octant && !look.plain),
                    marked: look.marked,
                    cloth: false,
                });
            }
        }
    }

    /// Springs as coils between their ends.
    fn springs(&mut self, stage: &Stage, frame: &Frame) {
        let Space { scale, .. } = stage.space;
        for spring in &stage.recording.header.springs {
            let Some([a, b]) = motion::spring_ends(spring, frame) else {
                continue;
            };
            let (Some(a), Some(b)) = (stage.space.at(a), stage.space.at(b)) else {
                continue;
            };
            let width = 1.6 * motion::spring_width(spring, stage.size) / scale;
            for (end, at) in [(&spring.a, a), (&spring.b, b)] {
                if let EndInfo::Pin(_) = end {
                    self.balls.push(pin(at, width));
                }
            }
            let length = (b - a).length();
            // What is shorter than it is thin has no coil to show.
            let Some(direction) = (b - a).try_normalize().filter(|_| length > width) else {
                continue;
            };
            let turn = DQuat::from_rotation_arc(DVec3::Z, direction);
            let stretch = DVec3::new(width, width, length);
            self.surface(
                &stage.coil,
                |p| a + turn * (p * stretch),
                |n| (turn * (n / stretch)).normalize_or(DVec3::Z),
                Look {
                    color: STEEL,
                    octants: None,
                    marked: false,
                    plain: false,
                },
            );
        }
    }

    /// Cloth, smooth all over.
    fn cloth(&mut self, stage: &Stage, frame: &Frame) {
        for (piece, range) in stage.recording.header.cloth_pieces() {
            let points = frame.cloth.get(range).unwrap_or_default();
            let place = |p: &DVec3| stage.space.at(*p).unwrap_or(DVec3::NAN);
            let points: Vec<DVec3> = points.iter().map(place).collect();
            let normals = cloth::normals(&points, &piece.triangles);
            let color = piece.color.map(color::linear);
            for corners in &piece.triangles {
                let of = |list: &[DVec3]| {
                    corners.map(|i| list.get(i as usize).copied().unwrap_or(DVec3::NAN))
                };
                let places = of(&points);
                if places.iter().all(|p| p.is_finite()) {
                    self.triangles.push(Triangle {
                        corners: places.map(narrow),
                        normals: of(&normals).map(narrow),
                        color,
                        octants: None,
                        marked: false,
                        cloth: true,
                    });
                }
            }
        }
    }
}

/// The knob that a spring hangs on.
fn pin(centre: DVec3, radius: f64) -> Ball {
    Ball {
        centre,
        radius,
        axes: [DVec3::ZERO; 3],
        color: STEEL,
        marked: false,
    }
}

fn carry(axes: &[DVec3; 3], v: DVec3) -> DVec3 {
    axes[0] * v.x + axes[1] * v.y + axes[2] * v.z
}
