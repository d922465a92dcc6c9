//! Access control: only this user's browser, on the program's own page.
//!
//! The server listens on the loopback interface only, but other users of the
//! machine and pages of other sites in the same browser can still reach it.
//!
//! - `Host` and `Origin` must name the server itself. A browser sets both
//!   truthfully, so this refuses other sites, including those whose name was
//!   pointed at 127.0.0.1 (DNS rebinding). It also holds for WebSockets, to
//!   which the same-origin policy does not apply.
//! - `Sec-Fetch-Site` must not be `cross-site` or `same-site`, except where the
//!   user follows a link to the page itself.
//! - The path must begin with the [token](AccessToken) of this server, which
//!   refuses other users of the machine.

use super::token::{AccessToken, OneTimeLink};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::sync::Arc;

/// The path of one-time links.
pub const OPEN_PATH: &str = "/open/";

/// The response to a request without the token.
const NO_TOKEN: &str = "403 Forbidden: the address lacks the access token of this session.\n\n\
    `conatus play` prints the full address, which looks like http://127.0.0.1:PORT/TOKEN/. \
    Open that address. It changes each time the program starts, and it keeps other users of \
    this machine out.\n";

/// The response to a one-time link that was used before.
const USED_LINK: &str = "403 Forbidden: this link works only once, and it has been used.\n\n\
    Open the address that `conatus play` printed instead. If you have not opened this link \
    before, another user of this machine may have done so: restart the program.\n";

/// Checks every request.
#[derive(Clone, Debug)]
pub struct RequestGuard {
    hosts: [String; 2],
    token: AccessToken,
    link: Arc<OneTimeLink>,
}

/// What happens to a request.
#[derive(Debug, PartialEq)]
enum Decision {
    /// It is served, at the path without the token.
    Serve(Uri),
    /// The browser is sent to another path.
    Redirect(String),
    /// It is refused.
    Refuse(&'static str),
}

impl RequestGuard {
    /// For a server on a port of the loopback interface.
    pub fn new(port: u16, token: AccessToken, link: OneTimeLink) -> Self {
        Self {
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            token,
            link: Arc::new(link),
        }
    }

    fn decide(&self, uri: &Uri, headers: &HeaderMap) -> Decision {
        let authority = uri.authority().map(|a| a.as_str());
        let refused = self
            .check_names(authority, headers)
            .or_else(|| check_fetch_site(headers));
        match refused {
            Some(reason) => Decision::Refuse(reason),
            None => self.check_path(uri),
        }
    }

    /// Why the names in a request are refused, if they are.
    fn check_names(&self, authority: Option<&str>, headers: &HeaderMap) -> Option<&'static str> {
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
            return Some("this server answers requests to 127.0.0.1 only");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(is_origin) {
            return Some("this server answers requests of its own page only");
        }
        None
    }

    fn check_path(&self, uri: &Uri) -> Decision {
        let path = uri.path();
        if let Some(secret) = path.strip_prefix(OPEN_PATH) {
            return match self.link.redeem(secret) {
                true => Decision::Redirect(format!("/{}/", self.token.as_str())),
                false => Decision::Refuse(USED_LINK),
            };
        }
        let rest = path.strip_prefix('/').unwrap_or(path);
        let (first, rest) = match rest.split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (rest, None),
        };
        if !self.token.matches(first) {
            return Decision::Refuse(NO_TOKEN);
        }
        let Some(rest) = rest else {
            return Decision::Redirect(format!("/{}/", self.token.as_str()));
        };
        let query = uri.query().map(|query| format!("?{query}"));
        match format!("/{rest}{}", query.unwrap_or_default()).parse() {
            Ok(uri) => Decision::Serve(uri),
            Err(_) => Decision::Refuse("the path is malformed"),
        }
    }
}

/// Why a request from another site is refused, if it is. A user may follow a
/// link from elsewhere to the page itself: that navigates, and reads nothing.
fn check_fetch_site(headers: &HeaderMap) -> Option<&'static str> {
    let is = |name: &str, wanted: &str| headers.get(name).is_some_and(|value| value == wanted);
    let mut sites = headers.get_all("sec-fetch-site").iter();
    let own = sites.all(|site| site == "same-origin" || site == "none");
    let navigates = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    match own || navigates {
        true => None,
        false => Some("this server does not answer requests of other sites"),
    }
}

/// Refuses what the guard does not let in, and adds the headers that prevent
/// responses from being used elsewhere.
pub async fn guard(
    State(guard): State<RequestGuard>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.decide(request.uri(), request.headers()) {
        Decision::Refuse(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
        Decision::Redirect(path) => Redirect::to(&path).into_response(),
        Decision::Serve(uri) => {
            *request.uri_mut() = uri;
            next.run(request).await
        }
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
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
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

    fn guard() -> RequestGuard {
        let token = AccessToken::generate().unwrap();
        RequestGuard::new(4000, token, OneTimeLink::generate().unwrap())
    }

    fn refused(authority: Option<&str>, host: &[&str], origin: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in host {
            headers.append(header::HOST, value.parse().unwrap());
        }
        for value in origin {
            headers.append(header::ORIGIN, value.parse().unwrap());
        }
        guard().check_names(authority, &headers).is_some()
    }

    #[test]
    fn its_own_names_are_accepted() {
        assert!(!refused(None, &["127.0.0.1:4000"], &[]));
        assert!(!refused(
            None,
            &["LOCALHOST:4000"],
            &["http://localhost:4000"]
        ));
        assert!(!refused(Some("127.0.0.1:4000"), &["127.0.0.1:4000"], &[]));
    }

    #[test]
    fn every_other_name_is_refused() {
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

    #[test]
    fn every_path_needs_the_token() {
        let guard = guard();
        let token = guard.token.as_str().to_owned();
        let decide = |path: &str| guard.check_path(&path.parse().unwrap());
        for (path, served) in [
            ("/", "/"),
            ("/app.js", "/app.js"),
            ("/live?x=1", "/live?x=1"),
            ("//evil.example/", "//evil.example/"),
        ] {
            let Decision::Serve(uri) = decide(&format!("/{token}{path}")) else {
                panic!("{path} is refused");
            };
            assert_eq!(uri.to_string(), served);
        }
        let page = Decision::Redirect(format!("/{token}/"));
        assert_eq!(decide(&format!("/{token}")), page);
        for path in [
            "/".to_owned(),
            "/app.js".to_owned(),
            "/live".to_owned(),
            "/recording.mcap".to_owned(),
            format!("/?token={token}"),
            format!("/live/{token}"),
            format!("//{token}/"),
            format!("/{}/", &token[1..]),
            format!("/{token}0/"),
            format!("/{}/", "0".repeat(32)),
        ] {
            assert_eq!(decide(&path), Decision::Refuse(NO_TOKEN), "{path}");
        }
    }

    #[test]
    fn a_one_time_link_leads_to_the_page_once() {
        let guard = guard();
        let path = format!("{OPEN_PATH}{}", guard.link.token().as_str());
        let decide = |path: &str| guard.check_path(&path.parse().unwrap());
        assert_eq!(decide("/open/0"), Decision::Refuse(USED_LINK));
        let page = Decision::Redirect(format!("/{}/", guard.token.as_str()));
        assert_eq!(decide(&path), page);
        assert_eq!(decide(&path), Decision::Refuse(USED_LINK));
    }

    #[test]
    fn requests_of_other_sites_are_refused_but_links_may_be_followed() {
        let check = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, HeaderValue::from_static(value));
            }
            check_fetch_site(&headers).is_none()
        };
        assert!(check(&[]));
        assert!(check(&[("sec-fetch-site", "same-origin")]));
        assert!(check(&[("sec-fetch-site", "none")]));
        for site in ["cross-site", "same-site", "", "SAME-ORIGIN"] {
            assert!(!check(&[("sec-fetch-site", site)]), "{site}");
            for mode in ["no-cors", "cors", "websocket"] {
                let lines = [("sec-fetch-site", site), ("sec-fetch-mode", mode)];
                assert!(!check(&lines), "{site} {mode}");
            }
            let frame = [
                ("sec-fetch-site", site),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "iframe"),
            ];
            assert!(!check(&frame), "{site}");
        }
        assert!(check(&[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ]));
        let twice = [("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
        assert!(!check(&twice));
    }
}
