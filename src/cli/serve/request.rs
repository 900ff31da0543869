//! Requests and answers. The page is for a browser on this machine: other hosts, and pages of other sites that lead
//! their reader here or send requests, are refused.

use std::sync::Arc;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, Request, Response, StatusCode};
use tokio::task::spawn_blocking;

use super::pages::{Content, Pages};

/// No script, style or picture from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of all answers: no page of another site shows or reads them.
const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Sent by browsers: the relation between the page that sends a request and this one.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Answers one request. A panic of the computation is an answer, too.
pub async fn answer<B>(request: &Request<B>, pages: Arc<Pages>, port: u16) -> Response<Full<Bytes>> {
    if !is_own(request.headers(), port) {
        let own = format!("this page is for this machine alone: type its address, http://127.0.0.1:{port}/");
        return text(StatusCode::FORBIDDEN, own);
    }
    if request.method() != Method::GET {
        return text(StatusCode::METHOD_NOT_ALLOWED, "this page only answers");
    }
    let path = request.uri().path().to_owned();
    match spawn_blocking(move || pages.content(&path)).await {
        Ok(Some(content)) => response(StatusCode::OK, content),
        Ok(None) => text(StatusCode::NOT_FOUND, "there is no such page"),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "this cannot be shown: the terminal has the reason"),
    }
}

/// Whether a request names this page as its host, and comes from this page or from no page. A name of another site that
/// leads here is refused.
fn is_own(headers: &HeaderMap, port: u16) -> bool {
    let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let is_host = |text: &str| hosts.iter().any(|host| host == text);
    let all = |name, is_allowed: &dyn Fn(&str) -> bool| {
        headers.get_all(name).iter().all(|value: &HeaderValue| value.to_str().is_ok_and(is_allowed))
    };
    headers.contains_key(HOST)
        && all(HOST, &is_host)
        && all(ORIGIN, &|origin| origin.strip_prefix("http://").is_some_and(is_host))
        && all(SITE, &|site| matches!(site, "same-origin" | "none"))
}

fn text(status: StatusCode, message: impl Into<String>) -> Response<Full<Bytes>> {
    response(status, Content { kind: "text/plain; charset=utf-8", bytes: message.into().into_bytes() })
}

fn response(status: StatusCode, content: Content) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(content.bytes)));
    *response.status_mut() = status;
    for (name, value) in HEADERS.into_iter().chain([("content-type", content.kind)]) {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sites_cannot_send_requests() {
        let own = |headers: &[(&'static str, &'static str)]| {
            let pairs = headers.iter().map(|&(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
            is_own(&pairs.collect::<HeaderMap>(), 7474)
        };
        let host = ("host", "127.0.0.1:7474");
        for allowed in [
            &[host][..],
            &[("host", "localhost:7474")],
            &[host, ("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:7474")],
            &[host, ("sec-fetch-site", "none")],
        ] {
            assert!(own(allowed), "{allowed:?}");
        }
        for refused in [
            &[][..],
            &[("host", "evil.example:7474")],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:7474.evil.example")],
            &[host, ("sec-fetch-site", "cross-site")],
            &[host, ("sec-fetch-site", "same-site")],
            &[host, ("origin", "http://evil.example")],
            &[host, ("origin", "https://127.0.0.1:7474")],
            &[host, ("origin", "http://127.0.0.1:8888")],
            &[host, ("origin", "null")],
            &[host, ("sec-fetch-site", "none"), ("origin", "http://evil.example")],
        ] {
            assert!(!own(refused), "{refused:?}");
        }
    }
}
