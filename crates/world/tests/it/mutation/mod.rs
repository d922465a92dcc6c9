//! Ways to break a text, by its bytes, its tokens or its numbers.

pub mod texts;

use proptest::prelude::*;

/// One way to break a text; the numbers are taken modulo the number of places.
#[derive(Clone, Debug)]
pub enum Break {
    SetByte(usize, u8),
    InsertToken(usize, usize),
    Remove(usize, usize),
    Repeat(usize, usize),
    Truncate(usize),
    SwapTokens(usize, usize),
}

pub const TOKENS: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "#",
    "\n",
    "\\",
    "nan",
    "-inf",
    "1e999",
    "-0",
    "0x",
    "1979-05-27",
    "true",
    "null",
    ":",
    "\u{feff}",
    "\u{0}",
    "é",
    "\r",
    "body",
    "[body]",
    "[[body]]",
    "[body.shape]",
    "[[body.shape]]",
    "[time.step]",
    "[[cloth.piece]]",
    "[cloth.material.silk]",
    "[[cloth.piece.pin]]",
    "like = 'cotton'",
    "a.a.a.a=1",
    "99999999999999999999",
    "1e-400",
    "--",
    "_1",
    "\\u",
];

pub fn breaks() -> impl Strategy<Value = Vec<Break>> {
    let one = prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Break::SetByte(at, byte)),
        (any::<usize>(), any::<usize>()).prop_map(|(at, token)| Break::InsertToken(at, token)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Break::Remove(at, length)),
        (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Break::Repeat(at, length)),
        any::<usize>().prop_map(Break::Truncate),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Break::SwapTokens(a, b)),
    ];
    prop::collection::vec(one, 1..6)
}

pub fn broken(text: &str, breaks: &[Break]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for step in breaks {
        let length = bytes.len().max(1);
        let range = |at: usize, size: usize, bytes: &[u8]| {
            let start = (at % length).min(bytes.len());
            start..(start + size).min(bytes.len())
        };
        match *step {
            Break::SetByte(at, byte) => {
                if let Some(place) = bytes.get_mut(at % length) {
                    *place = byte;
                }
            }
            Break::InsertToken(at, token) => {
                let at = range(at, 0, &bytes);
                bytes.splice(at, TOKENS[token % TOKENS.len()].bytes());
            }
            Break::Remove(at, size) => {
                bytes.drain(range(at, size, &bytes));
            }
            Break::Repeat(at, size) => {
                let copy = bytes[range(at, size, &bytes)].to_vec();
                bytes.splice(range(at, 0, &bytes), copy);
            }
            Break::Truncate(at) => bytes.truncate(at % length),
            Break::SwapTokens(a, b) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut tokens: Vec<&str> = text.split_inclusive([' ', '\n', ',']).collect();
                let count = tokens.len();
                if count > 0 {
                    tokens.swap(a % count, b % count);
                }
                bytes = tokens.concat().into_bytes();
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Numbers that are hard for arithmetic: zeros, limits, and numbers whose squares
/// overflow.
pub const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e155",
    "1e-155",
    "0.5",
    "1e16",
    "9007199254740993",
    "9223372036854775807",
    "-0.0",
    "1e30",
    "3",
];

/// The text with some of its numbers replaced.
pub fn with_wild_numbers(text: &str, wild: &[(usize, usize)]) -> String {
    let mut tokens: Vec<String> = text
        .split_inclusive([' ', '\n', ',', ']', '}'])
        .map(str::to_owned)
        .collect();
    let numbers: Vec<usize> = (0..tokens.len())
        .filter(|&i| {
            let token = tokens[i].trim_end_matches([' ', '\n', ',', ']', '}']);
            token.trim_start_matches('[').parse::<f64>().is_ok()
        })
        .collect();
    for &(which, value) in wild {
        if numbers.is_empty() {
            break;
        }
        let token = &mut tokens[numbers[which % numbers.len()]];
        let open = token.len() - token.trim_start_matches('[').len();
        let digits = token.trim_end_matches([' ', '\n', ',', ']', '}']).len();
        token.replace_range(open.min(digits)..digits, NUMBERS[value % NUMBERS.len()]);
    }
    tokens.concat()
}
