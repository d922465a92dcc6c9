//! Tests of the positions and colours of drawn things.

use super::bins::Bins;
use super::camera::Camera;
use super::primitives::{Ball, Primitives, Triangle};
use super::raster::Band;
use super::render_scene::RenderScene;
use super::{Layout, WIDTH, moments, shade, sheet};
use conatus_math::{DQuat, DVec3};
use conatus_record::*;

const RED: [f32; 3] = [0.85, 0.1, 0.1];
const BLUE: [f32; 3] = [0.1, 0.2, 0.85];

/// Balls at rest on a floor, z up.
pub(super) fn balls(balls: &[(DVec3, f64, [f32; 3])], frames: usize) -> Recording {
    let body = |(_, radius, color): &(DVec3, f64, [f32; 3])| BodyInfo {
        name: "ball".into(),
        mass: 1.0,
        moments: DVec3::ONE,
        color: *color,
        mesh: None,
        spheres: vec![(DVec3::ZERO, *radius)],
        scripted: false,
        character: None,
    };
    let at = |(position, ..): &(DVec3, f64, [f32; 3])| BodyFrame {
        position: *position,
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        omega_body: DVec3::ZERO,
        status: Status::Free,
    };
    let frame = |n: usize| Frame {
        time: n as f64 / 10.0,
        bodies: balls.iter().map(at).collect(),
        ..Frame::default()
    };
    Recording {
        header: Header {
            format: FORMAT.into(),
            program: "test".into(),
            scene: "balls".into(),
            seed: 1,
            up: Up::Z,
            gravity: DVec3::NEG_Z * 9.81,
            step_seconds: 0.1,
            steps_per_frame: 1,
            meshes: Vec::new(),
            bodies: balls.iter().map(body).collect(),
            planes: vec![PlaneInfo {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            }],
            springs: Vec::new(),
            waters: Vec::new(),
            cloths: Vec::new(),
            physics: Default::default(),
        },
        sources: Vec::new(),
        overrides: Vec::new(),
        frames: (0..frames).map(frame).collect(),
        events: Vec::new(),
        report: None,
        clip: None,
    }
}

/// A picture of the first frame, and how to find a point of the scene in it.
pub(super) struct Shot {
    pixels: Vec<u8>,
    size: [usize; 2],
    camera: Camera,
    space: super::picture_space::PictureSpace,
    pub sun: DVec3,
}

impl Shot {
    pub fn of(recording: &Recording) -> Self {
        let shown: Vec<&Frame> = recording.frames.iter().take(1).collect();
        let scene = RenderScene::new(recording, &shown);
        let size = [240, (240.0 / scene.aspect) as usize];
        Self {
            pixels: shade::picture(&scene, shown[0], size),
            size,
            camera: scene.camera,
            space: scene.space,
            sun: scene.sun,
        }
    }

    pub fn at(&self, p: DVec3) -> [f64; 3] {
        let v = self.camera.view(self.space.at(p).unwrap());
        let size = self.size.map(|s| s as f64);
        let [x, y] = self.camera.place(v.x / v.z, v.y / v.z, size);
        assert!(
            x >= 0.0 && y >= 0.0 && x < size[0] && y < size[1],
            "{x} {y}"
        );
        let at = 3 * (y as usize * self.size[0] + x as usize);
        std::array::from_fn(|k| f64::from(self.pixels[at + k]))
    }
}

fn brightness(color: [f64; 3]) -> f64 {
    color.iter().sum()
}

#[test]
fn the_projection_agrees_with_turning_the_world_instead_of_the_camera() {
    let (azimuth, height, aspect) = (-68.0, 31.0, 1.6);
    let scene = [(DVec3::new(0.3, -0.2, 0.1), 0.7), (DVec3::ONE, 0.2)];
    let camera = Camera::fit(azimuth, height, aspect, scene.into_iter());
    // Turned so that the camera looks along -x with z up.
    let turn = DQuat::from_rotation_y(f64::to_radians(height))
        * DQuat::from_rotation_z(-f64::to_radians(azimuth));
    for p in [
        DVec3::ZERO,
        DVec3::new(0.4, 0.9, -0.3),
        DVec3::new(-0.5, 0.2, 0.7),
    ] {
        let q = turn * (p - camera.eye);
        let expected = [
            (0.5 + 0.5 * (q.y / -q.x) / camera.tan[0]) * 320.0,
            (0.5 - 0.5 * (q.z / -q.x) / camera.tan[1]) * 200.0,
        ];
        let v = camera.view(p);
        let place = camera.place(v.x / v.z, v.y / v.z, [320.0, 200.0]);
        for k in 0..2 {
            assert!(
                (place[k] - expected[k]).abs() < 1e-9,
                "{place:?} {expected:?}"
            );
        }
        // And back: the ray of that place meets the point.
        let ray = camera.ray(camera.angles(place[0], place[1], [320.0, 200.0]));
        assert!((camera.eye + ray * v.z - p).length() < 1e-12);
    }
}

#[test]
fn the_camera_is_as_near_as_possible_while_everything_is_visible() {
    let scene: Vec<(DVec3, f64)> = (0..40)
        .map(|k| {
            let k = f64::from(k);
            let p = DVec3::new((k * 1.3).sin(), (k * 2.1).cos(), 0.4 * (k * 0.7).sin());
            (p, 0.02 + 0.003 * k)
        })
        .collect();
    for aspect in [1.6, 4.0 / 3.0, 1.0, 0.75] {
        let camera = Camera::fit(-22.0, 25.0, aspect, scene.iter().copied());
        let mut most = 0.0f64;
        for (centre, radius) in &scene {
            let c = camera.view(*centre);
            for (across, tan) in [(c.x, camera.tan[0]), (c.y, camera.tan[1])] {
                // The tangent to the ball, as angles rather than planes.
                let to_centre = (across.abs() / c.z).atan();
                let edge = to_centre + (radius / across.hypot(c.z)).asin();
                most = most.max(edge.tan() / tan);
            }
        }
        assert!((most - 0.9).abs() < 1e-9, "{most}");
    }
}

#[test]
fn a_red_ball_looks_red_and_shades_the_ground() {
    let recording = balls(
        &[
            (DVec3::new(-1.0, 0.0, 0.5), 0.5, RED),
            (DVec3::new(2.5, 0.0, 0.5), 0.5, BLUE),
        ],
        1,
    );
    let shot = Shot::of(&recording);
    let [r, g, b] = shot.at(DVec3::new(-1.0, 0.0, 0.5));
    assert!(r > 2.0 * g && r > 2.0 * b, "{r} {g} {b}");
    let [r, g, b] = shot.at(DVec3::new(2.5, 0.0, 0.5));
    assert!(b > 2.0 * r && b > 1.5 * g, "{r} {g} {b}");
    // Along the sunlight from the ball's centre down to the ground.
    let foot = DVec3::new(-1.0, 0.0, 0.5) - shot.sun * (0.5 / shot.sun.z);
    let shade = brightness(shot.at(foot + (foot - DVec3::new(-1.0, 0.0, 0.0)) * 0.8));
    let light = brightness(shot.at(DVec3::new(0.75, 0.0, 0.0)));
    assert!(shade < 0.8 * light, "{shade} {light}");
}

#[test]
fn the_nearer_hides_the_farther_in_any_order() {
    let ball = |x: f64, color: [f32; 3]| Ball {
        centre: DVec3::X * x,
        radius: 0.3,
        axes: [DVec3::ZERO; 3],
        color,
        quarantined: false,
    };
    let wall = |x: f32, color: [f32; 3]| Triangle {
        corners: [[x, -9.0, -9.0], [x, 9.0, -9.0], [x, 0.0, 9.0]],
        normals: [[1.0, 0.0, 0.0]; 3],
        color,
        octants: None,
        quarantined: false,
        cloth: false,
    };
    // Looks along -x.
    let camera = Camera::fit(0.0, 0.0, 1.0, [(DVec3::ZERO, 1.0)].into_iter());
    let middle = |primitives: &Primitives| {
        let bins = Bins::new(&camera, 31, 31, primitives);
        let band = Band::draw(&camera, [31, 31], &bins, 0, primitives);
        band.samples[15 * 31 + 15].color
    };
    for order in [[0.5, -0.5], [-0.5, 0.5]] {
        let color = |x: f64| if x > 0.0 { RED } else { BLUE };
        let balls = || order.map(|x| ball(x, color(x))).into_iter().collect();
        let primitives = Primitives {
            balls: balls(),
            ..Primitives::default()
        };
        assert_eq!(middle(&primitives), RED);
        let walls = order.map(|x| wall(x as f32, color(x)));
        let primitives = Primitives {
            triangles: walls.into_iter().collect(),
            ..Primitives::default()
        };
        assert_eq!(middle(&primitives), RED);
        // A wall between two balls hides one of them.
        let mut primitives = Primitives {
            balls: balls(),
            triangles: vec![wall(0.0, [0.0; 3])],
            ..Primitives::default()
        };
        assert_eq!(middle(&primitives), RED);
        primitives.balls.retain(|ball| ball.centre.x < 0.0);
        assert_eq!(middle(&primitives), [0.0; 3]);
    }
}

#[test]
fn bands_join_without_a_seam() {
    let camera = Camera::fit(20.0, 30.0, 1.0, [(DVec3::ZERO, 1.0)].into_iter());
    let primitives = Primitives {
        balls: vec![Ball {
            centre: DVec3::new(0.1, 0.2, 0.3),
            radius: 0.6,
            axes: [DVec3::X, DVec3::Y, DVec3::Z],
            color: RED,
            quarantined: false,
        }],
        triangles: vec![Triangle {
            corners: [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.2], [0.0, 1.0, 0.4]],
            normals: [[0.0, 0.0, 1.0]; 3],
            color: BLUE,
            octants: None,
            quarantined: false,
            cloth: false,
        }],
        ..Primitives::default()
    };
    let depths = |rows: usize| -> Vec<u32> {
        let bins = Bins::new(&camera, 40, rows, &primitives);
        let draw = |index| Band::draw(&camera, [40, 40], &bins, index, &primitives).samples;
        let samples = (0..40usize.div_ceil(rows)).flat_map(draw);
        samples.map(|s| s.inverse_depth.to_bits()).collect()
    };
    let whole = depths(40);
    assert_eq!(whole.len(), 1600);
    assert_eq!(depths(7), whole);
    assert_eq!(depths(1), whole);
}

#[test]
fn the_rotation_of_a_ball_is_visible() {
    let mut recording = balls(&[(DVec3::Z * 0.5, 0.5, RED)], 1);
    let before = Shot::of(&recording).pixels;
    recording.frames[0].bodies[0].orientation = DQuat::from_rotation_z(0.4);
    let after = Shot::of(&recording).pixels;
    let changed = before
        .iter()
        .zip(&after)
        .filter(|(a, b)| a.abs_diff(**b) > 20);
    assert!(changed.count() > 1000);
}

#[test]
fn a_quarantined_body_is_striped_with_red() {
    let mut recording = balls(&[(DVec3::Z * 0.5, 0.5, BLUE)], 1);
    let reds = |recording: &Recording| {
        let pixels = Shot::of(recording).pixels;
        let red = |p: &&[u8]| p[0] > 120 && p[0] / 2 > p[1] && p[0] / 2 > p[2];
        pixels.chunks_exact(3).filter(red).count()
    };
    assert_eq!(reds(&recording), 0);
    recording.frames[0].bodies[0].status = Status::Quarantined;
    assert!(reds(&recording) > 1000);
}

#[test]
fn water_dims_things_below_its_surface() {
    let ball = (DVec3::new(0.0, 0.0, 0.5), 0.5, RED);
    let mut recording = balls(&[ball, (DVec3::new(2.0, 2.0, 2.0), 0.4, BLUE)], 1);
    let dry = Shot::of(&recording).at(ball.0);
    recording.header.waters = vec![WaterInfo {
        level: 1.5,
        extent: Some([[-2.0, -2.0], [2.0, 2.0]]),
        waves: vec![WaveInfo {
            amplitude: 0.05,
            wave_vector: [2.0, 1.0],
            angular_frequency: 3.0,
            phase: 0.0,
        }],
    }];
    let shot = Shot::of(&recording);
    let under_water = shot.at(ball.0);
    assert!(
        under_water[0] < 0.8 * dry[0] && under_water[2] > dry[2],
        "{dry:?} {under_water:?}"
    );
    // Things above it keep their colour.
    let [r, g, b] = shot.at(DVec3::new(2.0, 2.0, 2.1));
    assert!(b > 1.5 * r && b > 1.3 * g, "{r} {g} {b}");
}

#[test]
fn a_diverged_body_does_not_move_the_camera() {
    let near = [
        (DVec3::Z * 0.5, 0.5, RED),
        (DVec3::new(2.0, 0.0, 0.5), 0.5, BLUE),
    ];
    let calm = balls(&near, 30);
    let mut wild = balls(&[near[0], near[1], (DVec3::Z, 0.1, BLUE)], 30);
    for (n, frame) in wild.frames.iter_mut().enumerate().skip(28) {
        frame.bodies[2].position = DVec3::X * 10f64.powi(n as i32);
    }
    let far = |recording: &Recording| {
        let frames: Vec<&Frame> = recording.frames.iter().collect();
        let scene = RenderScene::new(recording, &frames);
        (scene.camera.eye * scene.space.scale).length()
    };
    assert!((far(&wild) / far(&calm) - 1.0).abs() < 0.2);
}

#[test]
fn a_sheet_has_as_many_pictures_as_requested_and_available() {
    let recording = balls(&[(DVec3::Z * 0.5, 0.5, RED)], 40);
    for (requested, frames) in [(1, 40), (2, 40), (5, 40), (12, 40), (12, 7), (100, 13)] {
        let mut recording = recording.clone();
        recording.frames.truncate(frames);
        let sheet = sheet(&recording, requested);
        // Pictures are the parts that differ from the paper, along a row and down a column.
        let paper = |x: usize, y: usize| {
            let at = 3 * (y * sheet.width + x);
            sheet.pixels[at..at + 3] == super::PAPER
        };
        let runs = |inside: &mut dyn Iterator<Item = bool>| {
            let mut before = false;
            inside
                .filter(|now| std::mem::replace(&mut before, *now) != *now && *now)
                .count()
        };
        let across = |y: usize| runs(&mut (0..sheet.width).map(|x| !paper(x, y)));
        let down = (super::TITLE_HEIGHT..sheet.height).map(|y| !paper(super::MARGIN, y));
        let rows = runs(&mut down.into_iter());
        let columns = across(super::TITLE_HEIGHT + 1);
        let last = across(sheet.height - super::MARGIN - 2);
        let found = (rows - 1) * columns + last;
        assert_eq!(found, requested.min(frames), "{requested} of {frames}");
    }
}

#[test]
fn sheets_have_a_good_aspect_for_every_number_of_pictures() {
    for count in 1..=100 {
        for aspect in [1.6, 4.0 / 3.0, 1.0, 0.75] {
            let layout = Layout::new(count, aspect);
            assert!(layout.columns * layout.rows >= count);
            assert!(layout.columns * (layout.rows - 1) < count);
            let [x, y] = layout.place(count - 1);
            assert!(x + layout.size[0] <= WIDTH && y + layout.size[1] <= layout.height());
            assert!(
                layout.height() < 2400,
                "{count} {aspect}: {}",
                layout.height()
            );
        }
    }
    let columns = |count| Layout::new(count, 4.0 / 3.0).columns;
    assert_eq!([1, 2, 6, 8, 12].map(columns), [1, 2, 3, 4, 4]);
}

#[test]
fn moments_are_evenly_spaced_from_the_first_to_the_last() {
    let recording = balls(&[], 101);
    let times = |count| -> Vec<f64> {
        let moments = moments(&recording.frames, count);
        moments.iter().map(|f| f.time).collect()
    };
    assert_eq!(times(5), [0.0, 2.5, 5.0, 7.5, 10.0]);
    assert_eq!(times(1), [10.0]);
    assert_eq!(times(0), [10.0]);
    assert_eq!(times(1000).len(), 100);
}

#[test]
fn every_letter_has_strokes_inside_of_its_line() {
    for letter in (' '..='~').chain(['·', '–', '−', 'Ω']) {
        let strokes = super::font::strokes(letter);
        assert_eq!(strokes.is_empty(), letter == ' ', "{letter}");
        for [x, y] in strokes.into_iter().flatten() {
            let inside = (-1.0..=super::font::advance(letter)).contains(&x);
            assert!(inside && (-5.0..=17.0).contains(&y), "{letter}: {x} {y}");
        }
    }
}
