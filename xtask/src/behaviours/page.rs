//! The text of docs/behaviours.md.

use super::scene::{Group, SceneFile};
use serde_json::Value;
use std::collections::BTreeMap;

const HEAD: &str = "\
# Behaviours of characters

Every built-in scene with characters: its goals, the movement that was found, and figures.
`conatus run NAME -o NAME.html` shows it in motion.

What a scene gives: the start pose, the duration and the number of phases, and the goals that
are printed below. Goals say where a torso or an object has to be at the end or at a given time,
which limbs to stand on, or which point to strike. Scenes with objects give the end positions of
the objects and of the characters. Some scenes also set cost weights, friction, or obstacles that
move to their places in stages during the search.

What the program adds while it searches: torsos with a position goal are guided along the
straight line to it, and objects along a path at arm height, until physics has its full weight;
then the guides have no weight ([errata.md](errata.md), *Guides of objects*).

What is found: steps, contacts, grips and all forces
([how movements are found](scenes.md#how-movements-are-found)).

Arrows are forces on the patches that touch; the bars below the pictures show when each patch
touches. *Carried by* lists the three contacts of each character with the largest impulse, the
integral of the magnitude of the force over time. The figures are computed on a grid much denser
than that of the search: the residual force with only the contacts that touch (maximum and mean,
in % of the body weight), the drift of contacts in use, the violation of limb lengths, the
penetration depth and the error of the goals; then the number of attempts and the processor
seconds of all of them.

`cargo xtask behaviours` writes this page; with names of scenes it writes only their sections.
";

/// The number of contacts that are listed for a character.
const LISTED_CONTACTS: usize = 3;

/// The page: a section for each scene.
pub struct Page {
    sections: BTreeMap<String, String>,
}

impl Page {
    /// Reads the sections of an existing page.
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

    /// Replaces a section.
    pub fn put(&mut self, name: &str, section: String) {
        self.sections.insert(name.to_owned(), section);
    }

    /// The whole page: all listed scenes, group by group, in their order.
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

/// The section of a scene.
pub fn section(name: &str, title: &str, scene: &SceneFile, report: &Value) -> String {
    let motion = &report["motion"];
    let figure = |key: &str, times: f64| times * motion[key].as_f64().unwrap_or(f64::NAN);
    let mut text = format!(
        "### {name}\n\n{title}.\n\n![{name}](pictures/behaviours/{name}.png)\n\n```toml\n{}```\n\n",
        scene.goals
    );
    for line in largest_contacts(motion) {
        text += &line;
    }
    if let Some(failure) = motion["failure"].as_str() {
        text += &format!("This movement does not meet all thresholds: {failure}.\n\n");
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

/// A line for each character with its largest contacts.
fn largest_contacts(motion: &Value) -> Vec<String> {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for contact in motion["contacts"].as_array().into_iter().flatten() {
        let word = |key: &str| contact[key].as_str();
        // Contacts of objects have no part; those of characters list them.
        let (Some(of), Some(part), Some(with)) = (word("of"), word("part"), word("with")) else {
            continue;
        };
        let number = |key: &str| contact[key].as_f64().unwrap_or(0.0);
        let entry = format!(
            "{part} on {with} ({:.0} N·s in {:.1} s)",
            number("impulse"),
            number("seconds")
        );
        match all.last_mut().filter(|(name, _)| *name == of) {
            Some((_, entries)) => entries.push(entry),
            None => all.push((of, vec![entry])),
        }
    }
    let alone = all.len() == 1;
    let line = |(of, entries): (&str, Vec<String>)| {
        let main = entries[..entries.len().min(LISTED_CONTACTS)].join(", ");
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
    fn a_page_is_the_same_after_reading_and_writing() {
        let report = json!({ "motion": { "task_error": 0.01, "attempts": [1], "contacts": [
            { "of": "ada", "part": "left foot", "with": "ground", "seconds": 1.0, "impulse": 400.0 },
            { "of": "box", "with": "ground", "seconds": 1.0, "impulse": 400.0 },
        ]}});
        let scene = SceneFile {
            group: Group::Objects,
            goals: "[[goal]]\nkind = 'stand'\n".into(),
        };
        let mut page = Page::read("");
        for name in ["a", "b"] {
            page.put(name, section(name, "Title", &scene, &report));
        }
        let listed = ["a", "b"].map(|name| (name.to_owned(), String::new()));
        let text = page.text(&listed, |_| Ok(Group::Objects)).unwrap();
        assert!(text.contains("Carried by left foot on ground (400 N·s in 1.0 s).\n"));
        assert!(text.contains("| 10.0 | 1 |"), "{text}");
        let again = Page::read(&text).text(&listed, |_| Ok(Group::Objects));
        assert_eq!(again.unwrap(), text);
    }
}
