//! Runs with cloth as a grid of pictures: in a stroboscopic picture the last frame
//! would cover all others.

use super::bodies::{BodyPainter, hull};
use super::picture::Ground;
use super::view::{View, faded, hex, lit, rgb};
use super::{MARGIN, SOFT, WIDTH, put, short};
use crate::shared::simplify::{self, SimplifiedCloth};
use crate::shared::{bounds, cloth, layout, shapes};
use conatus_math::DVec3;
use conatus_record::{Frame, Recording};
use std::fmt::Write as _;

const PICTURES: usize = 6;
const COLUMNS: usize = 3;
const MAX_HEIGHT: f64 = 330.0;
/// The height of the times below the pictures.
const LABEL_HEIGHT: f64 = 30.0;
/// The most triangles of cloth in all pictures together.
const MAX_CLOTH_TRIANGLES: usize = 6500;
/// The most triangles of an open obstacle in a picture.
const MAX_OBSTACLE_TRIANGLES: usize = 240;
/// Levels of brightness; neighbours of one level share a path.
const BRIGHTNESS_LEVELS: f64 = 24.0;
/// The brightness of the back of cloth relative to its front.
const BACK_BRIGHTNESS: f64 = 0.86;
/// The opacity of open obstacles.
const OPEN_OBSTACLE_OPACITY: f64 = 0.28;

/// A triangle on the sheet.
struct Face {
    depth: f64,
    corners: [DVec3; 3],
    color: [f64; 3],
    opacity: f64,
}

/// Draws the pictures with their top at `top`; returns their height.
pub(super) fn draw(recording: &Recording, mut view: View, top: f64, out: &mut String) -> f64 {
    let header = &recording.header;
    let ground = Ground::under(recording);
    let moments = layout::evenly_spaced(recording.frames.len(), PICTURES);
    let columns = moments.len().clamp(1, COLUMNS);
    let cell = (WIDTH - 2.0 * MARGIN) / columns as f64;
    let (lo, hi) = bounds(&view, recording, &ground);
    let size = [hi[0] - lo[0], hi[1] - lo[1]].map(|s| s.max(1e-9));
    view.scale = (0.96 * cell / size[0]).min((MAX_HEIGHT - LABEL_HEIGHT) / size[1]);
    let high = size[1] * view.scale;
    let middle = [0, 1].map(|k| view.scale * (lo[k] + hi[k]) / 2.0);
    let all: usize = header.cloths.iter().map(|c| c.triangles.len()).sum();
    let each = MAX_CLOTH_TRIANGLES / moments.len().max(1);
    let share = |triangles: usize| (each * triangles / all.max(1)).max(32);
    let simplified: Vec<SimplifiedCloth> = header
        .cloths
        .iter()
        .map(|piece| {
            let wanted = share(piece.triangles.len());
            simplify::simplify_cloth(piece.vertices, &piece.triangles, wanted)
        })
        .collect();
    let mut painter = BodyPainter::new(recording, view, moments.len());
    for (k, frame) in moments.iter().enumerate() {
        let Some(frame) = recording.frames.get(*frame) else {
            continue;
        };
        let x = MARGIN + cell * (k % columns) as f64 + cell / 2.0;
        let y = top + (high + LABEL_HEIGHT) * (k / columns) as f64;
        painter.view.origin = [x - middle[0], y + high / 2.0 - middle[1]];
        ground.draw(&painter.view, out);
        picture(recording, frame, &simplified, &ground, &mut painter, out);
        put!(
            out,
            r#"<text x="{x:.1}" y="{:.1}" font-size="12.5" fill="{SOFT}" text-anchor="middle">{} s</text>"#,
            y + high + 16.0,
            short(frame.time)
        );
        out.push('\n');
    }
    (high + LABEL_HEIGHT) * moments.len().div_ceil(columns) as f64
}

/// The bounding box of everything on the sheet.
fn bounds(view: &View, recording: &Recording, ground: &Ground) -> ([f64; 2], [f64; 2]) {
    let header = &recording.header;
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut see = |p: DVec3, radius: f64| {
        let at = view.flat(p);
        if at.iter().all(|v| v.abs() <= 3.0 * bounds::MAX_COORDINATE_M) {
            for k in 0..2 {
                lo[k] = lo[k].min(at[k] - radius);
                hi[k] = hi[k].max(at[k] + radius);
            }
        }
    };
    let radius = |b| bounds::radius(header, b);
    let radii: Vec<f64> = header.bodies.iter().map(radius).collect();
    for frame in &recording.frames {
        frame.cloth.iter().for_each(|p| see(*p, 0.0));
        for (index, body) in frame.present_bodies() {
            see(body.position, radii.get(index).copied().unwrap_or(0.0));
        }
    }
    ground.corners().into_iter().for_each(|p| see(p, 0.0));
    (lo, hi)
}

fn picture(
    recording: &Recording,
    frame: &Frame,
    simplified: &[SimplifiedCloth],
    ground: &Ground,
    painter: &mut BodyPainter,
    out: &mut String,
) {
    let view = painter.view;
    painter.shadows(frame, 0.8, |p| ground.below(p), out);
    let mut cloth = Vec::new();
    for ((piece, range), coarse) in recording.header.cloth_pieces().zip(simplified) {
        let points = coarse.positions(frame.cloth.get(range).unwrap_or_default());
        shadow(&points, ground, &view, out);
        let normals = cloth::normals(&points, &coarse.triangles);
        for corners in &coarse.triangles {
            let of = |list: &[DVec3]| {
                corners.map(|i| list.get(i as usize).copied().unwrap_or(DVec3::NAN))
            };
            let [a, b, c] = of(&points);
            let flat = (b - a).cross(c - a);
            let smooth = of(&normals).iter().sum::<DVec3>();
            let front = flat.dot(view.toward) > 0.0;
            let normal = smooth.normalize_or_zero() * if front { 1.0 } else { -1.0 };
            let light = view.light(normal) * if front { 1.0 } else { BACK_BRIGHTNESS };
            let light = (light * BRIGHTNESS_LEVELS).round() / BRIGHTNESS_LEVELS;
            let depth = view.depth(a + b + c) / 3.0;
            if depth.abs() < bounds::MAX_COORDINATE_M {
                cloth.push(Face {
                    depth,
                    corners: [a, b, c],
                    color: lit(rgb(piece.color), light),
                    opacity: 1.0,
                });
            }
        }
    }
    // Cloth behind a body is drawn before it, all other cloth after it: sorted by
    // depth alone, half of a tablecloth would vanish inside of the table.
    let solids: Vec<Face> = painter.solid_faces(frame, Face::solid);
    let slack = 0.02 * bounds::extent(recording).diagonal();
    let hidden = |face: &Face| {
        let middle = (face.corners[0] + face.corners[1] + face.corners[2]) / 3.0;
        solids.iter().any(|solid| solid.hides(middle, slack, &view))
    };
    let (behind, mut before): (Vec<Face>, Vec<Face>) = cloth.into_iter().partition(hidden);
    faces(behind, &view, out);
    painter.springs(frame, 1.0, out);
    painter.solids(frame, out);
    before.extend(glass(recording, frame, &view));
    faces(before, &view, out);
}

impl Face {
    /// A triangle of a body.
    fn solid(corners: [DVec3; 3]) -> Self {
        Self {
            depth: 0.0,
            corners,
            color: [0.0; 3],
            opacity: 1.0,
        }
    }

    /// Whether it lies between a point and the viewer, by more than `slack`.
    fn hides(&self, p: DVec3, slack: f64, view: &View) -> bool {
        let [a, b, c] = self.corners.map(|q| view.flat(q));
        let [x, y] = view.flat(p);
        let side =
            |u: [f64; 2], v: [f64; 2]| (v[0] - u[0]) * (y - u[1]) - (v[1] - u[1]) * (x - u[0]);
        let weights = [side(b, c), side(c, a), side(a, b)];
        let whole: f64 = weights.iter().sum();
        if !weights.iter().all(|w| w * whole >= 0.0) || whole == 0.0 {
            return false;
        }
        let depths = self.corners.map(|q| view.depth(q));
        let depth: f64 = depths.iter().zip(weights).map(|(d, w)| d * w / whole).sum();
        depth > view.depth(p) + slack
    }
}

/// The triangles of open obstacles, from both sides.
fn glass(recording: &Recording, frame: &Frame, view: &View) -> Vec<Face> {
    let header = &recording.header;
    let mut out = Vec::new();
    for (index, body) in frame.present_bodies() {
        let Some(info) = header.bodies.get(index) else {
            continue;
        };
        let mesh = info.mesh.and_then(|m| header.meshes.get(m));
        let Some(mesh) = mesh.filter(|m| shapes::is_open(m)) else {
            continue;
        };
        let mesh = simplify::simplify_mesh(mesh, MAX_OBSTACLE_TRIANGLES);
        for corners in &mesh.triangles {
            let corner = |i: u32| mesh.vertices.get(i as usize).copied();
            let place = |i| body.position + body.orientation * corner(i).unwrap_or_default();
            let [a, b, c] = corners.map(place);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let normal = normal * normal.dot(view.toward).signum();
            let depth = view.depth(a + b + c) / 3.0;
            if depth.abs() < bounds::MAX_COORDINATE_M {
                out.push(Face {
                    depth,
                    corners: [a, b, c],
                    color: lit(rgb(info.color), (view.light(normal) * 8.0).round() / 8.0),
                    opacity: if info.scripted {
                        OPEN_OBSTACLE_OPACITY
                    } else {
                        1.0
                    },
                });
            }
        }
    }
    out
}

/// Draws triangles, the far ones first.
fn faces(mut faces: Vec<Face>, view: &View, out: &mut String) {
    faces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    out.push_str(r#"<g stroke-width=".8" stroke-linejoin="round">"#);
    let alike = |a: &Face, b: &Face| a.color == b.color && a.opacity == b.opacity;
    for run in faces.chunk_by(alike) {
        let Some(first) = run.first() else { continue };
        let fill = hex(faded(first.color, 1.0));
        let mut path = String::new();
        for face in run {
            let [[ax, ay], [bx, by], [cx, cy]] = face.corners.map(|p| view.at(p));
            put!(path, "M{ax:.1} {ay:.1}L{bx:.1} {by:.1} {cx:.1} {cy:.1}Z");
        }
        match first.opacity < 1.0 {
            // Outlines of translucent triangles would be visible.
            true => put!(
                out,
                r#"<path d="{path}" fill="{fill}" fill-opacity="{}"/>"#,
                first.opacity
            ),
            false => put!(out, r#"<path d="{path}" fill="{fill}" stroke="{fill}"/>"#),
        }
    }
    out.push_str("</g>\n");
}

/// The shadow of a piece: the outline of what is above the ground.
fn shadow(points: &[DVec3], ground: &Ground, view: &View, out: &mut String) {
    let feet = points.iter().filter_map(|p| ground.below(*p));
    let flat: Vec<[f64; 2]> = feet.map(|(foot, _)| view.at(foot)).collect();
    let path: Vec<String> = hull(flat)
        .iter()
        .map(|[x, y]| format!("{x:.1} {y:.1}"))
        .collect();
    if path.len() > 2 {
        put!(
            out,
            r##"<path d="M{}Z" fill="#1c2733" fill-opacity=".13"/>"##,
            path.join("L")
        );
    }
}
