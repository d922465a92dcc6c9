//! Reads the group and the goals of a scene file for the page.

use crate::process::root;
use std::fs;

/// The groups of scenes, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One human on flat ground.
    Human,
    /// Characters other than the human.
    Bodies,
    /// Obstacles.
    Obstacles,
    /// Objects to move.
    Objects,
    /// Several characters.
    SeveralCharacters,
}

impl Group {
    /// All of them, with their headings.
    pub const ALL: [(Self, &str); 5] = [
        (Self::Human, "One human on flat ground"),
        (Self::Bodies, "Other characters"),
        (Self::Obstacles, "Obstacles"),
        (Self::Objects, "Objects"),
        (Self::SeveralCharacters, "Several characters"),
    ];
}

/// What the page shows of a scene file.
pub struct SceneFile {
    /// Its group.
    pub group: Group,
    /// Its tables `[[goal]]`.
    pub goals: String,
}

/// Reads a built-in scene.
pub fn read(name: &str) -> Result<SceneFile, String> {
    let path = root()
        .join("crates/world/scenes")
        .join(format!("{name}.toml"));
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(parse(&text))
}

fn parse(text: &str) -> SceneFile {
    let tables = tables(text);
    let count = |name: &str| tables.iter().filter(|t| t.0 == name).count();
    let other_body = (tables.iter().filter(|t| t.0 == "[[character]]"))
        .any(|t| t.1.lines().any(|l| l.starts_with("kind")));
    let group = match () {
        () if count("[[character]]") > 1 => Group::SeveralCharacters,
        () if other_body => Group::Bodies,
        () if count("[[object]]") > 0 => Group::Objects,
        () if count("[[obstacle]]") > 0 => Group::Obstacles,
        () => Group::Human,
    };
    let goals = tables.iter().filter(|t| t.0 == "[[goal]]");
    let goals: Vec<&str> = goals.map(|t| t.1.as_str()).collect();
    SceneFile {
        group,
        goals: goals.join("\n"),
    }
}

/// The tables of a file: header, and all lines without comments.
fn tables(text: &str) -> Vec<(String, String)> {
    let mut tables: Vec<(String, String)> = Vec::new();
    for line in text.lines().filter(|l| !l.trim_start().starts_with('#')) {
        if line.starts_with('[') {
            tables.push((line.trim_end().to_owned(), String::new()));
        }
        if let Some((_, lines)) = tables.last_mut().filter(|_| !line.trim().is_empty()) {
            *lines += line;
            lines.push('\n');
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_belongs_to_the_last_group_that_fits() {
        let group = |text: &str| parse(text).group;
        let human = "[[character]]\nname = 'a'\n";
        assert_eq!(group(human), Group::Human);
        assert_eq!(
            group("[[character]]\nkind = 'hexapod'\n[[object]]\n"),
            Group::Bodies
        );
        assert_eq!(group(&format!("{human}[[obstacle]]\n")), Group::Obstacles);
        assert_eq!(
            group(&format!("{human}[[obstacle]]\n[[object]]\n")),
            Group::Objects
        );
        assert_eq!(
            group(&format!("{human}{human}[[object]]\n")),
            Group::SeveralCharacters
        );
    }

    #[test]
    fn goals_are_shown_as_written_without_comments() {
        let text = "[[character]]\n\n# Far.\n[[goal]]\nkind = 'stand'\n\n[[goal]]\nkind = 'sit'\n";
        let goals = "[[goal]]\nkind = 'stand'\n\n[[goal]]\nkind = 'sit'\n";
        assert_eq!(parse(text).goals, goals);
    }
}
