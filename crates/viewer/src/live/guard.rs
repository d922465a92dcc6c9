//! Lets nobody in but this computer's own browser on our own page.
//!
//! The server listens on the loopback interface only, but a page from
//! elsewhere in the same browser could still reach it. A browser tells the
//! truth in `Host` and `Origin`, so both must name the server itself: that
//! keeps out other sites, also those whose name was pointed at 127.0.0.1
//! afterwards, and it holds for WebSockets, which no same-origin rule guards.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The names by which the server may be called.
#[derive(Clone, Debug)]
pub struct Guard {
    hosts: [String; 2],
}

impl Guard {
    /// For a server on a port of the loopback interface.
    pub fn new(port: u16) -> Self {
        Self {
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        }
    }

    /// What is wrong with a request, if anything is.
    pub fn refusal(&self, authority: Option<&str>, headers: &HeaderMap) -> Option<&'static str> {
        let ours = |name: &str| {
            self.hosts
                .iter()
                .any(|host| host.eq_ignore_ascii_case(name))
        };
        let is_host = |value: &HeaderValue| value.to_str().is_ok_and(ours);
        let is_origin = |value: &HeaderValue| {
            let origin = value.to_str().unwrap_or_default();
            origin.strip_prefix("http://").is_some_and(ours)
        };
        let mut hosts = headers.get_all(header::HOST).iter();
        let (first, second) = (hosts.next(), hosts.next());
        if !first.is_some_and(is_host) || second.is_some() || !authority.is_none_or(ours) {
            return Some("this server answers on 127.0.0.1 only");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(is_origin) {
            return Some("this server answers its own page only");
        }
        None
    }
}

/// Refuses what the guard does not let in, and adds the headers that keep
/// answers from being used elsewhere.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let authority = request.uri().authority().map(|a| a.as_str());
    let mut response = match guard.refusal(authority, request.headers()) {
        Some(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(authority: Option<&str>, host: &[&str], origin: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in host {
            headers.append(header::HOST, value.parse().unwrap());
        }
        for value in origin {
            headers.append(header::ORIGIN, value.parse().unwrap());
        }
        Guard::new(4000).refusal(authority, &headers).is_some()
    }

    #[test]
    fn its_own_names_get_in() {
        assert!(!refused(None, &["127.0.0.1:4000"], &[]));
        assert!(!refused(
            None,
            &["LOCALHOST:4000"],
            &["http://localhost:4000"]
        ));
        assert!(!refused(Some("127.0.0.1:4000"), &["127.0.0.1:4000"], &[]));
    }

    #[test]
    fn every_other_name_stays_out() {
        let own = "127.0.0.1:4000";
        for host in [
            "evil.example",
            "evil.example:4000",
            "127.0.0.1",
            "127.0.0.1:4001",
            "127.0.0.1:4000.evil.example",
            "127.0.0.1.evil.example:4000",
            "localhost",
            "0.0.0.0:4000",
            "[::1]:4000",
            "user@127.0.0.1:4000",
            "",
        ] {
            assert!(refused(None, &[host], &[]), "{host}");
            let origin = format!("http://{host}");
            assert!(refused(None, &[own], &[&origin]), "{origin}");
            assert!(refused(Some(host), &[own], &[]), "{host}");
        }
        for origin in [
            "null",
            "https://127.0.0.1:4000",
            "127.0.0.1:4000",
            "http://127.0.0.1:4000/",
            "file://",
        ] {
            assert!(refused(None, &[own], &[origin]), "{origin}");
        }
        assert!(refused(None, &[], &[]));
        assert!(refused(None, &[own, own], &[]));
        assert!(refused(None, &[own, "evil.example"], &[]));
        assert!(refused(None, &[own], &["http://127.0.0.1:4000", "null"]));
    }
}
