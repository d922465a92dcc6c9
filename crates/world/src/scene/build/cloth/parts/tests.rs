//! What cloth and rigid bodies collide with when they meet a character.

use super::{PlacedObstacle, parts};
use crate::motion::MotionWorld;
use crate::scene::{Files, LoadOptions, Scene, SourceText};
use conatus_geometry::PartShape;
use conatus_math::DVec3;

/// A one-legged character; `shin` and `foot` are more keys of its last link and of its
/// effector.
fn hopper(shin: &str, foot: &str) -> MotionWorld {
    let text = format!(
        r#"
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
[[character]]
name = "hopper"
[character.description]
mass = 10
half_extents = [0.1, 0.1, 0.1]
[[character.description.limb]]
name = "leg"
base = [0, 0, -0.1]
links = [{{ length = 0.3, radius = 0.04 }}, {{ length = 0.3, radius = 0.03{shin} }}]
direction = [0, 0, -1]
bend = [1, 0, 0]
tip = [0, 0, 0.05]
effector = {{ half_extents = [0.1, 0.06], friction = 0.8, radius = 0.03{foot} }}
[[character.description.hull]]
name = "head"
position = [0, 0, 0.2]
radius = 0.07
[character.description.pose.standing]
torso = {{ position = [0, 0, 0.65], forward = [1, 0, 0], up = [0, 0, 1] }}
leg = {{ position = [0, 0, 0], forward = [1, 0, 0], normal = [0, 0, 1] }}
[[object]]
name = "parcel"
shape.box.half_extents = [0.1, 0.2, 0.3]
mass = 2
position = [1, 0]
"#
    );
    let source = SourceText::new("scene.toml", text.as_str());
    let scene = Scene::parse(
        "test",
        source,
        Files::in_memory(std::iter::empty()),
        &LoadOptions::default(),
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let setup = scene.build().unwrap_or_else(|e| panic!("{e}"));
    setup.world.motion.expect("the scene has a character")
}

fn mesh(parts: &[PlacedObstacle], name: &str) -> conatus_geometry::Mesh {
    let part = parts.iter().find(|part| part.name == name);
    conatus_geometry::Mesh::clone(&part.expect("the part exists").mesh)
}

/// The taper of limbs was once a choice of the drawing code, and cloth collided with
/// the drawing: a change of looks changed physics. Collision shapes come from the
/// description of the character.
#[test]
fn parts_collide_as_the_description_of_the_character_says() {
    let plain = parts(&hopper("", ""));
    let thigh = PartShape::link(0.3, [0.04, 0.03], None);
    let shin = PartShape::link(0.3, [0.03, 0.78 * 0.03], Some(0.05));
    let foot = PartShape::sole([0.1, 0.06], 0.7 * 0.03);
    let torso = PartShape::Trunk {
        half_extents: DVec3::splat(0.1),
    };
    let parcel = PartShape::rounded_box(DVec3::new(0.1, 0.2, 0.3));
    for (name, shape) in [
        ("hopper/torso", torso),
        ("hopper/head", PartShape::Sphere { radius: 0.07 }),
        ("hopper/thigh", thigh),
        ("hopper/shin", shin),
        ("hopper/leg", foot),
        ("parcel", parcel),
    ] {
        assert_eq!(mesh(&plain, name), shape.mesh(), "{name}");
    }
    assert_eq!(plain.len(), 6);

    let thicker = parts(&hopper(", end_radius = 0.03", ", thickness = 0.03"));
    let shin = PartShape::link(0.3, [0.03; 2], Some(0.05));
    assert_eq!(mesh(&thicker, "hopper/shin"), shin.mesh());
    let foot = PartShape::sole([0.1, 0.06], 0.03);
    assert_eq!(mesh(&thicker, "hopper/leg"), foot.mesh());
    assert_eq!(mesh(&thicker, "hopper/thigh"), thigh.mesh());
}

#[test]
fn parts_are_shown_with_the_shapes_that_they_collide_with() {
    let motion = hopper(", end_radius = 0.02", ", thickness = 0.015");
    let (meshes, bodies) = motion.clip().part_bodies(0);
    let parts = parts(&motion);
    assert_eq!(bodies.len(), parts.len());
    for (body, part) in bodies.iter().zip(&parts) {
        assert_eq!(body.name, part.name);
        let shown = &meshes[body.mesh.expect("every part is shown")];
        assert_eq!(shown.vertices, part.mesh.vertices, "{}", part.name);
        assert_eq!(shown.triangles, part.mesh.triangles, "{}", part.name);
    }
}
