//! Files as answers of forms: stored once with the workbook, downloaded by those who may read it.

use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::support::{Reply, Server};

const PDF: &[u8] = b"%PDF-1.7\n%%EOF\n";
const BOUNDARY: &str = "----answers";

/// A body of `multipart/form-data` (RFC 7578), as browsers send it: fields and files by their names.
pub fn parts(fields: &[(&str, &str)], files: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend_from_slice(format!("{head}{value}\r\n").as_bytes());
    }
    for (name, file, bytes) in files {
        let head =
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"{file}\"");
        body.extend_from_slice(format!("{head}\r\ncontent-type: text/html\r\n\r\n").as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}

/// Sends such a body.
pub fn post_parts(server: &Server, path: &str, body: &[u8]) -> Reply {
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    server.send("POST", path, &[("content-type", &content_type)], body)
}

/// Sends a file with a form over column A, whose first cell is 1; returns the digits of its link.
pub fn send_file(server: &Server, owner_key: &str, room: &str) -> String {
    let path = format!("/api/v1/rooms/{room}/forms");
    let questions = r#"[{"column":"1","kind":"file"}]"#;
    let form = format!(r#"{{"sheet":"Sheet1","range":"A1:A2","title":"x","questions":{questions}}}"#);
    let form = send(server, owner_key, "POST", &path, &form).json();
    let field = format!("q{}", form["questions"][0]["id"].as_str().expect("a number"));
    let page = form["url"].as_str().expect("a link");
    let reply = post_parts(server, page, &parts(&[("submission", "s")], &[(&field, "a.txt", b"a")]));
    assert_eq!(reply.status, 303, "{reply:?}");
    link(server, owner_key, room, "A2").rsplit_once('/').expect("a path").1.to_owned()
}

/// A form for a name and a PDF or an image, at most 1 MiB.
struct Applications {
    page: String,
    name: String,
    file: String,
}

impl Applications {
    fn new(server: &Server, room: &str, owner_key: &str) -> Applications {
        let path = format!("/api/v1/rooms/{room}");
        let header = json!({ "cells": [["Name", "CV"]] }).to_string();
        assert_eq!(
            send(server, owner_key, "PUT", &format!("{path}/sheets/Sheet1/cells/A1:B1"), &header).status,
            200
        );
        let questions = json!([
            { "column": "Name", "isRequired": true },
            { "column": "CV", "kind": "file", "isRequired": true, "fileKinds": ["pdf", "image"], "fileBytesMax": 1_048_576 },
        ]);
        let form = json!({ "sheet": "Sheet1", "range": "A1:B1", "title": "Jobs", "questions": questions });
        let form = send(server, owner_key, "POST", &format!("{path}/forms"), &form.to_string());
        assert_eq!(form.status, 201, "{form:?}");
        let form = form.json();
        let id = |index: usize| format!("q{}", form["questions"][index]["id"].as_str().expect("a number"));
        Applications { page: form["url"].as_str().expect("a link").to_owned(), name: id(0), file: id(1) }
    }

    fn api(&self) -> String {
        self.page.replace("/_form/", "/api/v1/forms/") + "/responses"
    }

    fn body(&self, submission: &str, name: &str, file: &str, bytes: &[u8]) -> Vec<u8> {
        let fields = [("submission", submission), ("revision", "1"), ("website", ""), (&self.name, name)];
        parts(&fields, &[(&self.file, file, bytes)])
    }
}

/// The link of a cell of the only sheet.
fn link(server: &Server, owner_key: &str, room: &str, cell: &str) -> String {
    let items =
        send(server, owner_key, "GET", &format!("/api/v1/rooms/{room}/sheets/Sheet1/items"), "").json();
    let items = items["items"].as_array().expect("items").clone();
    let is_here = |item: &&Json| item["kind"] == "link" && item["anchors"] == json!([cell]);
    let link = items.iter().find(is_here).unwrap_or_else(|| panic!("{cell} has no link: {items:?}"));
    link["fields"]["url"].as_str().expect("an address").to_owned()
}

#[test]
fn a_file_is_sent_without_a_script_and_downloaded_from_its_cell() {
    let server = Server::start();
    server.make_room("jobs", "Name,CV\n");
    let form = Applications::new(&server, "jobs", "");
    let page = server.get(&form.page).text();
    for part in ["enctype=\"multipart/form-data\"", "accept=\".pdf,.png,.jpg", "PDF, Image · At most 1 MB"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let body = form.body("s1", "Ada", "../Lebenslauf <Jürgen>.pdf", PDF);
    let reply = post_parts(&server, &form.page, &body);
    assert_eq!((reply.status, reply.header("location")), (303, &*format!("{}?sent", form.page)), "{reply:?}");
    // Sent again by the back button, and with another file.
    assert_eq!(post_parts(&server, &form.page, &body).status, 303);
    let other = form.body("s1", "Ada", "cv.pdf", PDF);
    assert_eq!(post_parts(&server, &form.api(), &other).code(), "idempotency_key_reused");
    assert_eq!(server.csv("jobs"), "Name,CV\nAda,Lebenslauf _Jürgen_.pdf\n");
    let file = server.get(&link(&server, "", "jobs", "B2"));
    assert_eq!((file.status, &file.body[..]), (200, PDF));
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("content-disposition", "attachment; filename*=UTF-8''Lebenslauf%20%5FJ%C3%BCrgen%5F%2Epdf"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
    ] {
        assert_eq!(file.header(name), value, "{name}");
    }
    let as_image = link(&server, "", "jobs", "B2").replace("/files/", "/images/");
    assert_eq!(server.get(&as_image).code(), "not_found");
}

#[test]
fn files_that_do_not_fit_are_refused_and_not_stored() {
    let server = Server::start();
    server.make_room("jobs", "Name,CV\n");
    let form = Applications::new(&server, "jobs", "");
    let large = [PDF, &vec![0; 1 << 20]].concat();
    for (file, bytes, message) in [
        ("cv.exe", PDF, "Choose a file of one of these types: PDF, Image."),
        ("cv.html", b"<script>alert(1)</script>", "Choose a file of one of these types: PDF, Image."),
        ("cv.svg", b"<svg onload=alert(1)>", "Choose a file of one of these types: PDF, Image."),
        ("cv.pdf", b"<script>alert(1)</script>", "The contents are not those of a PDF file."),
        ("cv.pdf", b"", "The file is empty."),
        ("", b"", "Answer this question."),
        ("cv.pdf", &large, "Choose a file of at most 1 MB."),
    ] {
        let reply = post_parts(&server, &form.api(), &form.body("s", "Ada", file, bytes));
        assert_eq!(
            (reply.status, reply.json()["answers"][0]["message"].as_str()),
            (422, Some(message)),
            "{file}"
        );
    }
    // Without a script the page says that the file has to be chosen again.
    let reply = post_parts(&server, &form.page, &form.body("s", "", "cv.pdf", PDF));
    assert_eq!(reply.status, 422);
    assert!(reply.text().contains("Choose the file again."), "{}", reply.text());
    let fields = [("submission", "s"), (&*form.name, "Ada")];
    let two = parts(&fields, &[(&form.file, "a.pdf", PDF), (&form.file, "b.pdf", PDF)]);
    assert_eq!(
        post_parts(&server, &form.api(), &two).json()["answers"][0]["message"],
        "Send at most 1 files."
    );
    let name = parts(&[("submission", "s")], &[(&form.name, "a.pdf", PDF)]);
    assert_eq!(post_parts(&server, &form.api(), &name).code(), "bad_request");
    for body in [&b""[..], b"--", b"------answers\r\n\r\nx", &form.body("s", "Ada", "cv.pdf", PDF)[..90]] {
        assert_eq!(post_parts(&server, &form.api(), body).code(), "bad_request", "{body:?}");
    }
    let head = format!("POST {} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n", form.api());
    let head =
        format!("{head}content-type: multipart/form-data; boundary=x\r\ncontent-length: 30000000\r\n\r\n");
    assert!(server.raw(head.as_bytes()).starts_with("HTTP/1.1 413"));
    assert_eq!(server.csv("jobs"), "Name,CV\n");
    for questions in [
        json!([{ "column": "CV", "kind": "file", "fileBytesMax": 0 }]),
        json!([{ "column": "CV", "kind": "file", "fileBytesMax": 10_485_761 }]),
        json!([{ "column": "CV", "kind": "date", "fileKinds": ["pdf"] }]),
    ] {
        let form = json!({ "sheet": "Sheet1", "range": "A1:B1", "title": "x", "questions": questions });
        assert_eq!(server.post_json("/api/v1/rooms/jobs/forms", &form.to_string()).code(), "bad_request");
    }
}

#[test]
fn only_who_may_read_the_workbook_gets_its_files() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "jobs");
    let form = Applications::new(&server, "jobs", &workbook.owner_key);
    assert_eq!(post_parts(&server, &form.page, &form.body("s", "Ada", "cv.pdf", PDF)).status, 303);
    let file = link(&server, &workbook.owner_key, "jobs", "B2");
    assert_eq!(send(&server, workbook.view_link(), "GET", &file, "").status, 200);
    assert_eq!(server.get(&file).status, 404);
    // Another workbook does not have it, although anybody may know its name.
    server.make_room("other", "a\n");
    assert_eq!(server.get(&file.replace("/jobs/", "/other/")).code(), "not_found");
}

#[test]
fn files_survive_a_kill_are_copied_and_deleted_with_their_workbook() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    server.make_room("jobs", "Name,CV\n");
    let form = Applications::new(&server, "jobs", "");
    assert_eq!(post_parts(&server, &form.page, &form.body("s", "Ada", "cv.pdf", PDF)).status, 303);
    server.kill();
    let mut server = Server::start_on(data.path(), &[]);
    let file = link(&server, "", "jobs", "B2");
    assert_eq!(server.get(&file).body, PDF);
    let copy = server.post_json("/api/v1/rooms", r#"{"name":"copy","copyOf":"jobs"}"#);
    assert_eq!(copy.status, 201, "{copy:?}");
    assert_eq!(server.delete("/api/v1/rooms/jobs").status, 204);
    assert_eq!(server.get(&file).status, 404);
    assert_eq!(server.get(&file.replace("/jobs/", "/copy/")).body, PDF);

    // A form accepts no more files when the workbook has too many; images fit for a while longer.
    let form = Applications::new(&server, "copy", "");
    server.kill();
    let database = rusqlite::Connection::open(data.path().join("rooms.db")).expect("a database");
    let fill = "INSERT INTO image (room, hash, checksum, data)
                SELECT max(room), zeroblob(32), 0, zeroblob(448 << 20) FROM image";
    assert_eq!(database.execute(fill, []), Ok(1));
    drop(database);
    let server = Server::start_on(data.path(), &[]);
    let reply = post_parts(&server, &form.page, &form.body("t", "Bob", "b.pdf", PDF));
    assert_eq!(reply.status, 413, "{reply:?}");
    assert!(reply.text().contains("The form accepts no more files."), "{}", reply.text());
    let image = server.send("POST", "/api/v1/rooms/copy/images", &[], b"GIF89a");
    assert_eq!(image.status, 201, "{image:?}");
}

#[test]
fn the_preview_shows_changes_that_are_not_stored() {
    let server = Server::start();
    server.make_room("jobs", "Name,CV\n");
    Applications::new(&server, "jobs", "");
    let forms = server.get("/api/v1/rooms/jobs/forms").json();
    let path =
        format!("/api/v1/rooms/jobs/forms/{}", forms["forms"][0]["id"].as_str().expect("an identifier"));
    let change = json!({ "title": "Careers", "questions": [{ "column": "Name", "label": "Who?" }] });
    let page = server.post_json(&format!("{path}/preview"), &change.to_string());
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{page:?}");
    let page = page.text();
    assert!(page.contains("Careers") && page.contains("Who?") && !page.contains("type=\"file\""), "{page}");
    assert_eq!(server.get(&path).json()["title"], "Jobs");
    assert_eq!(server.post_json(&format!("{path}/preview"), r#"{"title":" "}"#).code(), "bad_request");
}
