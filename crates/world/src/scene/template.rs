//! The commented scenes that `conatus new` writes.

/// A scene of rigid bodies to start from.
pub const RIGID: &str = include_str!("templates/rigid.toml");

/// A scene of cloth to start from.
pub const CLOTH: &str = include_str!("templates/cloth.toml");

/// A scene of characters to start from.
pub const MOTION: &str = include_str!("templates/motion.toml");

/// The families that have a template.
pub const FAMILIES: &[&str] = &["rigid", "cloth", "motion"];

/// The template of a family.
pub fn template(family: &str) -> Option<&'static str> {
    match family {
        "rigid" => Some(RIGID),
        "cloth" => Some(CLOTH),
        "motion" => Some(MOTION),
        _ => None,
    }
}

/// A template with all optional keys enabled: lines that begin with `#` and no space are
/// keys.
pub fn with_keys_to_try(template: &str) -> String {
    template
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(key) if !key.starts_with(' ') => format!("{key}\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Files, LoadOptions, Scene, SourceText, library};
    use super::*;

    fn load(text: &str) -> Scene {
        let source = SourceText::new("new.toml", text);
        Scene::parse("new", source, Files::in_memory([]), &LoadOptions::default()).unwrap()
    }

    #[test]
    fn every_template_is_a_scene_of_its_family() {
        for family in FAMILIES {
            let scene = load(template(family).unwrap());
            assert_eq!(library::family(&scene.file), *family);
        }
    }

    #[test]
    fn the_commented_keys_of_the_templates_are_valid() {
        let rigid = load(&with_keys_to_try(RIGID)).file;
        assert!(rigid.water.len() == 1 && rigid.command.len() >= 2);
        let cloth = load(&with_keys_to_try(CLOTH)).file;
        assert_eq!((cloth.cloth.piece.len(), cloth.obstacle.len()), (2, 2));
        assert_eq!(cloth.cloth.piece[0].pin.len(), 2);
        assert_eq!(cloth.cloth.piece[0].spring.len(), 1);
        assert_eq!(cloth.body.len(), 1);
    }
}
