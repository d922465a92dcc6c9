//! Hashes of a run by frame and family, and the text files that hold them.

use crate::support::hash;
use conatus_record::{Frame, Header};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// If this variable is set, the files are written instead of compared.
const RENEW: &str = "CONATUS_RENEW_GOLDEN";

/// How to renew the files, for messages and for the files themselves.
const COMMAND: &str = "cargo xtask golden --renew";

/// How many hashes stand in a line of a file.
const PER_LINE: usize = 20;

/// The families of numbers in a frame.
const FAMILIES: [&str; 5] = ["totals", "bodies", "characters", "contacts", "cloth"];

/// A family by name, and the hash of each frame.
type Family = (String, Vec<u16>);

/// The hashes of a run. The hash of all frames has 64 bits and decides whether a
/// run is the same; hashes by frame and family have 16 bits and tell where a run
/// began to differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// FNV-1a over the frames of the whole run.
    pub whole: u64,
    /// For each family that the run has: its name, and a hash for every frame. A
    /// file without them holds the hash of all frames only.
    pub families: Vec<Family>,
}

impl Hashes {
    /// The hashes of some frames.
    pub fn of(header: &Header, frames: &[Frame]) -> Self {
        let families = FAMILIES.map(|family| {
            let of_frames = frames.iter().map(|f| family_hash(header, f, family));
            (family.to_owned(), of_frames.collect::<Vec<_>>())
        });
        let present = |(_, hashes): &(String, Vec<Option<u16>>)| hashes.iter().any(Option::is_some);
        let families = families.into_iter().filter(present);
        Self {
            whole: hash(frames),
            families: families
                .map(|(name, hashes)| {
                    (
                        name,
                        hashes.into_iter().map(Option::unwrap_or_default).collect(),
                    )
                })
                .collect(),
        }
    }

    fn frames(&self) -> usize {
        self.families.first().map_or(0, |(_, hashes)| hashes.len())
    }

    /// What differs from the expected hashes: the first frame and the families
    /// that differ there. `seconds` gives the time of a frame.
    pub fn difference(&self, expected: &Self, seconds: impl Fn(usize) -> f64) -> Option<String> {
        let whole_differs = self.whole != expected.whole;
        if expected.families.is_empty() {
            return whole_differs.then(|| "the hash of all frames differs".into());
        }
        if self == expected {
            return None;
        }
        let names = |hashes: &Self| -> Vec<String> {
            hashes
                .families
                .iter()
                .map(|(name, _)| name.clone())
                .collect()
        };
        if names(self) != names(expected) {
            let (found, expected) = (names(self).join(", "), names(expected).join(", "));
            return Some(format!("it has {found} instead of {expected}"));
        }
        let pairs = || self.families.iter().zip(&expected.families);
        let first = |(found, expected): (&Family, &Family)| {
            (found.1.iter().zip(&expected.1)).position(|(a, b)| a != b)
        };
        let (found, wanted) = (self.frames(), expected.frames());
        if let Some(frame) = pairs().filter_map(first).min() {
            let differs = pairs().filter(|(a, b)| a.1[frame] != b.1[frame]);
            let families: Vec<&str> = differs.map(|(a, _)| a.0.as_str()).collect();
            return Some(format!(
                "frame {frame} of {found} (at {:.4} s) is the first that differs, in {}",
                seconds(frame),
                families.join(" and ")
            ));
        }
        if found != wanted {
            return Some(format!("it has {found} frames instead of {wanted}"));
        }
        Some("the hash of all frames differs, but no hash of a frame does".into())
    }

    /// The text of a file.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "# Hashes of a run: of all frames, then by family and frame. Renew with\n# {COMMAND}\n\
             whole {:016x}\n",
            self.whole
        );
        for (family, hashes) in &self.families {
            let _ = writeln!(text, "{family}");
            for line in hashes.chunks(PER_LINE) {
                let words: Vec<String> = line.iter().map(|hash| format!("{hash:04x}")).collect();
                let _ = writeln!(text, " {}", words.join(" "));
            }
        }
        text
    }

    /// Reads the text of a file.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let whole = lines.next()?.strip_prefix("whole ")?;
        let whole = u64::from_str_radix(whole, 16).ok()?;
        let mut families: Vec<Family> = Vec::new();
        for line in lines {
            if !line.starts_with(' ') {
                families.push((line.to_owned(), Vec::new()));
                continue;
            }
            let hashes = &mut families.last_mut()?.1;
            for word in line.split_whitespace() {
                hashes.push(u16::from_str_radix(word, 16).ok()?);
            }
        }
        Some(Self { whole, families })
    }
}

/// The scenes that have a file.
pub fn scenes_with_files() -> BTreeSet<String> {
    let folder = path("").with_file_name("");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter_map(|name| Some(name.strip_suffix(".txt")?.to_owned()));
    names.collect()
}

/// Whether files are written instead of compared.
pub fn is_renewed() -> bool {
    std::env::var_os(RENEW).is_some_and(|value| !value.is_empty())
}

/// The file of a scene.
pub fn path(scene: &str) -> PathBuf {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(format!("{scene}.txt"))
}

/// Compares a run with the file of its scene, or writes the file if [`RENEW`] is set.
pub fn compare(scene: &str, header: &Header, frames: &[Frame]) -> Result<Hashes, String> {
    let found = Hashes::of(header, frames);
    let path = path(scene);
    if is_renewed() {
        std::fs::write(&path, found.to_text()).map_err(|e| format!("{}: {e}", path.display()))?;
        return Ok(found);
    }
    let renew = format!("if the change is intended, renew the hashes: {COMMAND}");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{}: {error}; {renew}", path.display()))?;
    let expected = Hashes::from_text(&text)
        .ok_or_else(|| format!("{} cannot be read; {renew}", path.display()))?;
    match found.difference(&expected, |frame| frames[frame].time) {
        None => Ok(found),
        Some(difference) => Err(format!("{scene}: {difference}; {renew}")),
    }
}

/// A hash of the numbers of a family in a frame; none if the frame has no such numbers.
fn family_hash(header: &Header, frame: &Frame, family: &str) -> Option<u16> {
    let mut hash = Fnv::default();
    let is_character = |index: usize| {
        let body = header.bodies.get(index);
        body.is_some_and(|body| body.character.is_some())
    };
    match family {
        "totals" => {
            let totals = &frame.totals;
            hash.add(&[frame.time, frame.step as f64]);
            hash.add(&[totals.kinetic, totals.potential, totals.max_penetration]);
            hash.add(&totals.momentum.to_array());
            hash.add(&totals.angular_momentum.to_array());
        }
        "bodies" | "characters" => {
            let bodies = frame.bodies.iter().enumerate();
            for (_, body) in bodies.filter(|(i, _)| is_character(*i) == (family == "characters")) {
                hash.add(&body.position.to_array());
                hash.add(&body.orientation.to_array());
                hash.add(&body.velocity.to_array());
                hash.add(&body.omega_body.to_array());
                hash.add(&[f64::from(body.status as u8)]);
            }
        }
        "contacts" => {
            for contact in &frame.contacts {
                hash.add(&contact.point.to_array());
                hash.add(&contact.impulse.to_array());
                hash.add(&[contact.penetration]);
            }
        }
        "cloth" => frame.cloth.iter().for_each(|v| hash.add(&v.to_array())),
        _ => panic!("there is no family {family}"),
    }
    hash.finish()
}

/// FNV-1a over the bits of numbers.
struct Fnv {
    hash: u64,
    count: usize,
}

impl Default for Fnv {
    fn default() -> Self {
        Self {
            hash: 0xcbf2_9ce4_8422_2325,
            count: 0,
        }
    }
}

impl Fnv {
    fn add(&mut self, numbers: &[f64]) {
        self.count += numbers.len();
        for byte in numbers.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// All bits folded into 16; none if there were no numbers.
    fn finish(self) -> Option<u16> {
        let fold = self.hash ^ (self.hash >> 32);
        (self.count > 0).then_some((fold ^ (fold >> 16)) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(bodies: &[u16], contacts: &[u16]) -> Hashes {
        Hashes {
            whole: bodies.iter().chain(contacts).map(|h| u64::from(*h)).sum(),
            families: vec![
                ("bodies".into(), bodies.to_vec()),
                ("contacts".into(), contacts.to_vec()),
            ],
        }
    }

    #[test]
    fn the_first_frame_and_the_families_that_differ_are_named() {
        let expected = hashes(&[1, 2, 3, 4], &[5, 6, 7, 8]);
        let message = |found: Hashes| found.difference(&expected, |frame| frame as f64 / 10.0);
        assert_eq!(message(expected.clone()), None);
        let contacts = message(hashes(&[1, 2, 9, 9], &[5, 9, 9, 8])).unwrap();
        assert!(
            contacts.contains("frame 1 of 4 (at 0.1000 s)") && contacts.ends_with("in contacts"),
            "{contacts}"
        );
        let both = message(hashes(&[1, 2, 9, 4], &[5, 6, 9, 8])).unwrap();
        assert!(both.ends_with("in bodies and contacts"), "{both}");
        let short = message(hashes(&[1, 2, 3], &[5, 6, 7])).unwrap();
        assert_eq!(short, "it has 3 frames instead of 4");
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let many: Vec<u16> = (0..50).map(|i| i * 1000).collect();
        let written = hashes(&many, &many);
        assert_eq!(Hashes::from_text(&written.to_text()), Some(written));
        assert_eq!(Hashes::from_text("whole xyz"), None);
    }
}
