//! HTTP scenarios in the style of EtherCalc's own, one after the other: `ethercalc-scenarios.json`.
//!
//! The expected responses are those of EtherCalc 0.20200127.0 from npm with Redis 7; the scenarios were
//! run against it. Where the server differs on purpose, `differs` says how EtherCalc responds.
//!
//! A step has a `request` and its `status`, and any of these expectations: `headers`, where `*` stands
//! for any text; `text`, the whole body; `starts` and `contains`, parts of it; `json`, the whole JSON;
//! `has`, members of it; `sorted`, the elements of an array; `keys`, the members of an object. `capture`
//! keeps the first segment of the path in `Location`, for `{name}` in later requests.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::support::{Reply, Server};

const SCENARIOS: &str = include_str!("ethercalc-scenarios.json");

/// Rooms that scenarios use. Each scenario begins without them.
const ROOMS: [&str; 6] = ["sales", "plan", "a", "b", "named", "fresh"];

/// Servers by their arguments: scenarios that start none of their own share them.
#[derive(Default)]
struct Servers(HashMap<Vec<String>, (tempfile::TempDir, Server)>);

impl Servers {
    fn with(&mut self, arguments: &[String], is_fresh: bool) -> &Server {
        if is_fresh {
            self.0.remove(arguments);
        }
        let start = || {
            let data = tempfile::tempdir().expect("a temporary directory");
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let server = Server::start_on(data.path(), &arguments);
            (data, server)
        };
        &self.0.entry(arguments.to_vec()).or_insert_with(start).1
    }
}

#[test]
fn responses_are_those_of_ethercalc() {
    let scenarios: Vec<Map<String, Json>> = serde_json::from_str(SCENARIOS).expect("JSON");
    let mut servers = Servers::default();
    let mut differences = Vec::new();
    for scenario in &scenarios {
        let title = scenario["scenario"].as_str().expect("a title");
        let arguments = scenario.get("arguments").map_or(Vec::new(), texts);
        let server = servers.with(&arguments, scenario.contains_key("fresh"));
        for room in ROOMS {
            server.delete(&format!("/_/{room}"));
        }
        let mut captured = HashMap::new();
        for step in scenario["steps"].as_array().expect("steps") {
            let found = run(server, step, &mut captured);
            differences
                .extend(found.into_iter().map(|found| format!("{title}: {}: {found}", step["request"])));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Sends the request of a step; returns how the response differs from what is expected.
fn run(server: &Server, step: &Json, captured: &mut HashMap<String, String>) -> Vec<String> {
    let (method, path) = text(step, "request").split_once(' ').expect("a method and a path");
    let mut path = path.to_owned();
    for (name, value) in captured.iter() {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    let headers = step.get("type").map(|_| ("content-type", text(step, "type")));
    let headers: Vec<(&str, &str)> = headers.into_iter().collect();
    let body = step.get("body").and_then(Json::as_str).unwrap_or_default();
    let reply = server.send(method, &path, &headers, body.as_bytes());
    if step.get("capture").is_some() {
        let location = reply.header("location").trim_start_matches("/_/").trim_start_matches('/');
        let room = location.split('/').next().unwrap_or_default().to_owned();
        captured.insert(text(step, "capture").to_owned(), room);
    }
    differences(step, &reply)
}

fn differences(step: &Json, reply: &Reply) -> Vec<String> {
    let body = String::from_utf8_lossy(&reply.body).into_owned();
    let json = || serde_json::from_slice(&reply.body).unwrap_or(Json::String(format!("not JSON: {body}")));
    let mut differences = Vec::new();
    let mut check = |is_same: bool, what: &str| {
        if !is_same {
            let shown: String = body.chars().take(400).collect();
            differences.push(format!("{what}, not {} {:?} {shown}", reply.status, reply.headers));
        }
    };
    for (name, expected) in step.as_object().expect("an object") {
        let what = format!("{name} {expected}");
        match name.as_str() {
            "request" | "type" | "body" | "capture" => {}
            "status" => check(expected == reply.status, &what),
            "headers" => {
                for (name, pattern) in expected.as_object().expect("headers") {
                    let pattern = pattern.as_str().expect("a text");
                    check(matches(pattern, reply.header(name)), &format!("{name}: {pattern}"));
                }
            }
            "text" => check(expected == &body, &what),
            "starts" => check(body.starts_with(expected.as_str().expect("a text")), &what),
            "contains" => {
                for part in texts(expected) {
                    check(body.contains(&part), &format!("contains {part}"));
                }
            }
            "json" => check(expected == &json(), &what),
            "has" => check(has(&json(), expected), &what),
            "sorted" => check(sorted(texts(&json())) == texts(expected), &what),
            "keys" => {
                let keys = json().as_object().map_or(Vec::new(), |json| json.keys().cloned().collect());
                check(sorted(keys) == texts(expected), &what);
            }
            other => panic!("unknown expectation: {other}"),
        }
    }
    differences
}

/// Whether JSON has all members of the other, at any depth.
fn has(json: &Json, part: &Json) -> bool {
    match part.as_object() {
        Some(members) => {
            members.iter().all(|(name, part)| json.get(name).is_some_and(|json| has(json, part)))
        }
        None => json == part,
    }
}

/// Whether the text is that of a pattern with at most one `*`.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            text.len() > start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
        None => text == pattern,
    }
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json[name].as_str().unwrap_or_else(|| panic!("no text {name} in {json}"))
}

fn texts(json: &Json) -> Vec<String> {
    let items = json.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}
