//! The library with fewer features, as packages of the workspace in which
//! [`packages`](crate::packages) checks all others.
//!
//! Cargo chooses the features of shared dependencies by the packages that are
//! selected, so `cargo check --package conatus --no-default-features` would check
//! most dependencies again. A copy under another name shares them: only the library
//! and `conatus-world` are checked once more for each variant.

/// The library with one of its features, or with none.
pub struct Variant {
    /// The only feature that is on.
    feature: Option<&'static str>,
}

/// All variants. The feature `viewer` includes the others.
pub const VARIANTS: [Variant; 4] = [
    Variant { feature: None },
    Variant {
        feature: Some("cloth"),
    },
    Variant {
        feature: Some("motion"),
    },
    Variant {
        feature: Some("export"),
    },
];

/// The packages that a variant copies, those that others depend on first.
pub const COPIED: [&str; 2] = ["conatus-world", "conatus"];

impl Variant {
    /// The name of a package's copy, and of its folder.
    pub fn copy_of(&self, package: &str) -> String {
        format!("{package}-only-{}", self.feature.unwrap_or("nothing"))
    }

    /// The manifest of a package's copy, from that of the package itself.
    pub fn manifest(&self, package: &str, manifest: &str) -> Result<String, String> {
        let copy = self.copy_of(package);
        let mut text = replaced(
            manifest,
            &format!("name = {package:?}"),
            &format!("name = {copy:?}"),
        )?;
        // The library chooses the features of the world.
        let feature = self.feature.filter(|_| package == "conatus");
        text = with_default_feature(&text, feature)?;
        if package == "conatus" {
            let world = self.copy_of("conatus-world");
            let table = "[dependencies.conatus-world]\n";
            let path = format!("{table}package = {world:?}\npath = \"../{world}\"\n");
            text = replaced(&text, table, &path)?;
        }
        // What is unused without a feature is a warning, which the gate must not hide.
        let table = "[lints.rust]\n";
        replaced(&text, table, &format!("{table}warnings = \"deny\"\n"))
    }
}

/// The text with the first occurrence of a part replaced; there must be one.
fn replaced(text: &str, part: &str, by: &str) -> Result<String, String> {
    match text.contains(part) {
        true => Ok(text.replacen(part, by, 1)),
        false => Err(format!("a packaged Cargo.toml has no `{}`", part.trim())),
    }
}

/// The manifest with one default feature, or with none.
fn with_default_feature(manifest: &str, feature: Option<&str>) -> Result<String, String> {
    let missing = || "a packaged Cargo.toml has no default features".to_owned();
    let (before, rest) = manifest.split_once("\ndefault = [").ok_or_else(missing)?;
    let (_, after) = rest.split_once(']').ok_or_else(missing)?;
    let features: Vec<&str> = feature.into_iter().collect();
    Ok(format!("{before}\ndefault = {features:?}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
name = \"conatus\"

[features]
cloth = [\"conatus-world/cloth\"]
default = [
    \"cloth\",
    \"motion\",
]

[lib]
name = \"conatus\"

[dependencies.conatus-world]
version = \"0.1.0\"
default-features = false

[lints.rust]
missing_docs = \"warn\"
";

    #[test]
    fn a_variant_has_one_default_feature_and_a_world_of_its_own() {
        let [nothing, cloth, ..] = VARIANTS;
        let text = cloth.manifest("conatus", MANIFEST).unwrap();
        for line in [
            "name = \"conatus-only-cloth\"",
            "default = [\"cloth\"]",
            "name = \"conatus\"",
            "package = \"conatus-world-only-cloth\"",
            "path = \"../conatus-world-only-cloth\"",
            "default-features = false",
            "warnings = \"deny\"",
        ] {
            assert_eq!(text.lines().filter(|l| *l == line).count(), 1, "{text}");
        }
        let text = nothing.manifest("conatus", MANIFEST).unwrap();
        assert!(text.contains("default = []\n"), "{text}");
        let world = MANIFEST.replace("name = \"conatus\"", "name = \"conatus-world\"");
        let text = cloth.manifest("conatus-world", &world).unwrap();
        assert!(text.contains("default = []\n"), "{text}");
        assert!(
            text.contains("name = \"conatus-world-only-cloth\"\n"),
            "{text}"
        );
    }

    #[test]
    fn a_manifest_of_another_form_is_an_error() {
        let without_lints = MANIFEST.replace("[lints.rust]", "");
        assert!(VARIANTS[0].manifest("conatus", &without_lints).is_err());
        assert!(VARIANTS[0].manifest("conatus", "").is_err());
    }
}
