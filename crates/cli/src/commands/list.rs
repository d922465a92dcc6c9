//! `conatus list`: the built-in scenes by family, one line each.

use crate::Done;
use crate::args::ListArgs;
use crate::terminal::{print, print_json};
use conatus_world::scene::library::{self, Listing};
use serde_json::{Value, json};

/// Shows the built-in scenes.
pub fn list(args: &ListArgs) -> Done {
    let scenes = library::list();
    match args.json {
        true => print_json(&as_json(&scenes)),
        false => print(&as_text(&scenes)),
    }
}

fn as_json(scenes: &[Listing]) -> Value {
    let scene = |scene: &Listing| {
        json!({
            "name": scene.name,
            "family": scene.family,
            "title": scene.title,
            "shows": scene.shows,
        })
    };
    scenes.iter().map(scene).collect()
}

fn as_text(scenes: &[Listing]) -> String {
    let width = scenes.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut family = "";
    for scene in scenes {
        if scene.family != family {
            family = scene.family;
            text += &format!("{family}\n");
        }
        let Listing {
            name, title, shows, ..
        } = scene;
        text += &format!("  {name:width$}  {title} [{shows}]\n");
    }
    text
}
