//! Finds a scene by name or path, reads it and checks its keys.

use super::diagnostic::{Diagnostic, Diagnostics, SceneError, SourceText, nearest};
use super::files::{self, Files};
use super::model::SceneFile;
use super::tree::TreeNode;
use super::{de, import, library, parse_json, parse_toml, set};
use std::path::Path;
use std::sync::Arc;

/// Changes that the command line makes to a scene.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// `path=value` changes, applied in order.
    pub sets: Vec<String>,
    /// Replaces the seed of the scene.
    pub seed: Option<u64>,
    /// Replaces the length of the run.
    pub seconds: Option<f64>,
}

/// The content of a scene file, with the changes of the command line. Its keys are
/// valid; [`build`](Scene::build) checks its physics. A scene never changes after
/// it was loaded: movements of characters belong to a [`Setup`](super::Setup).
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name of a built-in scene, or the file name without its extension.
    pub name: String,
    /// The keys and values.
    pub file: SceneFile,
    /// The seed of everything random: that of the command line, else that of
    /// the scene, else 0.
    pub seed: u64,
    /// The changes of the command line as `path=value`, in order. A recording
    /// keeps them beside its sources, so that the scene can be loaded from it.
    pub overrides: Vec<String>,
    /// Where the files that the scene names are read from.
    pub files: Files,
    tree: Arc<TreeNode>,
    sources: Vec<SourceText>,
    /// What was left out of imported robots.
    warnings: Vec<Diagnostic>,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    Json,
}

impl Format {
    /// By the extension, else by the first character: no TOML document begins
    /// with a brace.
    fn detect(name: &str, text: &str) -> Self {
        let extension = Path::new(name).extension().map(|e| e.to_ascii_lowercase());
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("json") => Self::Json,
            Some("toml") => Self::Toml,
            _ if text.trim_start().starts_with('{') => Self::Json,
            _ => Self::Toml,
        }
    }
}

impl Scene {
    /// Loads a built-in scene by its name, or a scene file by its path. Built-in
    /// names take precedence; `./name` is always a file.
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

    /// Parses a scene. The name of the source decides between TOML and JSON;
    /// `files` provides the files that the scene names.
    pub fn parse(
        name: &str,
        source: SourceText,
        files: Files,
        options: &LoadOptions,
    ) -> Result<Self, SceneError> {
        let text = Arc::clone(&source.text);
        let format = Format::detect(&source.name, &text);
        let mut sources = vec![source];
        let parsed = match format {
            Format::Toml => parse_toml::parse(&text, 0),
            Format::Json => parse_json::parse(&text, 0),
        };
        let mut tree = match parsed {
            Ok(tree) => tree,
            Err(diagnostics) => return Err(SceneError::new(sources, diagnostics)),
        };

        // Changes of imports come before the robots are read, all others after, so that
        // they can change the robots' bodies.
        let of_import = |set: &&String| set.trim_start().starts_with("import");
        let (first, rest): (Vec<&String>, Vec<&String>) = options.sets.iter().partition(of_import);
        let mut warnings = Vec::new();
        if tree.get("import").is_some() || !first.is_empty() {
            let mut diagnostics = Vec::new();
            for set in first {
                sources.push(SourceText::new("--set", set.as_str()));
                diagnostics.extend(set::apply(&mut tree, set, sources.len() - 1).err());
            }
            if diagnostics.is_empty() {
                match import::expand(&mut tree, &files, &mut sources) {
                    Ok(found) => warnings = found,
                    Err(wrong) => diagnostics = wrong,
                }
            }
            if !diagnostics.is_empty() {
                return Err(SceneError::new(sources, diagnostics));
            }
        }
        let sets = rest.into_iter().map(|set| ("--set", set.clone()));
        // The length is recorded as an override too, so that the recording can be
        // run again.
        let seconds = options
            .seconds
            .map(|s| ("--seconds", format!("time.seconds={s:?}")));
        let mut overrides: Vec<String> = options.sets.iter().filter(of_import).cloned().collect();
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

        let mut file: SceneFile = match de::from_node(&tree) {
            Ok(file) => file,
            Err(diagnostic) => return Err(SceneError::new(sources, vec![diagnostic])),
        };
        // A list grows by doubling; scenes have up to a million bodies.
        file.body.shrink_to_fit();
        tracing::info!(scene = %name, overrides = overrides.len(), "scene loaded");
        Ok(Self {
            name: name.to_owned(),
            seed: options.seed.or(file.seed).unwrap_or(0),
            file,
            overrides,
            files,
            tree: Arc::new(tree),
            sources,
            warnings,
            format,
        })
    }

    /// An empty collector of diagnostics about the scene's physics.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::new(Arc::clone(&self.tree), self.sources.clone());
        diagnostics.push_warnings(&self.warnings);
        diagnostics
    }

    /// The tree of the scene file, with the changes of the command line.
    pub fn tree(&self) -> &TreeNode {
        &self.tree
    }

    /// The text of the scene file itself, as a recording keeps it.
    pub fn source(&self) -> conatus_record::Source {
        let name = match self.format {
            Format::Toml => "scene.toml",
            Format::Json => "scene.json",
        };
        let text = self.sources.first().map(|source| source.text.to_string());
        conatus_record::Source {
            name: name.to_owned(),
            text: text.unwrap_or_default(),
        }
    }

    /// The texts that a recording keeps: the scene file, then the files that
    /// were read.
    pub(super) fn record_sources(&self) -> Vec<conatus_record::Source> {
        let read = self.files.already_read().into_iter();
        let read = read.map(|(name, text)| conatus_record::Source {
            name,
            text: text.to_string(),
        });
        std::iter::once(self.source()).chain(read).collect()
    }
}

/// Whether an argument that names no file is meant as the name of a built-in
/// scene.
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
        "{near}`conatus list` shows the built-in scenes, `conatus new rigid -o {name}.toml` writes a new one"
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
    fn toml_and_json_with_equal_keys_give_equal_scenes() {
        let toml = "seed = 7\n[[body]]\nname = 'a'\nshape.sphere.radius = 2";
        let json = r#"{"seed": 7, "body": [{"name": "a", "shape": {"sphere": {"radius": 2}}}]}"#;
        let options = LoadOptions::default();
        let toml = parse("a.toml", toml, &options).unwrap();
        for name in ["a.json", "a"] {
            let json = parse(name, json, &options).unwrap();
            assert_eq!(format!("{:?}", toml.file), format!("{:?}", json.file));
            assert_eq!(json.seed, 7);
            assert_eq!(json.source().name, "scene.json");
        }
    }

    #[test]
    fn the_command_line_takes_precedence_over_the_file() {
        let options = LoadOptions {
            sets: vec!["seed=8".into(), "time.step=0.5".into()],
            seed: Some(9),
            seconds: Some(3.0),
        };
        let scene = parse("a.toml", "seed = 7\ntime.seconds = 1", &options).unwrap();
        assert_eq!(scene.seed, 9);
        assert_eq!(scene.file.time.step, 0.5);
        assert_eq!(scene.file.time.seconds, 3.0);
        let again = Scene::from_recording("a", &[scene.source()], &scene.overrides, 9);
        assert_eq!(
            format!("{:?}", again.unwrap().file),
            format!("{:?}", scene.file)
        );
    }

    #[test]
    fn an_error_in_a_set_argument_shows_the_argument() {
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
    fn diagnostics_of_the_physics_show_file_line_and_column() {
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
    fn an_unknown_scene_name_suggests_a_similar_one() {
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
