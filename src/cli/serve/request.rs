//! Requests and answers. The page is for a browser on this machine: other hosts, and pages of other sites that lead
//! their reader here, are refused.

use std::io::Cursor;
use std::str::FromStr as _;

use tiny_http::{Header, Method, Request, Response};

use super::pages::{Content, Pages};

/// No script, style or picture from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Answers one request. A reader that has gone is not an error.
pub fn answer(request: Request, pages: &Pages, port: u16) {
    let response = match (is_local(&request, port), request.method()) {
        (false, _) => text(403, "this page is for this machine: open http://127.0.0.1"),
        (true, Method::Get) => match pages.content(request.url()) {
            Some(content) => page(content),
            None => text(404, "there is no such page"),
        },
        (true, _) => text(405, "this page only answers"),
    };
    // The rest of a body is read before the next request; it may never arrive.
    if request.body_length().is_some_and(|length| length > 0) || *request.method() != Method::Get {
        let _ = std::thread::Builder::new().spawn(move || request.respond(response));
    } else {
        let _ = request.respond(response);
    }
}

/// Whether the request names this machine as its host. A name of another site that leads here is refused.
fn is_local(request: &Request, port: u16) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    host.is_some_and(|host| own.iter().any(|own| own == host.value.as_str()))
}

fn page(content: Content) -> Response<Cursor<Vec<u8>>> {
    let headers = [
        ("Content-Type", content.kind),
        ("Content-Security-Policy", POLICY),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    ];
    with(Response::from_data(content.bytes), &headers)
}

fn text(status: u16, message: &str) -> Response<Cursor<Vec<u8>>> {
    with(Response::from_string(message).with_status_code(status), &[("Content-Type", "text/plain; charset=utf-8")])
}

fn with(response: Response<Cursor<Vec<u8>>>, headers: &[(&str, &str)]) -> Response<Cursor<Vec<u8>>> {
    let headers = headers.iter().filter_map(|(name, value)| Header::from_str(&format!("{name}: {value}")).ok());
    headers.fold(response, Response::with_header)
}
