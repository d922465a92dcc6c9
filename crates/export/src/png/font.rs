//! A stroke font.
//!
//! Each letter has a width and strokes in a small language: `m x y` lifts the
//! pen to a point, `l x y` draws a line, and `a cx cy rx ry from to` draws an
//! arc of an ellipse about a centre, by angles in degrees counter-clockwise
//! from the right, after a line to its beginning if the pen is down. Capitals
//! are 14 high, small letters 10, descenders go to −4.

use conatus_math::sincos;

/// The height of capitals.
pub(super) const CAPITAL_HEIGHT: f64 = 14.0;
/// The gap between letters.
const LETTER_GAP: f64 = 3.6;

/// The width of a letter with the gap behind it.
pub(super) fn advance(letter: char) -> f64 {
    look_up(letter).0 + LETTER_GAP
}

/// The strokes of a letter, each a list of points.
pub(super) fn strokes(letter: char) -> Vec<Vec<[f64; 2]>> {
    let mut strokes: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut words = look_up(letter).1.split_ascii_whitespace();
    let mut lifted = true;
    while let Some(command) = words.next() {
        let mut number = || words.next().and_then(|w| w.parse().ok()).unwrap_or(0.0);
        match command {
            "m" => {
                strokes.push(vec![[number(), number()]]);
                lifted = false;
            }
            "l" => {
                let point = [number(), number()];
                if let Some(stroke) = strokes.last_mut() {
                    stroke.push(point);
                }
            }
            _ => {
                let [cx, cy, rx, ry, from, to] = std::array::from_fn(|_| number());
                let steps = (f64::abs(to - from) / 12.0).ceil().max(1.0);
                let point = |k: usize| {
                    let angle = from + (to - from) * k as f64 / steps;
                    let (sin, cos) = sincos(angle.to_radians());
                    [cx + rx * cos, cy + ry * sin]
                };
                let arc = (0..=steps as usize).map(point);
                match strokes.last_mut().filter(|_| !lifted) {
                    Some(stroke) => stroke.extend(arc),
                    None => strokes.push(arc.collect()),
                }
                lifted = false;
            }
        }
        // A semicolon lifts the pen, so that an arc begins without a connecting line.
        if words.clone().next() == Some(";") {
            words.next();
            lifted = true;
        }
    }
    strokes
}

fn look_up(letter: char) -> (f64, &'static str) {
    let found = LETTERS.iter().find(|(c, ..)| *c == letter);
    let (_, width, strokes) = found.unwrap_or(&UNKNOWN_LETTER);
    (*width, strokes)
}

/// Replaces letters that are not in the table.
const UNKNOWN_LETTER: (char, f64, &str) = ('?', 8.0, "m 0 0 l 8 0 l 8 14 l 0 14 l 0 0");

const LETTERS: &[(char, f64, &str)] = &[
    (' ', 2.2, ""),
    ('a', 8.0, "a 4 5 4 5 0 360 ; m 8 10 l 8 0"),
    ('b', 8.0, "m 0 14 l 0 0 ; a 4 5 4 5 0 360"),
    ('c', 7.2, "a 4 5 4 5 42 318"),
    ('d', 8.0, "a 4 5 4 5 0 360 ; m 8 14 l 8 0"),
    ('e', 8.0, "m 0 5.2 l 8 5.2 a 4 5 4 5 2 316"),
    (
        'f',
        4.6,
        "a 4.4 11.2 2.6 2.8 75 180 l 1.8 0 m 0 10 l 4.4 10",
    ),
    (
        'g',
        8.0,
        "a 4 5 4 5 0 360 ; m 8 10 l 8 -0.2 a 4 -0.2 4 4 0 -145",
    ),
    (
        'h',
        7.6,
        "m 0 14 l 0 0 m 0 6.2 a 3.8 6.2 3.8 3.8 180 0 l 7.6 0",
    ),
    ('i', 0.6, "m 0.3 10 l 0.3 0 m 0.3 13.7 l 0.3 13.9"),
    (
        'j',
        2.2,
        "m 1.9 10 l 1.9 -1.6 a -0.5 -1.6 2.4 2.5 0 -80 m 1.9 13.7 l 1.9 13.9",
    ),
    ('k', 7.0, "m 0 14 l 0 0 m 6.4 10 l 0 3.8 m 2.4 6.1 l 7 0"),
    ('l', 0.6, "m 0.3 14 l 0.3 0"),
    (
        'm',
        12.4,
        "m 0 10 l 0 0 m 0 6.6 a 3.1 6.6 3.1 3.4 180 0 l 6.2 0 m 6.2 6.6 a 9.3 6.6 3.1 3.4 180 0 l 12.4 0",
    ),
    (
        'n',
        7.6,
        "m 0 10 l 0 0 m 0 6.2 a 3.8 6.2 3.8 3.8 180 0 l 7.6 0",
    ),
    ('o', 8.2, "a 4.1 5 4.1 5 0 360"),
    ('p', 8.0, "m 0 10 l 0 -4 ; a 4 5 4 5 0 360"),
    ('q', 8.0, "a 4 5 4 5 0 360 ; m 8 10 l 8 -4"),
    ('r', 4.2, "m 0 10 l 0 0 m 0 6 a 3.8 6 3.8 4 180 80"),
    (
        's',
        6.4,
        "a 3.2 7.5 2.9 2.5 35 270 a 3.2 2.5 3.2 2.5 90 -145",
    ),
    (
        't',
        4.8,
        "m 1.8 13.2 l 1.8 2.8 a 4.6 2.8 2.8 2.8 180 275 m 0 10 l 4.6 10",
    ),
    (
        'u',
        7.6,
        "m 0 10 l 0 3.8 a 3.8 3.8 3.8 3.8 180 360 m 7.6 10 l 7.6 0",
    ),
    ('v', 8.0, "m 0 10 l 4 0 l 8 10"),
    ('w', 11.2, "m 0 10 l 2.8 0 l 5.6 9 l 8.4 0 l 11.2 10"),
    ('x', 7.2, "m 0 10 l 7.2 0 m 7.2 10 l 0 0"),
    ('y', 8.0, "m 0 10 l 4 0 m 8 10 l 4 0 l 2.4 -4"),
    ('z', 6.8, "m 0 10 l 6.8 10 l 0 0 l 6.8 0"),
    ('A', 10.8, "m 0 0 l 5.4 14 l 10.8 0 m 1.8 4.6 l 9 4.6"),
    (
        'B',
        8.4,
        "m 0 0 l 0 14 l 4.2 14 a 4.2 10.6 3.4 3.4 90 -90 l 0 7.2 m 4.2 7.2 a 4.6 3.6 3.8 3.6 90 -90 l 0 0",
    ),
    ('C', 10.6, "a 6.4 7 6.4 7 42 318"),
    ('D', 10.0, "m 0 0 l 0 14 l 3 14 a 3.2 7 6.8 7 90 -90 l 0 0"),
    ('E', 7.6, "m 7.6 14 l 0 14 l 0 0 l 7.6 0 m 0 7.2 l 6.6 7.2"),
    ('F', 7.2, "m 7.2 14 l 0 14 l 0 0 m 0 7 l 6.2 7"),
    ('G', 11.4, "a 6.4 7 6.4 7 42 325 l 11.4 6.4 l 7 6.4"),
    ('H', 9.4, "m 0 14 l 0 0 m 9.4 14 l 9.4 0 m 0 7.2 l 9.4 7.2"),
    ('I', 0.6, "m 0.3 14 l 0.3 0"),
    ('J', 5.6, "m 5.6 14 l 5.6 3.4 a 2.6 3.4 3 3.4 0 -160"),
    ('K', 8.6, "m 0 14 l 0 0 m 8 14 l 0 5.4 m 2.8 8.4 l 8.6 0"),
    ('L', 7.0, "m 0 14 l 0 0 l 7 0"),
    ('M', 11.6, "m 0 0 l 0 14 l 5.8 3 l 11.6 14 l 11.6 0"),
    ('N', 9.6, "m 0 0 l 0 14 l 9.6 0 l 9.6 14"),
    ('O', 12.8, "a 6.4 7 6.4 7 0 360"),
    (
        'P',
        8.0,
        "m 0 0 l 0 14 l 4.2 14 a 4.2 10.2 3.8 3.8 90 -90 l 0 6.4",
    ),
    ('Q', 12.8, "a 6.4 7 6.4 7 0 360 ; m 7.8 3.6 l 12.2 -0.8"),
    (
        'R',
        8.4,
        "m 0 0 l 0 14 l 4.2 14 a 4.2 10.3 3.7 3.7 90 -90 l 0 6.6 m 4.2 6.6 l 8.4 0",
    ),
    (
        'S',
        8.4,
        "a 4.2 10.5 3.7 3.5 35 270 a 4.2 3.5 4.2 3.5 90 -145",
    ),
    ('T', 9.2, "m 0 14 l 9.2 14 m 4.6 14 l 4.6 0"),
    (
        'U',
        9.2,
        "m 0 14 l 0 4.6 a 4.6 4.6 4.6 4.6 180 360 l 9.2 14",
    ),
    ('V', 10.2, "m 0 14 l 5.1 0 l 10.2 14"),
    ('W', 14.8, "m 0 14 l 3.7 0 l 7.4 13 l 11.1 0 l 14.8 14"),
    ('X', 9.4, "m 0 14 l 9.4 0 m 9.4 14 l 0 0"),
    ('Y', 9.4, "m 0 14 l 4.7 7 l 9.4 14 m 4.7 7 l 4.7 0"),
    ('Z', 8.8, "m 0 14 l 8.8 14 l 0 0 l 8.8 0"),
    ('0', 8.0, "a 4 7 4 7 0 360"),
    ('1', 8.0, "m 1.4 11.2 l 4.8 14 l 4.8 0"),
    ('2', 8.0, "a 4 10.2 3.8 3.8 165 -20 l 0.2 0 l 8 0"),
    (
        '3',
        8.0,
        "a 3.8 10.6 3.5 3.4 150 -90 l 2.8 7.2 m 3.8 7.2 a 3.8 3.6 4 3.6 90 -150",
    ),
    ('4', 8.0, "m 6 0 l 6 14 l 0 4 l 8.2 4"),
    (
        '5',
        8.0,
        "m 7.4 14 l 1.4 14 l 0.8 7.6 a 3.8 4.5 4.2 4.5 125 -145",
    ),
    ('6', 8.0, "m 6.4 14 l 0.8 6.6 a 4 4.2 4 4.2 145 505"),
    ('7', 8.0, "m 0 14 l 8 14 l 2.6 0"),
    ('8', 8.0, "a 4 10.6 3.5 3.4 -90 270 a 4 3.6 4 3.6 90 450"),
    ('9', 8.0, "m 1.6 0 l 7.2 7.4 a 4 9.8 4 4.2 -35 325"),
    ('.', 0.8, "m 0.4 0.3 l 0.4 0.5"),
    (',', 1.4, "m 1 0.5 l 0.2 -2.4"),
    (':', 0.8, "m 0.4 0.3 l 0.4 0.5 m 0.4 8.6 l 0.4 8.8"),
    (';', 1.4, "m 1 0.5 l 0.2 -2.4 m 1 8.6 l 1 8.8"),
    ('·', 0.8, "m 0.4 5.4 l 0.4 5.6"),
    ('!', 0.8, "m 0.4 14 l 0.4 4 m 0.4 0.3 l 0.4 0.5"),
    (
        '?',
        6.8,
        "a 3.4 10.6 3.4 3.4 165 -60 l 3.2 5.6 l 3.2 4.2 m 3.2 0.3 l 3.2 0.5",
    ),
    ('-', 5.2, "m 0 5.2 l 5.2 5.2"),
    ('–', 8.0, "m 0 5.2 l 8 5.2"),
    ('−', 7.6, "m 0 6 l 7.6 6"),
    ('+', 7.6, "m 0 6 l 7.6 6 m 3.8 9.8 l 3.8 2.2"),
    ('=', 7.6, "m 0 8 l 7.6 8 m 0 4.2 l 7.6 4.2"),
    ('_', 7.6, "m 0 -1.6 l 7.6 -1.6"),
    ('/', 6.0, "m 0 -1 l 6 15"),
    ('\\', 6.0, "m 0 15 l 6 -1"),
    ('|', 0.6, "m 0.3 16 l 0.3 -3"),
    ('(', 3.0, "a 6.4 6.2 6.4 9.4 122 238"),
    (')', 3.0, "a -3.4 6.2 6.4 9.4 58 -58"),
    ('[', 2.8, "m 2.8 15 l 0 15 l 0 -2.6 l 2.8 -2.6"),
    (']', 2.8, "m 0 15 l 2.8 15 l 2.8 -2.6 l 0 -2.6"),
    (
        '{',
        3.8,
        "m 3.8 15 l 2.6 14.4 l 1.8 12.6 l 1.8 8 l 0 6.2 l 1.8 4.4 l 1.8 -0.2 l 2.6 -2 l 3.8 -2.6",
    ),
    (
        '}',
        3.8,
        "m 0 15 l 1.2 14.4 l 2 12.6 l 2 8 l 3.8 6.2 l 2 4.4 l 2 -0.2 l 1.2 -2 l 0 -2.6",
    ),
    ('<', 7.0, "m 7 10 l 0 6 l 7 2"),
    ('>', 7.0, "m 0 10 l 7 6 l 0 2"),
    ('\'', 0.6, "m 0.3 14 l 0.3 10.4"),
    ('"', 3.2, "m 0.2 14 l 0.2 10.4 m 3 14 l 3 10.4"),
    ('`', 2.4, "m 0 14.4 l 2.4 11.8"),
    (
        '*',
        6.0,
        "m 3 14 l 3 8 m 0.4 12.5 l 5.6 9.5 m 5.6 12.5 l 0.4 9.5",
    ),
    ('^', 6.4, "m 0 9.6 l 3.2 14 l 6.4 9.6"),
    (
        '~',
        7.6,
        "m 0 5.2 a 1.9 5.2 1.9 1.6 180 0 a 5.7 5.2 1.9 1.6 180 360",
    ),
    (
        '#',
        8.8,
        "m 3 14 l 1.4 0 m 7.4 14 l 5.8 0 m 0.4 9.4 l 8.8 9.4 m 0 4.6 l 8.4 4.6",
    ),
    (
        '%',
        11.6,
        "m 10 14 l 1.6 0 ; a 2.4 11 2.4 3 0 360 ; a 9.2 3 2.4 3 0 360",
    ),
    (
        '&',
        10.0,
        "m 10 0 l 2 10 a 4.2 11.2 2.6 2.8 205 -40 l 1.2 6 a 3.6 3.5 3.6 3.5 135 320 l 9.4 6.6",
    ),
    (
        '@',
        13.2,
        "a 6.4 6 3 3.6 0 360 ; m 9.4 9.6 l 9.4 4.4 a 11.2 4.4 1.8 1.8 180 360 l 13 6 a 6.5 6 6.5 7.4 0 300",
    ),
    (
        '$',
        8.4,
        "a 4.2 10.2 3.7 3.2 35 270 a 4.2 3.6 4.2 3.4 90 -145 m 4.2 16 l 4.2 -2",
    ),
];
