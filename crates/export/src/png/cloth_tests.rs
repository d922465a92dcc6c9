//! Tests of how cloth and open obstacles are drawn.

use super::render_scene::RenderScene;
use super::tests::{Shot, balls};
use conatus_math::{DQuat, DVec3};
use conatus_record::*;

const GREEN: [f32; 3] = [0.1, 0.7, 0.2];

/// A wall of two triangles from one corner to the other, along y at one x.
fn upright(x: f64, lo: [f64; 2], hi: [f64; 2]) -> [DVec3; 4] {
    [
        [lo[0], lo[1]],
        [hi[0], lo[1]],
        [hi[0], hi[1]],
        [lo[0], hi[1]],
    ]
    .map(|[y, z]| DVec3::new(x, y, z))
}

const QUAD: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

/// A square of cloth that stands on the floor, and what else there is.
fn curtain(others: &[(DVec3, f64, [f32; 3])]) -> Recording {
    let mut recording = balls(others, 1);
    recording.header.cloths = vec![ClothInfo {
        name: "curtain".into(),
        color: GREEN,
        thickness: 0.001,
        vertices: 4,
        triangles: QUAD.to_vec(),
    }];
    recording.frames[0].cloth = upright(0.0, [-1.0, 0.0], [1.0, 2.0]).to_vec();
    recording
}

/// Adds an obstacle that is one open square before the curtain, as the camera
/// of `towards` sees it.
fn add_pane(recording: &mut Recording, at: f64) {
    recording.header.meshes.push(MeshData {
        vertices: upright(0.0, [-1.5, -1.0], [1.5, 1.0]).to_vec(),
        triangles: QUAD.to_vec(),
    });
    recording.header.bodies.push(BodyInfo {
        name: "pane".into(),
        mass: 0.0,
        moments: DVec3::ZERO,
        color: [0.6; 3],
        mesh: Some(0),
        spheres: Vec::new(),
        scripted: true,
        character: None,
    });
    recording.frames[0].bodies.push(BodyFrame {
        position: DVec3::new(at, 0.0, 1.0),
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        omega_body: DVec3::ZERO,
        status: Status::Scripted,
    });
}

#[test]
fn both_sides_of_cloth_have_its_colour_and_the_back_is_darker() {
    let mut recording = curtain(&[]);
    let middle = DVec3::new(0.0, 0.3, 1.2);
    let one = Shot::of(&recording).at(middle);
    for triangle in &mut recording.header.cloths[0].triangles {
        triangle.reverse();
    }
    let other = Shot::of(&recording).at(middle);
    for [r, g, b] in [one, other] {
        assert!(g > 1.5 * r && g > 1.5 * b, "{r} {g} {b}");
    }
    let (dark, light) = match one[1] < other[1] {
        true => (one[1], other[1]),
        false => (other[1], one[1]),
    };
    assert!(dark < 0.96 * light, "{dark} {light}");
    assert!(dark > 0.6 * light, "{dark} {light}");
}

#[test]
fn an_open_obstacle_in_front_of_cloth_is_translucent() {
    let mut recording = curtain(&[]);
    // Whichever side the camera looks from, one of the two stands before it.
    add_pane(&mut recording, -0.8);
    add_pane(&mut recording, 0.8);
    let shown: Vec<&Frame> = recording.frames.iter().collect();
    let is_translucent = RenderScene::new(&recording, &shown).is_translucent;
    assert_eq!(
        is_translucent
            .iter()
            .filter(|is_translucent| **is_translucent)
            .count(),
        1
    );
    let [r, g, b] = Shot::of(&recording).at(DVec3::new(0.0, 0.0, 1.0));
    assert!(g > 1.1 * r && g > 1.1 * b, "{r} {g} {b}");
    // Closed obstacles hide what is behind them, as do open ones where there
    // is nothing to see.
    recording.header.cloths.clear();
    recording.frames[0].cloth.clear();
    let shown: Vec<&Frame> = recording.frames.iter().collect();
    assert_eq!(
        RenderScene::new(&recording, &shown).is_translucent,
        [false, false]
    );
}

#[test]
fn the_camera_shows_all_cloth_of_all_frames() {
    let mut recording = balls(&[], 20);
    recording.header.cloths = curtain(&[]).header.cloths;
    for (n, frame) in recording.frames.iter_mut().enumerate() {
        let aside = DVec3::new(0.3 * n as f64, 0.0, 0.2 * n as f64);
        let corners = upright(0.0, [-1.0, 0.0], [1.0, 2.0]);
        frame.cloth = corners.map(|p| p + aside).to_vec();
    }
    let shown: Vec<&Frame> = recording.frames.iter().take(1).collect();
    let scene = RenderScene::new(&recording, &shown);
    for p in recording.frames.iter().flat_map(|f| &f.cloth) {
        let v = scene.camera.view(scene.space.at(*p).unwrap());
        let [x, y] = scene.camera.place(v.x / v.z, v.y / v.z, [1.0, 1.0]);
        assert!(
            (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y),
            "{x} {y}"
        );
    }
}

#[test]
fn cloth_shades_the_ground() {
    let corner = |x: f64, y: f64| (DVec3::new(x, y, 0.1), 0.1, GREEN);
    let mut recording = curtain(&[corner(2.0, 2.0), corner(-2.0, 2.0), corner(0.0, -2.0)]);
    recording.frames[0].cloth = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]
        .map(|[x, y]| DVec3::new(x, y, 1.0))
        .to_vec();
    let shot = Shot::of(&recording);
    // Along the sunlight from the middle of the cloth down to the ground.
    let foot = DVec3::Z - shot.sun / shot.sun.z;
    let shade: f64 = shot.at(foot).iter().sum();
    recording.frames[0].cloth.clear();
    recording.header.cloths.clear();
    let light: f64 = Shot::of(&recording).at(foot).iter().sum();
    assert!(shade < 0.85 * light, "{shade} {light}");
}
