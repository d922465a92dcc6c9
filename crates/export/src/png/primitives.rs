//! The primitives of one frame: bodies, springs, water and cloth as balls and
//! triangles.

use super::picture_space::{PictureSpace, narrow};
use super::render_scene::RenderScene;
use crate::shared::surface::{self, Corner};
use crate::shared::{cloth, color, markers, springs};
use conatus_math::{DQuat, DVec3};
use conatus_record::{BodyFrame, BodyInfo, EndInfo, Frame, Status};

/// The colour of springs, in linear light.
const SPRING_COLOR: [f32; 3] = [0.22, 0.24, 0.27];

/// A ball, with the axes of its body.
pub(super) struct Ball {
    pub centre: DVec3,
    pub radius: f64,
    pub axes: [DVec3; 3],
    pub color: [f32; 3],
    /// Whether its body is quarantined.
    pub quarantined: bool,
}

/// A triangle of a surface.
pub(super) struct Triangle {
    pub corners: [[f32; 3]; 3],
    pub normals: [[f32; 3]; 3],
    pub color: [f32; 3],
    /// The body whose octants it shows, as an index into the poses.
    pub octants: Option<u32>,
    /// Whether its body is quarantined.
    pub quarantined: bool,
    /// Whether it belongs to cloth.
    pub cloth: bool,
}

/// Everything that is drawn of one frame, except for planes.
#[derive(Default)]
pub(super) struct Primitives {
    pub balls: Vec<Ball>,
    pub triangles: Vec<Triangle>,
    /// Where bodies with surfaces are, and their axes.
    pub poses: Vec<(DVec3, [DVec3; 3])>,
    pub water: Vec<Triangle>,
    /// Translucent surfaces.
    pub translucent: Vec<Triangle>,
    /// How many triangles cast shadows: all but markers, which come last.
    pub casting: usize,
}

/// The appearance that all triangles of a surface share.
struct Look {
    color: [f32; 3],
    octants: Option<u32>,
    quarantined: bool,
    /// Whether all of it has one brightness.
    plain: bool,
}

impl Primitives {
    /// The primitives of a frame.
    pub fn new(scene: &RenderScene, frame: &Frame) -> Self {
        let mut primitives = Self::default();
        for (index, body) in frame.present_bodies() {
            if let Some(info) = scene.recording.header.bodies.get(index) {
                primitives.body(scene, index, info, body);
            }
        }
        primitives.springs(scene, frame);
        primitives.cloth(scene, frame);
        primitives.water = super::water::surfaces(scene, frame.time);
        primitives.casting = primitives.triangles.len();
        primitives.markers(scene, frame);
        primitives
    }

    /// The triangles that cast shadows.
    pub fn casting(&self) -> &[Triangle] {
        self.triangles.get(..self.casting).unwrap_or_default()
    }

    fn body(&mut self, scene: &RenderScene, index: usize, info: &BodyInfo, body: &BodyFrame) {
        let space = &scene.space;
        let Some((at, axes)) = space.pose(body) else {
            return;
        };
        let color = info.color.map(color::linear);
        let quarantined = body.status == Status::Quarantined;
        // Octants show rotation; a body that never rotates needs none.
        let still = info.scripted && !scene.turning.get(index).is_some_and(|turns| *turns);
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
                    quarantined,
                });
            }
        };
        if let Some(&Some(radius)) = scene.balls.get(index) {
            return ball(DVec3::ZERO, radius);
        }
        let Some(surface) = info.mesh.and_then(|m| scene.surfaces.get(m)) else {
            return info.spheres.iter().for_each(|(c, r)| ball(*c, *r));
        };
        let place = |p: DVec3| at + carry(&axes, p / space.scale);
        let pose = self.poses.len() as u32;
        self.poses.push((at, axes));
        let look = Look {
            color,
            octants: Some(pose),
            quarantined,
            plain,
        };
        let before = self.triangles.len();
        self.surface(surface, place, |n| carry(&axes, n), look);
        if scene
            .is_translucent
            .get(index)
            .is_some_and(|is_translucent| *is_translucent)
        {
            self.translucent.extend(self.triangles.drain(before..));
        }
    }

    /// Contacts that are active, their forces, and targets.
    fn markers(&mut self, scene: &RenderScene, frame: &Frame) {
        let Some(clip) = &scene.recording.clip else {
            return;
        };
        for marker in markers::markers_at(clip, &scene.chart, frame.time) {
            let look = Look {
                color: marker.color.map(color::linear),
                octants: None,
                quarantined: false,
                plain: true,
            };
            let space = &scene.space;
            let place = |p: DVec3| space.at(marker.pose.point(p)).unwrap_or(DVec3::NAN);
            let turn = |n: DVec3| space.turn(marker.pose.direction(n));
            self.surface(&surface::rounded(&marker.mesh), place, turn, look);
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
                    quarantined: look.quarantined,
                    cloth: false,
                });
            }
        }
    }

    /// Springs as coils between their ends, ropes and rods as straight wires.
    fn springs(&mut self, scene: &RenderScene, frame: &Frame) {
        let PictureSpace { scale, .. } = scene.space;
        for spring in &scene.recording.header.springs {
            let Some([a, b]) = springs::ends(spring, frame, &scene.recording.events) else {
                continue;
            };
            let (Some(a), Some(b)) = (scene.space.at(a), scene.space.at(b)) else {
                continue;
            };
            let straight = spring.joint.is_some();
            let width = 1.6 * springs::half_width(spring, scene.size) / scale;
            for (end, at) in [(&spring.a, a), (&spring.b, b)] {
                if let EndInfo::Pin(_) = end {
                    self.balls.push(pin(at, width));
                }
            }
            let length = (b - a).length();
            // Too short for a coil.
            let Some(direction) = (b - a).try_normalize().filter(|_| length > width) else {
                continue;
            };
            let turn = DQuat::from_rotation_arc(DVec3::Z, direction);
            let stretch = DVec3::new(width, width, length);
            self.surface(
                if straight { &scene.wire } else { &scene.coil },
                |p| a + turn * (p * stretch),
                |n| (turn * (n / stretch)).normalize_or(DVec3::Z),
                Look {
                    color: SPRING_COLOR,
                    octants: None,
                    quarantined: false,
                    plain: false,
                },
            );
        }
    }

    /// Cloth, smooth all over.
    fn cloth(&mut self, scene: &RenderScene, frame: &Frame) {
        for (piece, range) in scene.recording.header.cloth_pieces() {
            let points = frame.cloth.get(range).unwrap_or_default();
            let place = |p: &DVec3| scene.space.at(*p).unwrap_or(DVec3::NAN);
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
                        quarantined: false,
                        cloth: true,
                    });
                }
            }
        }
    }
}

/// The ball at a pinned end of a spring.
fn pin(centre: DVec3, radius: f64) -> Ball {
    Ball {
        centre,
        radius,
        axes: [DVec3::ZERO; 3],
        color: SPRING_COLOR,
        quarantined: false,
    }
}

fn carry(axes: &[DVec3; 3], v: DVec3) -> DVec3 {
    axes[0] * v.x + axes[1] * v.y + axes[2] * v.z
}
