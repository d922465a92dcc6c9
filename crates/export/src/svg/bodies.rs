//! Draws bodies: balls as shaded circles with seams, other bodies as shaded
//! triangles or, if there are many, as outlines.

use super::put;
use super::view::{VIEW_SLOPE, View, faded, hex, lit, rgb};
use crate::shared::{bounds, shapes, simplify, springs};
use conatus_math::DVec3;
use conatus_record::{BodyFrame, BodyInfo, Event, Frame, Header, MeshData, Recording};
use std::f64::consts::PI;
use std::fmt::Write as _;

/// The most triangles and the most balls with seams in the whole picture.
const MAX_TRIANGLES: usize = 6000;
const MAX_BALLS_WITH_SEAMS: usize = 140;
/// With fewer triangles per body, bodies are drawn as outlines.
const MIN_TRIANGLES_PER_BODY: usize = 12;
/// Levels of brightness; triangles of one level share a path.
const BRIGHTNESS_LEVELS: f64 = 24.0;

/// Draws the bodies of a recording in one view.
pub(super) struct BodyPainter<'a> {
    header: &'a Header,
    events: &'a [Event],
    pub view: View,
    balls: Vec<Option<f64>>,
    radii: Vec<f64>,
    /// The header's meshes, simplified.
    meshes: Vec<MeshData>,
    /// Whether each mesh has a boundary and is drawn from both sides.
    open: Vec<bool>,
    seams: bool,
    outlines: bool,
}

impl<'a> BodyPainter<'a> {
    /// Prepares to draw every body `moments` times.
    pub fn new(recording: &'a Recording, view: View, moments: usize) -> Self {
        let header = &recording.header;
        let balls: Vec<_> = header
            .bodies
            .iter()
            .map(|b| bounds::ball_radius(header, b))
            .collect();
        let round = balls.iter().flatten().count() * moments;
        let others = balls.iter().filter(|b| b.is_none()).count() * moments;
        let each = MAX_TRIANGLES / others.max(1);
        Self {
            header,
            events: &recording.events,
            view,
            radii: header
                .bodies
                .iter()
                .map(|b| bounds::radius(header, b))
                .collect(),
            balls,
            // Half of a closed surface faces away and is never drawn.
            meshes: header
                .meshes
                .iter()
                .map(|m| simplify::simplify_mesh(m, 2 * each))
                .collect(),
            open: header.meshes.iter().map(shapes::is_open).collect(),
            seams: round <= MAX_BALLS_WITH_SEAMS,
            outlines: each < MIN_TRIANGLES_PER_BODY,
        }
    }

    /// Soft shadows on the ground, which `below` finds.
    pub fn shadows(
        &self,
        frame: &Frame,
        weight: f64,
        below: impl Fn(DVec3) -> Option<(DVec3, f64)>,
        out: &mut String,
    ) {
        for (index, body) in frame.present_bodies() {
            let radius = self.radii.get(index).copied().unwrap_or(0.0);
            let Some((foot, height)) = below(body.position) else {
                continue;
            };
            let [x, y] = self.view.at(foot);
            let rx = radius * self.view.scale;
            let ry = rx * VIEW_SLOPE.0;
            let strength = weight * 0.8 / (1.0 + height / (4.0 * radius.max(1e-9)));
            if rx > 0.5 && strength > 0.02 {
                put!(
                    out,
                    r##"<ellipse cx="{x:.1}" cy="{y:.1}" rx="{rx:.1}" ry="{ry:.1}" fill="url(#shade)" opacity="{strength:.2}"/>"##
                );
            }
        }
        out.push('\n');
    }

    /// All bodies of a frame, the far ones first.
    pub fn bodies(&mut self, frame: &Frame, weight: f64, out: &mut String) {
        for index in self.order(frame) {
            self.body(frame, index, weight, out);
        }
        out.push('\n');
    }

    /// The bodies from far to near.
    fn order(&self, frame: &Frame) -> Vec<usize> {
        let mut order: Vec<usize> = frame.present_bodies().map(|(index, _)| index).collect();
        let depth = |&b: &usize| {
            frame
                .bodies
                .get(b)
                .map_or(0.0, |b| self.view.depth(b.position))
        };
        order.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
        order
    }

    /// The triangles of all closed bodies that face the viewer; balls as
    /// squares across them.
    pub fn solid_faces<T>(&self, frame: &Frame, face: impl Fn([DVec3; 3]) -> T) -> Vec<T> {
        let mut out = Vec::new();
        let [across, upright] = self.view.axes();
        for (index, body) in frame.present_bodies() {
            let Some(info) = self.header.bodies.get(index) else {
                continue;
            };
            let place = |v: DVec3| body.position + body.orientation * v;
            let mut ball = |centre: DVec3, radius: f64| {
                // A square with the corners on the rim, near enough.
                let at = |x: f64, y: f64| place(centre) + (across * x + upright * y) * radius;
                let [a, b, c, d] = [at(0.9, 0.0), at(0.0, 0.9), at(-0.9, 0.0), at(0.0, -0.9)];
                out.extend([face([a, b, c]), face([a, c, d])]);
            };
            if let Some(&Some(radius)) = self.balls.get(index) {
                ball(DVec3::ZERO, radius);
            } else if let Some(mesh) = info.mesh.filter(|m| !self.is_open(*m)) {
                let Some(mesh) = self.meshes.get(mesh) else {
                    continue;
                };
                for corners in &mesh.triangles {
                    let corner = |i: u32| mesh.vertices.get(i as usize).copied();
                    let [a, b, c] = corners.map(|i| place(corner(i).unwrap_or_default()));
                    if (b - a).cross(c - a).dot(self.view.toward) > 0.0 {
                        out.push(face([a, b, c]));
                    }
                }
            } else if info.mesh.is_none() {
                info.spheres.iter().for_each(|(c, r)| ball(*c, r.abs()));
            }
        }
        out
    }

    /// All closed bodies of a frame, the far ones first.
    pub fn solids(&self, frame: &Frame, out: &mut String) {
        let open = |b: usize| {
            let mesh = self.header.bodies.get(b).and_then(|info| info.mesh);
            mesh.is_some_and(|mesh| self.is_open(mesh))
        };
        for index in self.order(frame).into_iter().filter(|b| !open(*b)) {
            self.body(frame, index, 1.0, out);
        }
        out.push('\n');
    }

    fn is_open(&self, mesh: usize) -> bool {
        self.open.get(mesh).is_some_and(|open| *open)
    }

    /// One body.
    pub fn body(&self, frame: &Frame, index: usize, weight: f64, out: &mut String) {
        let (Some(info), Some(body)) = (self.header.bodies.get(index), frame.present_body(index))
        else {
            return;
        };
        let [x, y] = self.view.at(body.position);
        let finite = x.abs() < 1e6 && y.abs() < 1e6 && body.orientation.is_finite();
        if !finite {
            return;
        }
        match (self.balls.get(index), info.mesh) {
            (Some(&Some(radius)), _) => self.ball(info, body, DVec3::ZERO, radius, weight, out),
            (_, Some(mesh)) => self.mesh(info, body, mesh, weight, out),
            _ => {
                for (centre, radius) in &info.spheres {
                    self.ball(info, body, *centre, radius.abs(), weight, out);
                }
            }
        }
    }

    fn ball(
        &self,
        info: &BodyInfo,
        body: &BodyFrame,
        centre: DVec3,
        radius: f64,
        weight: f64,
        out: &mut String,
    ) {
        let middle = body.position + body.orientation * centre;
        let [x, y] = self.view.at(middle);
        let r = radius * self.view.scale;
        let color = faded(rgb(info.color), weight);
        put!(
            out,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" fill="{}"/>"#,
            hex(color)
        );
        if self.seams && info.character.is_none() && r > 6.0 {
            self.seams(body, middle, radius, weight, out);
        }
        let opacity = match weight < 1.0 {
            true => format!(r#" opacity="{:.2}""#, weight.sqrt()),
            false => String::new(),
        };
        put!(
            out,
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" fill="url(#ball)"{opacity}/>"##
        );
    }

    /// The visible halves of three great circles, which show a ball's orientation.
    fn seams(&self, body: &BodyFrame, middle: DVec3, radius: f64, weight: f64, out: &mut String) {
        let mut path = String::new();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let normal = body.orientation * axis;
            // `rim` lies on the silhouette, `front` is nearest to the viewer.
            let Some(rim) = normal.cross(self.view.toward).try_normalize() else {
                continue;
            };
            let front = rim.cross(normal);
            for k in 0..=10 {
                let (sin, cos) = (PI * f64::from(k) / 10.0).sin_cos();
                let [x, y] = self.view.at(middle + (rim * cos + front * sin) * radius);
                put!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
            }
        }
        let width = (radius * self.view.scale * 0.045).clamp(0.7, 2.2);
        put!(
            out,
            r##"<path d="{path}" fill="none" stroke="#101a2b" stroke-opacity="{:.2}" stroke-width="{width:.1}" stroke-linejoin="round"/>"##,
            0.12 + 0.2 * weight
        );
    }

    fn mesh(&self, info: &BodyInfo, body: &BodyFrame, mesh: usize, weight: f64, out: &mut String) {
        let Some(mesh) = self.meshes.get(mesh) else {
            return;
        };
        let color = rgb(info.color);
        let place = |v: &DVec3| body.position + body.orientation * *v;
        let world: Vec<DVec3> = mesh.vertices.iter().map(place).collect();
        if self.outlines {
            let flat = world.iter().map(|p| self.view.at(*p)).collect();
            let hull = hull(flat);
            let path: Vec<_> = hull.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
            put!(
                out,
                r#"<path d="M{}Z" fill="{}"/>"#,
                path.join("L"),
                hex(faded(color, weight))
            );
            return;
        }
        let open = info.mesh.is_some_and(|mesh| self.is_open(mesh));
        let mut faces = Vec::new();
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|i| world.get(i as usize).copied().unwrap_or_default());
            let Some(normal) = (b - a).cross(c - a).try_normalize() else {
                continue;
            };
            let facing = normal.dot(self.view.toward);
            if facing > 0.0 || open {
                let normal = normal * facing.signum();
                let level = (self.view.light(normal) * BRIGHTNESS_LEVELS).round();
                faces.push((self.view.depth(a + b + c), level as i64, [a, b, c]));
            }
        }
        faces.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Neighbours in depth that are equally bright become one path.
        for run in faces.chunk_by(|a, b| a.1 == b.1) {
            let Some(level) = run.first().map(|f| f.1) else {
                continue;
            };
            let fill = hex(faded(lit(color, level as f64 / BRIGHTNESS_LEVELS), weight));
            let mut path = String::new();
            for (_, _, corners) in run {
                let [[ax, ay], [bx, by], [cx, cy]] = corners.map(|p| self.view.at(p));
                put!(path, "M{ax:.1} {ay:.1}L{bx:.1} {by:.1} {cx:.1} {cy:.1}Z");
            }
            // A thin outline closes the gaps between triangles.
            put!(
                out,
                r#"<path d="{path}" fill="{fill}" stroke="{fill}" stroke-width="1.1" stroke-linejoin="round"/>"#
            );
        }
    }

    /// Springs as zigzag lines, ropes and rods as straight ones.
    pub fn springs(&self, frame: &Frame, weight: f64, out: &mut String) {
        const TEETH: i32 = 22;
        for spring in &self.header.springs {
            let Some(ends) = springs::ends(spring, frame, self.events) else {
                continue;
            };
            let [[ax, ay], [bx, by]] = ends.map(|p| self.view.at(p));
            let length = f64::hypot(bx - ax, by - ay);
            if !length.is_finite() || length > 1e6 {
                continue;
            }
            let rest = spring.length.abs() * self.view.scale;
            let half = (0.06 * rest).clamp(2.5, 8.0).min(length / 4.0 + 1.0);
            let (sx, sy) = match length > 1e-9 {
                true => (-(by - ay) / length * half, (bx - ax) / length * half),
                false => (0.0, 0.0),
            };
            let mut path = format!("M{ax:.1} {ay:.1}");
            let teeth = if spring.joint.is_some() { -1 } else { TEETH };
            for k in 0..=teeth {
                // The first and last twelfth are straight.
                let s = (1.0 + 10.0 * f64::from(k) / f64::from(TEETH)) / 12.0;
                let side = match k {
                    0 | TEETH => 0.0,
                    k if k % 2 == 0 => 1.0,
                    _ => -1.0,
                };
                let (x, y) = (
                    ax + (bx - ax) * s + sx * side,
                    ay + (by - ay) * s + sy * side,
                );
                put!(path, "L{x:.1} {y:.1}");
            }
            let stroke = hex(faded([70.0, 80.0, 92.0], weight));
            put!(
                out,
                r##"<path d="{path}L{bx:.1} {by:.1}" fill="none" stroke="{stroke}" stroke-width="1.6" stroke-linejoin="round"/><circle cx="{ax:.1}" cy="{ay:.1}" r="3" fill="{stroke}"/>"##
            );
        }
    }
}

/// The convex hull of points on the sheet, by Andrew's monotone chain.
pub(super) fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut side: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = side[..] {
                let turn = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
                if turn > 0.0 {
                    break;
                }
                side.pop();
            }
            side.push(p);
        }
        side.pop();
        side
    };
    let mut out = chain(&mut points.iter().copied());
    out.extend(chain(&mut points.iter().rev().copied()));
    if out.is_empty() { points } else { out }
}
