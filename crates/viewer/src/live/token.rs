//! The secret in the page's address that keeps other users of the machine out.
//!
//! Every user of a machine can connect to its loopback interface. All paths of
//! the server therefore begin with a random token, which only the terminal of
//! the user who started the program shows.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Random bytes of a token: 128 bits cannot be guessed.
const TOKEN_BYTES: usize = 16;

/// How long a link for the browser may be used.
const LINK_LIFETIME: Duration = Duration::from_secs(300);

/// A random secret, as lower-case hexadecimal digits.
#[derive(Clone)]
pub struct AccessToken(String);

impl AccessToken {
    /// A new token from the randomness of the operating system.
    pub fn generate() -> io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// The digits, for the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token. The time this takes does not depend on
    /// where they differ, so it does not help to guess the token digit by
    /// digit.
    pub fn matches(&self, text: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), text.as_bytes());
        if own.len() != other.len() {
            return false;
        }
        let difference = own.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
        std::hint::black_box(difference) == 0
    }
}

/// Debug output never shows the secret.
impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken")
    }
}

/// A link that works once.
///
/// The address that starts a browser is visible to all users of the machine, as
/// an argument of the browser's process. So the browser gets this link, which
/// leads to the real address and is worthless after its first use.
#[derive(Debug)]
pub struct OneTimeLink {
    token: AccessToken,
    used: AtomicBool,
    created: Instant,
}

impl OneTimeLink {
    /// A new link.
    pub fn generate() -> io::Result<Self> {
        Ok(Self {
            token: AccessToken::generate()?,
            used: AtomicBool::new(false),
            created: Instant::now(),
        })
    }

    /// The secret of the link, for its address.
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// Uses the link: true the first time that the secret is right, within the
    /// link's lifetime.
    pub fn redeem(&self, text: &str) -> bool {
        self.token.matches(text)
            && self.created.elapsed() < LINK_LIFETIME
            && !self.used.swap(true, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_random_and_hexadecimal() {
        let tokens: Vec<AccessToken> = (0..100).map(|_| AccessToken::generate().unwrap()).collect();
        for (i, token) in tokens.iter().enumerate() {
            assert_eq!(token.as_str().len(), 32);
            assert!(token.as_str().bytes().all(|b| b.is_ascii_hexdigit()));
            assert!(
                tokens[..i]
                    .iter()
                    .all(|other| !other.matches(token.as_str()))
            );
        }
    }

    #[test]
    fn only_the_whole_token_matches() {
        let token = AccessToken::generate().unwrap();
        let text = token.as_str().to_owned();
        assert!(token.matches(&text));
        for wrong in [
            "",
            &text[1..],
            &format!("{text}0"),
            &text.replace(|c: char| c.is_ascii_digit(), "g"),
            &"0".repeat(32),
        ] {
            assert!(!token.matches(wrong), "{wrong}");
        }
        for i in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[i] = if other[i] == b'0' { b'1' } else { b'0' };
            assert!(!token.matches(std::str::from_utf8(&other).unwrap()));
        }
    }

    #[test]
    fn debug_output_does_not_show_the_secret() {
        let link = OneTimeLink::generate().unwrap();
        assert!(!format!("{link:?}").contains(link.token().as_str()));
    }

    #[test]
    fn a_link_works_once_and_wrong_guesses_do_not_use_it_up() {
        let link = OneTimeLink::generate().unwrap();
        let secret = link.token().as_str().to_owned();
        assert!(!link.redeem("0"));
        assert!(!link.redeem(&"0".repeat(32)));
        assert!(link.redeem(&secret));
        assert!(!link.redeem(&secret));
    }
}
