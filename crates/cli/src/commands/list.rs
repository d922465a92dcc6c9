//! `conatus list`: the built-in scenes by family, one line each.

use crate::Done;
use crate::args::List;
use crate::errors::print;
use conatus_world::scene::library::{self, Listing};
use serde_json::json;

/// Shows the built-in scenes.
pub fn list(args: &List) -> Done {
    let scenes = library::list();
    print(&if args.json {
        as_json(&scenes)
    } else {
        as_text(&scenes)
    })
}

fn as_json(scenes: &[Listing]) -> String {
    let scenes: Vec<_> = scenes
        .iter()
        .map(|scene| {
            json!({
                "name": scene.name,
                "family": scene.family,
                "title": scene.title,
                "shows": scene.shows,
            })
        })
        .collect();
    format!("{:#}\n", serde_json::Value::Array(scenes))
}

fn as_text(scenes: &[Listing]) -> String {
    let width = scenes.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut family = "";
    for scene in scenes {
        if scene.family != family {
            family = scene.family;
            text.push_str(&format!("{family}\n"));
        }
        let Listing {
            name, title, shows, ..
        } = scene;
        text.push_str(&format!("  {name:width$}  {title} [{shows}]\n"));
    }
    text
}
