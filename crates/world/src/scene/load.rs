//! Finds a scene by name or path, reads it and checks its keys.

use super::diagnostic::{Diagnostic, Diagnostics, SceneError, SourceText, nearest};
use super::files::{self, Files};
use super::model::SceneFile;
use super::tree::TreeNode;
use super::{de, library, parse_json, parse_toml, set};
use std::path::Path;
use std::sync::Arc;

/// What the command line changes about a scene.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// `path=value` changes, carried out in order.
    pub sets: Vec<String>,
    /// The seed, instead of the scene's.
    pub seed: Option<u64>,
    /// The length of the run, instead of the scene's.
    pub seconds: Option<f64>,
}

/// A scene whose keys are all right. Whether its physics is, `build` finds
/// out.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its name: that of a built-in scene, or of the file without its ending.
    pub name: String,
    /// Its content.
    pub file: SceneFile,
    /// The seed of everything random: the command line's, or else the
    /// scene's, or else 0.
    pub seed: u64,
    /// The command line's changes as `path=value`, in order; with these and
    /// [`Scene::record_sources`] the scene can be loaded again.
    pub overrides: Vec<String>,
    /// The meshes that the scene names.
    pub files: Files,
    /// The movement of its characters, if that is known already; worlds are
    /// built with it.
    pub movement: Option<Arc<crate::motion::Movement>>,
    /// All movements that were kept to choose from, if that is known already.
    pub movements: Option<Arc<crate::motion::Movements>>,
    tree: Arc<TreeNode>,
    sources: Vec<SourceText>,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    Json,
}

impl Format {
    /// By the ending, or, if that says nothing, by the first character: no
    /// TOML document begins with a brace.
    fn of(name: &str, text: &str) -> Self {
        let ending = Path::new(name).extension().map(|e| e.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("toml") => Self::Toml,
            _ if text.trim_start().starts_with('{') => Self::Json,
            _ => Self::Toml,
        }
    }
}

impl Scene {
    /// Keeps movements that were found: it is built with the best of them.
    pub fn keep(&mut self, movements: crate::motion::Movements) {
        self.movement = Some(Arc::clone(&movements.best));
        self.movements = Some(Arc::new(movements));
    }

    /// Loads a built-in scene by its name, or a scene file by its path. A
    /// built-in name comes first; `./name` is always a file.
    pub fn load(name_or_path: &str, options: &LoadOptions) -> Result<Self, SceneError> {
        if let Some(built_in) = library::find(name_or_path) {
            let source = SourceText::new(format!("{}.toml", built_in.name), built_in.text);
            return Self::parse(built_in.name, source, Files::built_in(), options);
        }
        let path = Path::new(name_or_path);
        if !path.exists() && looks_like_a_name(name_or_path) {
            return Err(SceneError::placeless(unknown_scene(name_or_path)));
        }
        if path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("mcap"))
        {
            return Err(SceneError::placeless(
                Diagnostic::new(format!(
                    "{name_or_path} is named like a recording, not a scene"
                ))
                .help("recordings are for `conatus run`, `conatus play` and `conatus export`"),
            ));
        }
        let text = files::read_text(path).map_err(SceneError::placeless)?;
        let source = SourceText::new(name_or_path, text);
        if source.text.trim().is_empty() {
            return Err(SceneError::placeless(
                Diagnostic::new(format!("{name_or_path} is empty"))
                    .help("`conatus new rigid` writes a scene to start from"),
            ));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_stem().map(|stem| stem.to_string_lossy());
        let name = name.unwrap_or_default();
        Self::parse(&name, source, Files::in_folder(folder), options)
    }

    /// Loads a scene from the texts in a recording: the scene first, then its
    /// meshes.
    pub fn from_recording(
        name: &str,
        sources: &[conatus_record::Source],
        overrides: &[String],
        seed: u64,
    ) -> Result<Self, SceneError> {
        let Some((scene, meshes)) = sources.split_first() else {
            return Err(SceneError::placeless(Diagnostic::new(
                "the recording does not hold the scene that it was made from",
            )));
        };
        let meshes = meshes.iter().map(|m| (m.name.clone(), m.text.clone()));
        let options = LoadOptions {
            sets: overrides.to_vec(),
            seed: Some(seed),
            seconds: None,
        };
        let source = SourceText::new(scene.name.clone(), scene.text.as_str());
        Self::parse(name, source, Files::in_memory(meshes), &options)
    }

    /// Reads a scene from a text. The source's name decides between TOML and
    /// JSON; `files` is where its meshes are.
    pub fn parse(
        name: &str,
        source: SourceText,
        files: Files,
        options: &LoadOptions,
    ) -> Result<Self, SceneError> {
        let text = Arc::clone(&source.text);
        let format = Format::of(&source.name, &text);
        let mut sources = vec![source];
        let parsed = match format {
            Format::Toml => parse_toml::parse(&text, 0),
            Format::Json => parse_json::parse(&text, 0),
        };
        let mut tree = match parsed {
            Ok(tree) => tree,
            Err(diagnostics) => return Err(SceneError::new(sources, diagnostics)),
        };

        let sets = options.sets.iter().map(|set| ("--set", set.clone()));
        // The length becomes an override like any other, so that a recording
        // that keeps the overrides can be run again.
        let seconds = options
            .seconds
            .map(|s| ("--seconds", format!("time.seconds={s:?}")));
        let mut overrides = Vec::new();
        let mut diagnostics = Vec::new();
        for (flag, argument) in sets.chain(seconds) {
            sources.push(SourceText::new(flag, argument.as_str()));
            if let Err(diagnostic) = set::apply(&mut tree, &argument, sources.len() - 1) {
                diagnostics.push(diagnostic);
            }
            overrides.push(argument);
        }
        if !diagnostics.is_empty() {
            return Err(SceneError::new(sources, diagnostics));
        }

        let file: SceneFile = match de::from_node(&tree) {
            Ok(file) => file,
            Err(diagnostic) => return Err(SceneError::new(sources, vec![diagnostic])),
        };
        Ok(Self {
            name: name.to_owned(),
            seed: options.seed.or(file.seed).unwrap_or(0),
            file,
            overrides,
            files,
            movement: None,
            movements: None,
            tree: Arc::new(tree),
            sources,
            format,
        })
    }

    /// A collector for what is wrong with the scene's physics.
    pub fn diagnostics(&self) -> Diagnostics {
        Diagnostics::new(Arc::clone(&self.tree), self.sources.clone())
    }

    /// Whether the scene or the command line says how long to run.
    pub(super) fn says_seconds(&self) -> bool {
        let time = self.tree.get("time");
        time.and_then(|time| time.get("seconds")).is_some()
    }

    /// The scene as it was written, changes included.
    pub fn tree(&self) -> &TreeNode {
        &self.tree
    }

    /// The texts that a recording keeps: the scene first, then the meshes
    /// read so far.
    pub fn record_sources(&self) -> Vec<conatus_record::Source> {
        let name = match self.format {
            Format::Toml => "scene.toml",
            Format::Json => "scene.json",
        };
        let scene = self.sources.first().map(|source| (name, &*source.text));
        scene
            .into_iter()
            .chain(self.files.already_read())
            .map(|(name, text)| conatus_record::Source {
                name: name.to_owned(),
                text: text.to_owned(),
            })
            .collect()
    }
}

/// Whether an argument that is no file is meant as a built-in scene's name.
fn looks_like_a_name(argument: &str) -> bool {
    let is_path = argument.contains(['/', '\\']) || Path::new(argument).extension().is_some();
    !is_path
}

fn unknown_scene(name: &str) -> Diagnostic {
    let names = library::SCENES.iter().map(|scene| scene.name);
    let near = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    Diagnostic::new(format!("there is no scene or file named `{name}`")).help(format!(
        "{near}`conatus list` shows the built-in scenes, `conatus new rigid -o {name}.toml` starts one of your own"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, text: &str, options: &LoadOptions) -> Result<Scene, SceneError> {
        let files = Files::in_memory([]);
        Scene::parse("test", SourceText::new(name, text), files, options)
    }

    fn sets(sets: &[&str]) -> LoadOptions {
        LoadOptions {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..LoadOptions::default()
        }
    }

    #[test]
    fn toml_and_json_of_the_same_shape_are_the_same_scene() {
        let toml = "seed = 7\n[[body]]\nname = 'a'\nshape.sphere.radius = 2";
        let json = r#"{"seed": 7, "body": [{"name": "a", "shape": {"sphere": {"radius": 2}}}]}"#;
        let options = LoadOptions::default();
        let toml = parse("a.toml", toml, &options).unwrap();
        for name in ["a.json", "a"] {
            let json = parse(name, json, &options).unwrap();
            assert_eq!(format!("{:?}", toml.file), format!("{:?}", json.file));
            assert_eq!(json.seed, 7);
            assert_eq!(json.record_sources()[0].name, "scene.json");
        }
    }

    #[test]
    fn the_command_line_goes_before_the_file() {
        let options = LoadOptions {
            sets: vec!["seed=8".into(), "time.step=0.5".into()],
            seed: Some(9),
            seconds: Some(3.0),
        };
        let scene = parse("a.toml", "seed = 7\ntime.seconds = 1", &options).unwrap();
        assert_eq!(scene.seed, 9);
        assert_eq!(scene.file.time.step, 0.5);
        assert_eq!(scene.file.time.seconds, 3.0);
        let again = Scene::from_recording("a", &scene.record_sources(), &scene.overrides, 9);
        assert_eq!(
            format!("{:?}", again.unwrap().file),
            format!("{:?}", scene.file)
        );
    }

    #[test]
    fn what_a_set_argument_breaks_is_shown_in_the_argument() {
        let error = parse("a.toml", "seed = 7", &sets(&["up=y", "time.stepp=3"])).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("--set:1:6: unknown key `stepp`"), "{text}");
        assert!(text.contains("did you mean `step`?"), "{text}");
        let options = LoadOptions {
            seconds: Some(f64::NAN),
            ..LoadOptions::default()
        };
        let error = parse("a.toml", "seed = 7", &options).unwrap_err();
        assert!(error.to_string().starts_with("--seconds:"), "{error}");
    }

    #[test]
    fn physics_problems_show_their_place() {
        let scene = parse(
            "a.toml",
            "[[body]]\nmass = -1\n",
            &sets(&["body[0].friction=-2"]),
        );
        let mut diagnostics = scene.unwrap().diagnostics();
        assert!(diagnostics.is_empty());
        diagnostics.at("body[0].mass", "the mass is negative", "");
        diagnostics.at("body[0].friction", "friction is negative", "");
        diagnostics.at("body[0].position", "no position", "add one");
        diagnostics.in_source("a.obj", "v 1\nv 2", 4, 3, "two numbers are missing", "");
        assert_eq!(
            diagnostics.finish().unwrap_err().to_string(),
            "a.toml:2:8: the mass is negative\n\
             --set:1:18: friction is negative\n\
             a.toml:1:1: no position\n  help: add one\n\
             a.obj:2:1: two numbers are missing"
        );
    }

    #[test]
    fn a_scene_that_is_not_there_suggests_one_that_is() {
        let error = Scene::load("cylno", &LoadOptions::default()).unwrap_err();
        assert!(
            error.to_string().contains("did you mean `cylon`?"),
            "{error}"
        );
        let error = Scene::load("no/such.toml", &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("no such file"), "{error}");
        let error = Scene::load("", &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("no scene"), "{error}");
    }
}
