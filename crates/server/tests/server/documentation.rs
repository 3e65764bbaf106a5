//! Runs the examples of `docs/rest.md` as a reader would type them: with curl, in order, on a new
//! server.
//!
//! A comment behind a command shows the response. Its status is compared, and the identifiers in it
//! (such as `"item"`) stand for the real ones in the commands that follow.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::support::Server;

const PAGE: &str = include_str!("../../../../docs/rest.md");

/// Members of a response by which later examples name what an earlier one created.
const IDENTIFIERS: [&str; 5] = ["item", "image", "ownerKey", "link", "id"];

/// Exit code of curl when `--max-time` is over.
const CURL_TIMED_OUT: i32 = 28;

/// A command, which may span several lines, and the comment lines behind it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Example {
    command: String,
    response: String,
}

#[test]
fn the_examples_of_the_rest_documentation_work() {
    let examples = examples(PAGE);
    assert!(examples.len() > 20, "found only {} examples", examples.len());
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a directory");
    write_inputs(folder.path());
    let mut replacements: Vec<(String, String)> = Vec::new();
    for example in examples {
        if example.command.contains("/history/12") {
            add_revisions(&server, 12);
        }
        let mut command = example.command.clone();
        for (documented, real) in &replacements {
            command = command.replace(documented, real);
        }
        // Last: a port can contain a documented identifier.
        command = command.replace("localhost:8000", &server.address.to_string());
        let (status, body) = run(folder.path(), &command);
        let documented_status =
            example.response.split_whitespace().next().and_then(|word| word.parse::<u16>().ok());
        let is_expected = match documented_status {
            Some(documented) => status == documented,
            None => (200..300).contains(&status),
        };
        assert!(is_expected, "{status} for\n{command}\n{body}");
        replacements.extend(identifiers(&example.response, &body));
    }
}

/// Runs a command with curl's output in a file; the status of the response and its body.
fn run(folder: &Path, command: &str) -> (u16, String) {
    // `--location` is not used: redirects are part of what is documented.
    let is_stream = command.contains("curl -N");
    // A stream of events has no end: its beginning is enough.
    let limit = if is_stream { "--max-time 1 " } else { "" };
    let script = format!(
        "curl() {{ command curl {limit}--silent --show-error --write-out '\\n%{{http_code}}' \"$@\"; }}\n{command}"
    );
    let output = Command::new("sh").arg("-ec").arg(&script).current_dir(folder).output().expect("sh starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_cut_off = is_stream && output.status.code() == Some(CURL_TIMED_OUT);
    assert!(output.status.success() || is_cut_off, "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    let (body, status) = printed.rsplit_once('\n').unwrap_or(("", &printed));
    // The status of a command that writes to a file is in that file.
    let status = status.parse().unwrap_or(200);
    (status, body.to_owned())
}

/// Changes the room of the examples so often that it has at least `count` revisions.
fn add_revisions(server: &Server, count: usize) {
    for number in 0..count {
        let path = "/api/v1/rooms/sales/sheets/Sheet1/cells/F1";
        let json = format!("{{\"value\":{number}}}");
        let written = server.send("PUT", path, &[("content-type", "application/json")], json.as_bytes());
        assert_eq!(written.status, 200);
    }
}

/// The files that the examples upload.
fn write_inputs(folder: &Path) {
    std::fs::write(folder.join("sales.csv"), "Region,Units,Price\nNorth,3,1.5\nSouth,4,2\n")
        .expect("written");
    std::fs::write(folder.join("photo.jpg"), b"\xff\xd8\xff\xe0 the beginning of a JPEG").expect("written");
}

/// The commands in the `sh` blocks of a page.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_shell = false;
    let mut is_continued = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
        } else if is_shell && !line.trim().is_empty() {
            match line.strip_prefix('#') {
                Some(comment) => {
                    if let Some(example) = examples.last_mut().filter(|_| !is_continued) {
                        example.response += comment;
                    }
                }
                None => {
                    if !is_continued {
                        examples.push(Example::default());
                    }
                    let example = examples.last_mut().expect("one was just added");
                    example.command += line;
                    example.command.push('\n');
                    // A line goes on behind a backslash and within quotes.
                    let is_within_quotes = example.command.matches('\'').count() % 2 == 1;
                    is_continued = line.ends_with('\\') || is_within_quotes;
                }
            }
        }
    }
    examples
}

/// Pairs of an identifier in the documented response and the one in the real response.
fn identifiers(documented: &str, body: &str) -> Vec<(String, String)> {
    // The title of the next example can follow the response.
    let json = documented.find('{').and_then(|at| {
        serde_json::Deserializer::from_str(&documented[at..]).into_iter::<Json>().next()?.ok()
    });
    let (Some(documented), Ok(real)) = (json, serde_json::from_str::<Json>(body)) else { return Vec::new() };
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let both = IDENTIFIERS.iter().filter_map(|name| Some((documented.get(name)?, real.get(name)?)));
    both.map(|(documented, real)| (text(documented), text(real))).collect()
}

#[test]
fn commands_and_responses_are_read_from_shell_blocks() {
    let page = "text\n```sh\n# a title\ncurl a \\\n  b\n# 201 {\"item\":7}\n\ncurl -d '{\n \"x\":1}' c\n```\n```json\n{}\n```\n";
    let expected = [("curl a \\\n  b\n", " 201 {\"item\":7}"), ("curl -d '{\n \"x\":1}' c\n", "")];
    let expected = expected
        .map(|(command, response)| Example { command: command.to_owned(), response: response.to_owned() });
    assert_eq!(examples(page), expected);
    assert_eq!(identifiers(" 201 {\"item\":7}", "{\"item\":12}"), [("7".to_owned(), "12".to_owned())]);
}
