//! The picture shows bodies at their positions.

use crate::support::{STILL, frames, pause, scene};
use conatus_browser_tests::picture::{hue, hue_distance};
use conatus_browser_tests::{Picture, Play, Tab, in_sharp_browser};

const RED: f64 = 0.0;
const BLUE: f64 = 229.0;

/// Whether the colours about a place have this hue.
fn has_hue(picture: &Picture, place: (f64, f64), wanted: f64) -> bool {
    let (found, strength) = hue(picture.mean(place, 3));
    strength > 0.25 && hue_distance(found, wanted) < 25.0
}

async fn shot(tab: &Tab) -> Picture {
    tab.pictures(2).await;
    tab.picture().await
}

#[test]
fn bodies_are_drawn_in_their_colours_at_their_positions() {
    in_sharp_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        pause(&tab).await;
        for theme in 0..2 {
            let picture = shot(&tab).await;
            assert_eq!(picture.size(), (1000, 700));
            assert!(picture.colours() > 30, "the picture is blank");
            let (red, blue) = (tab.place_of("red").await, tab.place_of("blue").await);
            assert!(has_hue(&picture, red, RED), "theme {theme}");
            assert!(has_hue(&picture, blue, BLUE), "theme {theme}");
            // There is no body halfway between them or above.
            let between = ((red.0 + blue.0) / 2.0, (red.1 + blue.1) / 2.0);
            for place in [between, (between.0, between.1 - 60.0)] {
                assert!(!has_hue(&picture, place, RED), "theme {theme} {place:?}");
                let (found, strength) = hue(picture.mean(place, 3));
                let body = strength > 0.6 && hue_distance(found, BLUE) < 25.0;
                assert!(!body, "theme {theme} {place:?}: {found} {strength}");
            }
            tab.key("t").await;
        }
    });
}

#[test]
fn a_moving_body_is_drawn_at_its_new_position() {
    in_sharp_browser(async |browsing| {
        let moving = STILL.replace("mass = 2", "mass = 2\nvelocity = [0, 0, 0.6]");
        let (_folder, file) = scene(&moving);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        tab.until("two seconds", |state| frames(state) > 50).await;
        pause(&tab).await;
        let late = tab.place_of("red").await;
        let picture = shot(&tab).await;
        assert!(has_hue(&picture, late, RED));
        tab.key("Home").await;
        tab.until("the first frame is drawn", |state| state["time"] == 0.0)
            .await;
        let early = tab.place_of("red").await;
        assert!(early.1 - late.1 > 40.0, "{early:?} {late:?}");
        let picture = shot(&tab).await;
        assert!(has_hue(&picture, early, RED));
        assert!(!has_hue(&picture, late, RED));
    });
}

#[test]
fn cylon_shows_its_four_balls() {
    in_sharp_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        pause(&tab).await;
        // Later a ball or a spring may be in front of another ball.
        tab.key("Home").await;
        tab.until("the first frame is drawn", |state| state["time"] == 0.0)
            .await;
        let picture = shot(&tab).await;
        for (name, wanted) in [("ball-1", 5.0), ("ball-3", 309.0), ("ball-4", 127.0)] {
            let place = tab.place_of(name).await;
            let found = hue(picture.mean(place, 3));
            assert!(has_hue(&picture, place, wanted), "{name}: {found:?}");
        }
    });
}
