//! The text of docs/behaviours.md.

use super::scene::{Group, SceneFile};
use serde_json::Value;
use std::collections::BTreeMap;

const HEAD: &str = "\
# What characters find out

Every built-in scene with characters: what was asked for, what came of it, and figures. Nobody
scripted a step, a hold or a contact; a goal of a line or two is all that a scene says
([how movements are found](scenes.md#how-movements-are-found)). `conatus run NAME -o NAME.html`
shows one in motion.

Arrows are forces on the patches that touch; below the pictures are bars where each does.
*Carried by* lists the three largest contacts of each character by impulse, the size of the
force summed over time. Figures are judged on a grid much denser than the one that a movement
was found on: the force that contacts which really touch leave unexplained (at most and on
average, in % of the body's weight), how far contacts drift while in use, how much longer or
shorter than possible limbs get, how deep anything is in anything, how far goals are missed;
then the attempts that were made and processor seconds of all of them.

`cargo xtask behaviours` writes this page; with names of scenes only their sections.
";

/// How many contacts of a character are named.
const MAIN: usize = 3;

/// The page: a section for each scene.
pub struct Page {
    sections: BTreeMap<String, String>,
}

impl Page {
    /// The sections of a page that was written before.
    pub fn read(text: &str) -> Self {
        let mut sections: BTreeMap<String, String> = BTreeMap::new();
        let mut name = None;
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("### ") {
                name = Some(heading.trim().to_owned());
            } else if line.starts_with("## ") {
                name = None;
            }
            if let Some(name) = &name {
                let section = sections.entry(name.clone()).or_default();
                *section += line;
                section.push('\n');
            }
        }
        for section in sections.values_mut() {
            section.truncate(section.trim_end().len());
            section.push('\n');
        }
        Self { sections }
    }

    /// Puts a section in the place of an older one.
    pub fn put(&mut self, name: &str, section: String) {
        self.sections.insert(name.to_owned(), section);
    }

    /// The whole page: the scenes that there are, group by group, in their order.
    pub fn text(
        &self,
        listed: &[(String, String)],
        group: impl Fn(&str) -> Result<Group, String>,
    ) -> Result<String, String> {
        let mut text = HEAD.to_owned();
        for (wanted, heading) in Group::ALL {
            text += &format!("\n## {heading}\n");
            for (name, _) in listed {
                if group(name)? == wanted
                    && let Some(section) = self.sections.get(name)
                {
                    text.push('\n');
                    text += section;
                }
            }
        }
        Ok(text)
    }
}

/// What the page says of a scene.
pub fn section(name: &str, title: &str, scene: &SceneFile, report: &Value) -> String {
    let motion = &report["motion"];
    let figure = |key: &str, times: f64| times * motion[key].as_f64().unwrap_or(f64::NAN);
    let mut text = format!(
        "### {name}\n\n{title}.\n\n![{name}](pictures/behaviours/{name}.png)\n\n```toml\n{}```\n\n",
        scene.goals
    );
    for line in carried(motion) {
        text += &line;
    }
    if let Some(failure) = motion["failure"].as_str() {
        text += &format!("This movement does not keep all bars: {failure}.\n\n");
    }
    text += "\
| residual max % | mean % | drift mm | limb mm | depth mm | task mm | attempts | CPU s |
|---|---|---|---|---|---|---|---|
";
    text + &format!(
        "| {:.2} | {:.3} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {:.1} |\n",
        figure("true_residual_max_bw", 100.0),
        figure("true_residual_mean_bw", 100.0),
        figure("contact_drift_max", 1000.0),
        figure("limb_error_max", 1000.0),
        figure("penetration_max", 1000.0),
        figure("task_error", 1000.0),
        motion["attempts"].as_array().map_or(0, Vec::len),
        figure("cpu_seconds", 1.0),
    )
}

/// A line for each character: its largest contacts.
fn carried(motion: &Value) -> Vec<String> {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for contact in motion["contacts"].as_array().into_iter().flatten() {
        let word = |key: &str| contact[key].as_str();
        // Things have no parts; whoever handles them has them in its own list.
        let (Some(of), Some(part), Some(with)) = (word("of"), word("part"), word("with")) else {
            continue;
        };
        let number = |key: &str| contact[key].as_f64().unwrap_or(0.0);
        let said = format!(
            "{part} on {with} ({:.0} N·s in {:.1} s)",
            number("impulse"),
            number("seconds")
        );
        match all.last_mut().filter(|(name, _)| *name == of) {
            Some((_, said_before)) => said_before.push(said),
            None => all.push((of, vec![said])),
        }
    }
    let alone = all.len() == 1;
    let line = |(of, said): (&str, Vec<String>)| {
        let main = said[..said.len().min(MAIN)].join(", ");
        match alone {
            true => format!("Carried by {main}.\n\n"),
            false => format!("{of} is carried by {main}.\n\n"),
        }
    };
    all.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_that_is_read_and_written_is_the_same() {
        let report = json!({ "motion": { "task_error": 0.01, "attempts": [1], "contacts": [
            { "of": "ada", "part": "left foot", "with": "ground", "seconds": 1.0, "impulse": 400.0 },
            { "of": "box", "with": "ground", "seconds": 1.0, "impulse": 400.0 },
        ]}});
        let scene = SceneFile {
            group: Group::Things,
            goals: "[[goal]]\nkind = 'stand'\n".into(),
        };
        let mut page = Page::read("");
        for name in ["a", "b"] {
            page.put(name, section(name, "Title", &scene, &report));
        }
        let listed = ["a", "b"].map(|name| (name.to_owned(), String::new()));
        let text = page.text(&listed, |_| Ok(Group::Things)).unwrap();
        assert!(text.contains("Carried by left foot on ground (400 N·s in 1.0 s).\n"));
        assert!(text.contains("| 10.0 | 1 |"), "{text}");
        let again = Page::read(&text).text(&listed, |_| Ok(Group::Things));
        assert_eq!(again.unwrap(), text);
    }
}
