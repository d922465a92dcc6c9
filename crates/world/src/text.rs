//! Numbers in a readable format, for messages and summaries.
//!
//! Files keep every digit; what is written there does not come from here.

/// Digits of a number that are shown; whole numbers are shown in full.
const SIGNIFICANT_DIGITS: i32 = 6;
/// Numbers smaller than this are written with an exponent.
const SMALLEST_PLAIN: f64 = 1e-4;
/// Numbers from this on are written with an exponent.
const LARGEST_PLAIN: f64 = 1e15;

/// A number rounded to six significant digits, without trailing zeros: `5` for
/// 4.999999999999999, `0.3` for 0.1 + 0.2, `1.5e-7`.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let digits = SIGNIFICANT_DIGITS as usize - 1;
    let scientific = format!("{value:.digits$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    if !(SMALLEST_PLAIN..LARGEST_PLAIN).contains(&value.abs()) {
        return format!("{}e{exponent}", without_trailing_zeros(mantissa));
    }
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let decimals = (SIGNIFICANT_DIGITS - 1 - exponent).max(0) as usize;
    without_trailing_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn without_trailing_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// A count with its noun: `1 piece`, `2 pieces`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The first `most` names and the number of the others: `a, b and 3 more`.
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let left = names.len().saturating_sub(most);
    let shown: Vec<&str> = names.take(most).collect();
    match left {
        0 => shown.join(", "),
        _ => format!("{} and {left} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page told a user that "the scene's 4.999999999999999 s are over": 500 steps of
    /// 0.01 s, multiplied. No message may show such digits.
    #[test]
    fn rounding_errors_are_not_shown() {
        assert_eq!(number(4.999999999999999), "5");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(-2.9999999999999996), "-3");
        assert_eq!(number(1.0 / 3.0), "0.333333");
    }

    #[test]
    fn whole_numbers_are_shown_in_full() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (100.0, "100"),
            (1e6, "1000000"),
            (123456789.0, "123456789"),
            (9.0e15, "9e15"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn small_and_large_numbers_get_an_exponent() {
        assert_eq!(number(1e-7), "1e-7");
        assert_eq!(number(-1.25e-300), "-1.25e-300");
        assert_eq!(number(1e300), "1e300");
        assert_eq!(number(0.00012), "0.00012");
        assert_eq!(number(0.099999999999), "0.1");
        assert_eq!(number(9.9999999), "10");
        assert_eq!(number(f64::INFINITY), "inf");
        assert_eq!(number(f64::NAN), "NaN");
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        assert_eq!(listed(["a", "b"].into_iter(), 5), "a, b");
        assert_eq!(
            listed(["a", "b", "c", "d"].into_iter(), 2),
            "a, b and 2 more"
        );
        assert_eq!(counted(1, "piece", "pieces"), "1 piece");
        assert_eq!(counted(0, "piece", "pieces"), "0 pieces");
    }
}
