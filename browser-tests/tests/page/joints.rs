//! Joints, colliders and the scale of contact forces.

use crate::support::{address, run_into, scene};
use conatus_browser_tests::in_browser;

/// A door on a hinge, a ball on a rope and a box that lies on the floor.
const DOOR: &str = "
[time]
step = 0.005
seconds = 1
[[body]]
name = 'door'
shape.box.half_extents = [0.5, 0.05, 1]
mass = 10
position = [0.5, 0, 1.5]
angular_velocity = [0, 0, 1]
[[body]]
name = 'ball'
shape.sphere.radius = 0.2
mass = 1
position = [2, 2, 1]
[[body]]
name = 'box'
shape.box.half_extents = [0.2, 0.2, 0.2]
mass = 100
position = [2, -1, 0.2]
[[joint]]
name = 'hinge'
type = 'hinge'
bodies = ['door']
at = [0, 0, 1.5]
limits = [-1, 2]
[[joint]]
name = 'rope'
type = 'rope'
bodies = ['ball']
ends = [[2, 2, 3], [2, 2, 1]]
[[command]]
time = 0.5
break = 'hinge'
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
";

#[test]
fn joints_and_colliders_are_drawn_until_they_are_gone() {
    in_browser(async |browsing| {
        let (_scene, file) = scene(DOOR);
        let (_folder, page) = run_into(&file, "1", "door.html");
        let tab = browsing.open(&address(&page)).await;
        let hidden = tab.eval(
            "['joints', 'colliders', 'cloth'].map((name) => \
             document.querySelector(`[data-toggle=${name}]`).hidden)",
        );
        assert_eq!(hidden.await, serde_json::json!([false, false, true]));
        tab.key(" ").await;
        tab.key("Home").await;
        tab.until_is("/frame", 0).await;
        tab.key("j").await;
        // Ropes are drawn anyway.
        tab.until("the hinge is drawn", |state| {
            state["marks"]["joints"] == serde_json::json!(["hinge"])
        })
        .await;
        tab.key("k").await;
        // Three bodies and the plane.
        tab.until_is("/marks/colliders", 4).await;
        tab.key("End").await;
        tab.until("the hinge broke", |state| {
            state["marks"]["joints"] == serde_json::json!([])
        })
        .await;
    });
}

#[test]
fn the_scale_of_contact_forces_is_written() {
    in_browser(async |browsing| {
        let (_scene, file) = scene(DOOR);
        let (_folder, page) = run_into(&file, "0.4", "door.html");
        let tab = browsing.open(&address(&page)).await;
        let hidden = "document.getElementById('scale-bars').hidden";
        assert_eq!(tab.eval(hidden).await, true);
        tab.key("End").await;
        tab.key("c").await;
        let text = "document.getElementById('scale-bars').innerText";
        loop {
            let text = tab.eval(text).await;
            let text = text.as_str().unwrap_or_default();
            if !text.is_empty() {
                assert!(text.ends_with("N contact force"), "{text}");
                break;
            }
            tab.pictures(1).await;
        }
        tab.key("c").await;
        while tab.eval(hidden).await != true {
            tab.pictures(1).await;
        }
    });
}
