//! Starts a packaged program and lets it serve a workbook.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::parts::Parts;
use crate::outcome::Outcome;
use crate::server::Server;

/// The time a response may take; emulated programs are some ten times slower.
const RESPONSE: Duration = Duration::from_secs(60);

/// Writes cells by REST, reads a calculated value back, and loads the page.
///
/// # Errors
/// When the program does not start, or a response is not as expected.
pub fn run(parts: &Parts) -> Outcome {
    let data = parts.out.join("data");
    // Left behind by an earlier run.
    _ = fs::remove_dir_all(&data);
    let server = Server::start(parts.platform.command(parts.program.clone())?, &data)?;
    request(&server, "PUT", "/api/v1/rooms/smoke", "19,23,=A1+B1\r\n")?;
    let csv = request(&server, "GET", "/smoke.csv", "")?;
    expect(&csv, "19,23,42")?;
    let page = request(&server, "GET", "/smoke", "")?;
    expect(&page, "<script type=\"module\"")?;
    drop(server);
    fs::remove_dir_all(&data).map_err(|error| format!("{}: {error}", data.display()))
}

fn expect(response: &str, text: &str) -> Outcome {
    if response.contains(text) {
        Ok(())
    } else {
        Err(format!("{text:?} is not in the response:\n{response}"))
    }
}

/// One request over HTTP/1.1. Returns head and body.
///
/// # Errors
/// When the status is none of success.
fn request(server: &Server, method: &str, path: &str, body: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{method} {path}: {error}");
    let host = server.url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).map_err(failed)?;
    stream.set_read_timeout(Some(RESPONSE)).map_err(failed)?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: text/csv\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).map_err(failed)?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).map_err(failed)?;
    let response = String::from_utf8_lossy(&response).into_owned();
    if response.starts_with("HTTP/1.1 2") {
        Ok(response)
    } else {
        Err(format!("{method} {path}: {response}"))
    }
}
