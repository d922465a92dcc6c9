//! The commented scenes that `conatus new` writes.

/// A scene of rigid bodies to start from.
pub const RIGID: &str = include_str!("templates/rigid.toml");

/// The families that there is a template for.
pub const FAMILIES: &[&str] = &["rigid"];

/// The template of a family.
pub fn template(family: &str) -> Option<&'static str> {
    match family {
        "rigid" => Some(RIGID),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Files, Options, Scene, Source};
    use super::*;

    fn load(text: &str) -> Scene {
        let source = Source::new("new.toml", text);
        Scene::parse("new", source, Files::in_memory([]), &Options::default()).unwrap()
    }

    #[test]
    fn every_template_is_a_scene() {
        for family in FAMILIES {
            let scene = load(template(family).unwrap());
            assert!(!scene.file.body.is_empty());
        }
    }

    #[test]
    fn what_the_template_comments_out_is_right_too() {
        // Lines that begin with `#` and no space are keys to try.
        let tried: String = RIGID
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(key) if !key.starts_with(' ') => format!("{key}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let scene = load(&tried);
        assert!(scene.file.water.len() == 1 && scene.file.command.len() >= 2);
    }
}
