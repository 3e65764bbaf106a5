//! Starts a program for packages, lets it serve a workbook, and lets it convert a file.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use super::platform::Platform;
use crate::outcome::Outcome;
use crate::server::Server;
use crate::step::execute;

/// The time a response may take; emulated programs are some ten times slower.
const RESPONSE: Duration = Duration::from_secs(60);

/// A workbook as CSV, and with the results of its formulas.
const CELLS: &str = "19,23,=A1+B1\r\n";
const CALCULATED: &str = "19,23,42";

/// Writes cells by REST, reads a calculated value back, and loads the page. A server that was killed finds the value
/// again, its data are undamaged, and the cells come back from a compressed file.
///
/// # Errors
/// When the program does not start, or a response or a file is not as expected.
pub fn run(platform: &Platform, program: &Path, out: &Path) -> Outcome {
    let folder = out.join("smoke-test");
    // Left behind by an earlier run.
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    serve(platform, program, &folder.join("data"))?;
    convert(platform, program, &folder)?;
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn serve(platform: &Platform, program: &Path, data: &Path) -> Outcome {
    let start = || Server::start(platform.command(program.to_owned())?, data);
    let server = start()?;
    request(&server, "PUT", "/api/v1/rooms/smoke", CELLS)?;
    expect(&request(&server, "GET", "/smoke.csv", "")?, CALCULATED)?;
    expect(&request(&server, "GET", "/smoke", "")?, "<script type=\"module\"")?;
    // Kills its process: the second server reads what the first one has synced.
    drop(server);
    let server = start()?;
    expect(&request(&server, "GET", "/smoke.csv", "")?, CALCULATED)?;
    drop(server);
    execute(platform.command(program.to_owned())?.args(["check", "--data"]).arg(data))
}

/// Writes and reads an Excel workbook: XML, checksums and compression, which have instructions of their own for each
/// processor.
fn convert(platform: &Platform, program: &Path, folder: &Path) -> Outcome {
    let files = ["cells.csv", "cells.xlsx", "calculated.csv"].map(|name| folder.join(name));
    fs::write(&files[0], CELLS).map_err(|error| format!("{}: {error}", files[0].display()))?;
    for step in files.windows(2) {
        execute(platform.command(program.to_owned())?.arg("convert").args(step))?;
    }
    let calculated =
        fs::read_to_string(&files[2]).map_err(|error| format!("{}: {error}", files[2].display()))?;
    expect(&calculated, CALCULATED)
}

fn expect(content: &str, text: &str) -> Outcome {
    if content.contains(text) { Ok(()) } else { Err(format!("{text:?} is not in:\n{content}")) }
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
