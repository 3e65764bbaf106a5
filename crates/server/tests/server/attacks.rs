//! Attacks by pages of other sites and by those who craft requests. `web/e2e/attacks.spec.ts` has
//! those that need a browser.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::support::Server;

/// Methods and paths of `openapi.json`, with examples for the parameters.
fn api_routes() -> Vec<(String, String)> {
    let document = include_str!("../../openapi.json");
    let document: Json = serde_json::from_str(document).expect("JSON");
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys().filter(|key| *key != "parameters") {
            let segments = path.split('/').map(|segment| match segment {
                "{room}" => "plan",
                "{range}" => "A1",
                "{image}" => "0000000000000000000000000000000000000000000000000000000000000000",
                segment if segment.starts_with('{') => "1",
                segment => segment,
            });
            routes.push((method.to_uppercase(), segments.collect::<Vec<_>>().join("/")));
        }
    }
    routes
}

const EVIL: (&str, &str) = ("origin", "https://evil.example");

#[test]
fn pages_of_other_sites_cannot_change_anything() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let api = api_routes().into_iter();
    let ethercalc = [("PUT", "/_/plan"), ("POST", "/_/plan"), ("POST", "/_"), ("DELETE", "/_/plan")];
    let ethercalc = ethercalc.map(|(method, path)| (method.to_owned(), path.to_owned()));
    let mut checked = 0;
    for (method, path) in api.chain(ethercalc).filter(|(method, _)| method != "GET") {
        // A form can send these without asking the server first (a preflight).
        for media_type in ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"] {
            let answer = server.send(&method, &path, &[EVIL, ("content-type", media_type)], b"a=b");
            assert_eq!((answer.status, answer.code().as_str()), (403, "bad_origin"), "{method} {path}");
            assert_eq!(answer.header("access-control-allow-origin"), "");
        }
        // And asking first does not help.
        let asked = [EVIL, ("access-control-request-method", method.as_str())];
        let answer = server.send("OPTIONS", &path, &asked, b"");
        assert_eq!(answer.status, 403, "{method} {path}");
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
    assert_eq!(server.csv("plan"), "1\n");
}

#[test]
fn pages_of_other_sites_cannot_read_answers() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    for path in ["/api/v1/rooms/plan", "/api/v1/rooms/plan/sheets/Sheet1/cells/A1", "/_/plan", "/plan.csv"] {
        let answer = server.send("GET", path, &[EVIL], b"");
        assert_eq!(answer.status, 200);
        for name in ["access-control-allow-origin", "access-control-allow-credentials"] {
            assert_eq!(answer.header(name), "", "{path}");
        }
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
    }
}

#[test]
fn every_kind_of_answer_has_the_security_headers() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/plan"),
        ("GET", "/_new"),
        ("GET", "/plan/edit"),
        ("GET", "/assets/missing.js"),
        ("GET", "/plan.html"),
        ("GET", "/plan.csv"),
        ("GET", "/_/plan"),
        ("GET", "/_/plan/html"),
        ("GET", "/_/plan/md"),
        ("GET", "/api/v1/rooms/plan"),
        ("GET", "/api/v1/rooms/plan?format=html"),
        ("GET", "/api/v1/rooms/missing"),
        ("GET", "/api/v1/rooms/plan/socket"),
        ("GET", "/api/v1/openapi.json"),
        ("GET", "/healthz"),
        ("DELETE", "/healthz"),
        ("GET", "/no/such/resource"),
    ] {
        let answer = server.send(method, path, &[], b"");
        let policy = answer.header("content-security-policy");
        // Everything falls back to default-src, plug-ins (object-src) too.
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors '"), "{path}: {policy}");
        assert!(
            !policy.contains("script-src 'unsafe") && !policy.contains("'unsafe-eval'"),
            "{path}: {policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin", "{path}");
        let is_file_of_client = path == "/" || path == "/plan";
        if !is_file_of_client {
            assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        }
    }
    assert_eq!(server.send("TRACE", "/", &[], b"").status, 405);
}

/// Files that a browser may display get an origin of their own and cannot run anything.
#[test]
fn exported_pages_are_sandboxed() {
    let server = Server::start();
    server.make_room("plan", "<script>alert(1)</script>,\"<img src=x onerror=alert(1)>\"\n");
    for path in ["/plan.html", "/_/plan/html", "/api/v1/rooms/plan?format=html"] {
        let answer = server.get(path);
        assert!(answer.header("content-type").starts_with("text/html"), "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.ends_with("; sandbox") && !policy.contains("script-src"), "{path}: {policy}");
        let text = answer.text();
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{text}");
        assert!(!text.contains("<script") && !text.contains("<img"), "{text}");
    }
}

#[test]
fn links_of_exports_run_nothing() {
    let server = Server::start();
    server.make_room("plan", "x\n");
    let cell = r#"{"formula":"=HYPERLINK(\"javascript:alert(1)\",\"go\")"}"#;
    let written = server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/A1", cell);
    assert_eq!(written.status, 200, "{written:?}");
    for format in ["html", "md"] {
        let text = server.get(&format!("/plan.{format}")).text().to_lowercase();
        assert!(!text.contains("href=\"javascript:") && !text.contains("](javascript:"), "{text}");
    }
}

/// A value in the last cell makes a table of 17 billion cells, which no format of texts gets.
#[test]
fn a_value_far_from_the_others_makes_no_large_export() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let written = server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/XFD1048576", r#"{"value":2}"#);
    assert_eq!(written.status, 200, "{written:?}");
    for format in ["csv", "tsv", "html", "md"] {
        let answer = server.get(&format!("/api/v1/rooms/plan?format={format}"));
        assert_eq!((answer.status, answer.code()), (413, "too_many_cells".into()), "{format}");
        let losses = server.get(&format!("/api/v1/rooms/plan/losses?format={format}"));
        assert_eq!(losses.status, 200, "{format}");
    }
    for path in ["/_/plan/csv", "/_/plan/html", "/_/plan/csv.json"] {
        assert_eq!(server.get(path).status, 413, "{path}");
    }
    for format in ["xlsx", "ods", "json"] {
        let answer = server.get(&format!("/api/v1/rooms/plan?format={format}"));
        assert_eq!(answer.status, 200, "{format}");
        assert!(answer.body.len() < 100_000, "{format}: {} bytes", answer.body.len());
    }
}

#[test]
fn names_and_titles_cannot_add_headers() {
    let server = Server::start();
    let csv = ("content-type", "text/csv");
    for name in ["a%0d%0aset-cookie:%20x=1", "a%0aset-cookie:%20x=1", "a%0d", "a%00"] {
        let answer = server.send("PUT", &format!("/api/v1/rooms/{name}"), &[csv], b"1");
        assert_eq!((answer.status, answer.code().as_str()), (400, "bad_room_name"), "{name}");
        for path in [format!("/{name}"), format!("/{name}/edit"), format!("/={name}"), format!("/{name}.csv")]
        {
            let answer = server.get(&path);
            assert!(answer.status >= 400, "{path}: {answer:?}");
            assert_eq!(answer.header("set-cookie"), "", "{path}");
        }
    }
    // A title is a part of file names.
    for title in ["a\\r\\nset-cookie: x=1", "a\\\"; filename=evil.exe; x=\\\"", "../../evil", "a\\u0000b"] {
        let body = format!("{{\"title\":\"{title}\"}}");
        let created = server.post_json("/api/v1/rooms", &body);
        if created.status == 201 {
            let room = created.json()["room"].as_str().expect("a name").to_owned();
            let answer = server.get(&format!("/api/v1/rooms/{room}?format=csv"));
            let name = answer.header("content-disposition").to_owned();
            let name = name.strip_prefix("inline; filename*=UTF-8''").expect("RFC 8187").to_owned();
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%.-_~".contains(&byte);
            assert!(name.bytes().all(is_plain), "{name}");
            assert!(!name.contains("%2F") && !name.contains("%0D") && !name.contains("%0A"), "{name}");
            assert_eq!(answer.header("set-cookie"), "");
        } else {
            assert!(matches!(created.status, 400 | 422), "{title}: {created:?}");
        }
    }
}

/// A `Location` is always a path of this server. `//host` and `/\host` would be other hosts.
#[test]
fn redirects_stay_on_this_server() {
    let server = Server::start();
    for path in [
        "/_new",
        "/plan/edit",
        "/plan/view",
        "/=plan",
        "/=/evil.example",
        "/=%2Fevil.example",
        "/=%2F%2Fevil.example",
        "/=%5Cevil.example",
        "//evil.example/edit",
        "/%2Fevil.example/edit",
        "/%5Cevil.example/edit",
        "/%09/evil.example/edit",
        "/https:evil.example/view",
        "/https:%2F%2Fevil.example/view",
        "/_new?return=https://evil.example",
    ] {
        let answer = server
            .raw(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes());
        let status = &answer[9..12];
        assert!(matches!(status, "302" | "400" | "404" | "200"), "{path}: {answer}");
        let location = answer.lines().find_map(|line| line.strip_prefix("location: "));
        assert_eq!(location.is_some(), status == "302", "{path}: {answer}");
        if let Some(location) = location {
            let second = location.as_bytes().get(1).copied().unwrap_or_default();
            assert!(location.starts_with('/') && second != b'/' && second != b'\\', "{path}: {location}");
        }
    }
}

#[test]
fn paths_do_not_leave_the_files_of_the_client() {
    let server = Server::start();
    for path in [
        "/assets/../../../../../../../../etc/passwd",
        "/assets/..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/assets/%252e%252e/%252e%252e/etc/passwd",
        "/assets//etc/passwd",
        "/assets/..\\..\\..\\etc\\passwd",
        "/assets/%00/etc/passwd",
        "/../Cargo.toml",
        "/..%2fpackage.json",
        "/assets/../../package.json",
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        let answer = server.raw(request.as_bytes());
        let status = &answer[9..12];
        assert!(matches!(status, "400" | "404"), "{path}: {answer}");
        assert!(!answer.contains("root:") && !answer.contains("\"dependencies\""), "{answer}");
    }
}

/// A proxy and this server must not see different requests in the same bytes.
#[test]
fn requests_with_an_ambiguous_length_end_the_connection() {
    let server = Server::start();
    let hidden = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    for (headers, body) in [
        ("content-length: 0\r\ncontent-length: 4", ""),
        ("content-length: 4, 0", ""),
        ("content-length: +0", ""),
        ("content-length: -1", ""),
        ("content-length: 0x0", ""),
        ("content-length : 0", ""),
        ("transfer-encoding: chunked, identity", "0\r\n\r\n"),
        ("transfer-encoding: xchunked", "0\r\n\r\n"),
        ("transfer-encoding : chunked", "0\r\n\r\n"),
        ("transfer-encoding: chunked\r\ntransfer-encoding: identity", "0\r\n\r\n"),
        ("transfer-encoding: chunked", "0x0\r\n\r\n"),
        ("transfer-encoding: chunked", "-1\r\n\r\n"),
        ("transfer-encoding: chunked", "fffffffffffffffff1\r\n\r\n"),
        ("x: 1\rcontent-length: 4", ""),
        (" content-length: 4", ""),
    ] {
        let request = format!(
            "PUT /_/plan HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/csv\r\n{headers}\r\n\r\n{body}{hidden}"
        );
        let answer = server.raw(request.as_bytes());
        // Nothing is stored, and the request that is hidden in the bytes is not answered.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{headers:?}: {answer}");
        assert!(!answer.contains("200 OK"), "{headers:?}: {answer}");
    }
    assert_eq!(server.get("/api/v1/rooms/plan").status, 404);
}

/// RFC 9112, 6.1: of both headers, `Transfer-Encoding` decides where the body ends, and nothing behind
/// it is read.
#[test]
fn a_request_with_both_lengths_is_the_last_of_its_connection() {
    let server = Server::start();
    for headers in [
        "content-length: 300\r\ntransfer-encoding: chunked",
        "transfer-encoding: chunked\r\ncontent-length: 300",
    ] {
        let request = format!(
            "POST /healthz HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n\r\n0\r\n\r\n\
             GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        );
        let answer = server.raw(request.as_bytes());
        let statuses: Vec<&str> =
            answer.split("HTTP/1.1 ").skip(1).filter_map(|answer| answer.get(..3)).collect();
        assert_eq!(statuses, ["405"], "{headers}: {answer}");
    }
}

#[test]
fn every_text_has_a_charset() {
    let server = Server::start();
    server.make_room("plan", "Obst,ä\n");
    for path in [
        "/",
        "/plan",
        "/missing/page/here",
        "/plan.csv",
        "/plan.html",
        "/plan.md",
        "/_/plan",
        "/_/missing/csv",
        "/api/v1/rooms/plan?format=csv",
        "/api/v1/rooms/plan?format=tsv",
        "/api/v1/rooms/plan?format=md",
        "/api/v1/rooms/plan?format=html",
        "/api/v1/rooms/plan?format=socialcalc",
    ] {
        let answer = server.get(path);
        let media_type = answer.header("content-type");
        // JSON is always UTF-8 (RFC 8259, 8.1).
        let is_complete = media_type == "application/json" || media_type.ends_with("; charset=utf-8");
        assert!(is_complete, "{path}: {media_type:?}");
    }
}

/// `docs/security.md` says which test shows a requirement to be met.
#[test]
fn the_security_page_names_tests_that_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/security.md")).expect("readable");
    let mut sources = (String::new(), Vec::new());
    for directory in ["crates", "web/e2e", "fuzz/fuzz_targets", "simulation"] {
        read_sources(&root.join(directory), &mut sources);
    }
    let (text, files) = sources;
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with("| V")) {
        for name in row.split('`').skip(1).step_by(2) {
            let is_test = name.matches('_').count() >= 3
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
            if is_test {
                assert!(text.contains(&format!("fn {name}(")), "there is no test {name}: {row}");
                named += 1;
            } else if name.ends_with(".rs") || name.ends_with(".spec.ts") {
                assert!(files.iter().any(|file| file == name), "there is no file {name}: {row}");
            }
        }
    }
    assert!(named > 50, "{named}");
}

fn read_sources(directory: &std::path::Path, sources: &mut (String, Vec<String>)) {
    for entry in std::fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("an entry").to_string_lossy().into_owned();
        if path.is_dir() && name != "node_modules" && name != "target" {
            read_sources(&path, sources);
        } else if name.ends_with(".rs") || name.ends_with(".ts") {
            sources.0.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
            sources.1.push(name);
        }
    }
}

/// SHA-1 and MD5 are broken. The handshake of WebSockets has to use SHA-1 (RFC 6455, 4.2.2), where
/// nothing depends on its strength, and lists of breached passwords are of SHA-1. The client of
/// PostgreSQL has MD5 for databases that ask for
/// passwords by the old method `md5`. Nothing else may use them.
#[test]
fn broken_hash_functions_are_used_where_other_programs_ask_for_them_only() {
    let lock = include_str!("../../../../Cargo.lock");
    let mut users = Vec::new();
    for package in lock.split("[[package]]").skip(1) {
        let name = package.split('"').nth(1).expect("a name");
        let dependencies = package.split_once("dependencies = [").map_or("", |(_, rest)| rest);
        let dependencies = dependencies.split('"').filter_map(|text| text.split(' ').next());
        let is_broken = |name: &str| name.starts_with("sha1") || ["md5", "md-5", "md4"].contains(&name);
        users.extend(dependencies.filter(|name| is_broken(name)).map(|_| name));
    }
    // tungstenite is the WebSocket client of the tests.
    assert_eq!(users, ["postgres-protocol", "quadrille-server", "tungstenite"]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = files_with(&source, "sha1::");
    files.sort();
    // The form of a list of breached passwords, and that of a handshake (RFC 6455).
    let expected = ["access/breached_passwords.rs", "websocket/handshake.rs"];
    assert_eq!(files, expected.map(|path| source.join(path)));
}

/// The files under a directory that contain the text.
fn files_with(directory: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read_to_string(&path).is_ok_and(|source| source.contains(text)) {
            found.push(path);
        }
    }
    found
}
