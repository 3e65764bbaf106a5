//! Compares the OpenAPI document with the running server: each operation is called with the
//! examples of the document and must answer with a documented status, content type and members.

use serde_json::{Map, Value as Json};

use crate::access::{self, Restricted};
use crate::accounts::{Accounts, PASSWORD};
use crate::form_files::send_file;
use crate::support::{Reply, Server};

struct Document(Json);

impl Document {
    /// The value that a `$ref` refers to, or the value itself.
    fn resolved<'a>(&'a self, value: &'a Json) -> &'a Json {
        match value["$ref"].as_str() {
            Some(reference) => {
                let found = self.0.pointer(reference.trim_start_matches('#'));
                self.resolved(found.unwrap_or_else(|| panic!("dangling {reference}")))
            }
            None => value,
        }
    }

    /// Path of the operation with the examples of its parameters, including the query.
    fn example_path(&self, path: &str, parameters: &[&Json]) -> String {
        let mut filled = path.to_owned();
        let mut query = Vec::new();
        for parameter in parameters.iter().map(|parameter| self.resolved(parameter)) {
            let name = parameter["name"].as_str().expect("a name");
            match (parameter["in"].as_str(), parameter["example"].as_str()) {
                (Some("path"), example) => {
                    filled = filled
                        .replace(&format!("{{{name}}}"), example.expect("path parameters have examples"));
                }
                (Some("query"), Some(example)) => query.push(format!("{name}={example}")),
                _ => assert_ne!(parameter["required"], true, "{name} needs an example"),
            }
        }
        if query.is_empty() { filled } else { format!("{filled}?{}", query.join("&")) }
    }

    /// Asserts that the operation documents the reply.
    fn check(&self, what: &str, operation: &Json, reply: &Reply) {
        let responses = operation["responses"].as_object().expect("responses");
        let response = responses.get(&reply.status.to_string());
        let response = self.resolved(
            response.unwrap_or_else(|| panic!("{what}: {} is not documented: {reply:?}", reply.status)),
        );
        let Some(content) = response["content"].as_object() else {
            assert!(reply.body.is_empty(), "{what}: a body that is not documented: {reply:?}");
            return;
        };
        let media_type = reply.header("content-type").split(';').next().unwrap_or_default();
        let documented =
            content.get(media_type).unwrap_or_else(|| panic!("{what}: {media_type} is not documented"));
        if media_type == "application/json" {
            self.check_value(what, &documented["schema"], &reply.json());
        }
    }

    /// Asserts that the value matches the schema: types, required members and `oneOf`.
    fn check_value(&self, what: &str, schema: &Json, value: &Json) {
        let problem = self.problem(schema, value);
        assert_eq!(problem, None, "{what}: {value}");
    }

    fn problem(&self, schema: &Json, value: &Json) -> Option<String> {
        let schema = self.resolved(schema);
        if let Some(choices) = schema["oneOf"].as_array() {
            let problems: Vec<_> = choices.iter().map(|choice| self.problem(choice, value)).collect();
            return problems
                .iter()
                .all(Option::is_some)
                .then(|| format!("none of the choices: {problems:?}"));
        }
        let is_type = |name: &Json| match name.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_u64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            _ => false,
        };
        let fits = match &schema["type"] {
            Json::Null => true,
            Json::Array(names) => names.iter().any(is_type),
            name => is_type(name),
        };
        if !fits {
            return Some(format!("{value} is not of type {}", schema["type"]));
        }
        let empty = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            if value.get(name).is_none() {
                return Some(format!("no member {name}"));
            }
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            match properties.get(name) {
                Some(schema) => {
                    if let Some(problem) = self.problem(schema, member) {
                        return Some(format!("{name}: {problem}"));
                    }
                }
                None if !properties.is_empty() => return Some(format!("{name} is not documented")),
                None => {}
            }
        }
        let items = value.as_array().into_iter().flatten();
        items.filter_map(|item| self.problem(schema.get("items")?, item)).next()
    }
}

/// Replaces the examples of the identifier and the link of a form by those of a new one.
fn with_form(server: &Server, path: &str, example: String) -> String {
    if !path.contains("{form}") && !path.starts_with("/api/v1/forms/") {
        return example;
    }
    let form = r#"{"sheet":"Sheet1","range":"A1:A9","title":"x"}"#;
    let form = server.post_json("/api/v1/rooms/budget/forms", form).json();
    let link = form["url"].as_str().expect("a link").trim_start_matches("/_form/");
    example.replace("AAAAAAAAAAA", form["id"].as_str().expect("an identifier")).replace("unknown", link)
}

#[test]
fn documented_operations_answer_as_documented() {
    let server = Server::start();
    let document = Document(server.get("/api/v1/openapi.json").json());
    server.make_room("budget", "1,=A1*2\n");
    let mut called = 0;
    for (path, item) in document.0["paths"].as_object().expect("paths") {
        for (method, operation) in
            item.as_object().expect("operations").iter().filter(|(key, _)| *key != "parameters")
        {
            if ["session", "account", "admin"].iter().any(|part| path.starts_with(&format!("/api/v1/{part}")))
            {
                continue; // below, and in `admin`
            }
            let lists = [&item["parameters"], &operation["parameters"]];
            let parameters: Vec<&Json> = lists.iter().filter_map(|list| list.as_array()).flatten().collect();
            let example = with_form(&server, path, document.example_path(path, &parameters));
            let contents = operation["requestBody"]["content"].as_object();
            let bodies: Vec<(&str, String)> = contents
                .into_iter()
                .flatten()
                .filter_map(|(media_type, content)| {
                    let body = match content.get("example")? {
                        Json::String(text) if media_type != "application/json" => text.clone(),
                        other => other.to_string(),
                    };
                    Some((media_type.as_str(), body))
                })
                .collect();
            let none = [("", String::new())];
            if ["/access", "/webhooks", "/published"].iter().any(|part| path.contains(part)) {
                check_access(&server, &document, path, method, operation, &bodies);
                called += 1;
                continue;
            }
            for (media_type, body) in if bodies.is_empty() { none.as_slice() } else { &bodies } {
                let headers = [("content-type", *media_type)];
                let headers = if media_type.is_empty() { &[] } else { headers.as_slice() };
                if (method.as_str(), path.as_str()) == ("post", "/api/v1/rooms") {
                    server.delete("/api/v1/rooms/budget");
                }
                if method == "delete" && path.ends_with("/items/{item}") {
                    let note = r#"{"kind":"note","anchors":["B2"],"fields":{"text":"x"}}"#;
                    assert_eq!(server.put_json(&example, note).status, 200);
                }
                if method == "delete" && path.ends_with("/versions/{revision}") {
                    assert_eq!(server.put_json(&example, r#"{"name":"x"}"#).status, 200);
                }
                if path.ends_with("/files/{file}") {
                    // The example is the SHA-256 of this file with its name.
                    server.delete("/api/v1/rooms/budget");
                    server.make_room("budget", "1,=A1*2\n");
                    assert!(example.ends_with(&send_file(&server, "", "budget")), "{example}");
                }
                let reply = server.send(&method.to_uppercase(), &example, headers, body.as_bytes());
                let what = format!("{method} {example} {media_type}");
                document.check(&what, operation, &reply);
                assert!(reply.status < 300 || reply.status == 426, "{what}: {reply:?}");
                called += 1;
            }
            if (method.as_str(), path.as_str()) == ("delete", "/api/v1/rooms/{room}") {
                server.make_room("budget", "1,=A1*2\n");
            }
        }
    }
    assert!(called >= 12, "{called}");
}

/// Calls an operation of the access of a workbook, as its owner.
fn check_access(
    server: &Server,
    document: &Document,
    path: &str,
    method: &str,
    operation: &Json,
    bodies: &[(&str, String)],
) {
    let room = format!("{method}{}", path.replace(['/', '{', '}'], ""));
    let is_claim = path.ends_with("/claim");
    let mut workbook = (!is_claim).then(|| Restricted::new(server, &room));
    let mut path = path.replace("{room}", &room);
    let mut body = bodies.first().map(|(_, body)| body.clone()).unwrap_or_default();
    if let Some(workbook) = &mut workbook {
        if path.contains("{request}") || method == "get" {
            workbook.ask(server);
        }
        if path.ends_with("/unlock") {
            workbook.lock(server, "correct horse");
        }
        path = workbook.filled(&path);
        body = workbook.filled_body(&body);
    }
    let key = workbook.as_ref().map_or("", |workbook| workbook.owner_key.as_str());
    let reply = access::send(server, key, &method.to_uppercase(), &path, &body);
    let what = format!("{method} {path}");
    document.check(&what, operation, &reply);
    // The person who should become the owner has no account.
    let is_refused = path.ends_with("/owner") && reply.status == 409;
    assert!(reply.status < 300 || is_refused, "{what}: {reply:?}");
}

/// Somebody else calls each operation, because some of them end the account.
#[test]
fn documented_operations_of_accounts_answer_as_documented() {
    let people: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    let accounts =
        Accounts::start(&people.iter().map(String::as_str).collect::<Vec<_>>(), &["--access", "accounts"]);
    let document = Document(accounts.server().get("/api/v1/openapi.json").json());
    let mut people = people.iter();
    let paths = document.0["paths"].as_object().expect("paths").iter();
    for (path, item) in paths.filter(|(path, _)| needs_only_a_session(path)) {
        let operations = item.as_object().expect("operations").iter();
        for (method, operation) in operations.filter(|(key, _)| *key != "parameters") {
            let name = people.next().expect("enough people");
            let person = accounts.sign_in(name);
            accounts.sign_in(name);
            let token = accounts.token(&person, &serde_json::json!({ "label": "x", "scope": "read" }));
            let listed = |what: &str| {
                let list = accounts.by(&person, "GET", &format!("/api/v1/account/{what}"), "").json();
                list[what][0]["id"].as_str().expect("an identifier").to_owned()
            };
            assert!(token.starts_with("qt_"));
            let filled = path.replace("{session}", &listed("sessions")).replace("{token}", &listed("tokens"));
            let example = &operation["requestBody"]["content"]["application/json"]["example"];
            let body = if example.is_null() { String::new() } else { example.to_string() };
            let body = body.replace("ada@example.org", &format!("{name}@example.org"));
            assert!(!body.contains("current") || body.contains(PASSWORD), "{body}");
            let reply = accounts.by(&person, &method.to_uppercase(), &filled, &body);
            let what = format!("{method} {path}");
            document.check(&what, operation, &reply);
            assert!(reply.status < 300, "{what}: {reply:?}");
        }
    }
}

/// Whether the operations of a path can be called with a session alone. Passkeys need a device,
/// identities a provider, and forgotten passwords a mail server.
fn needs_only_a_session(path: &str) -> bool {
    (path.starts_with("/api/v1/session") || path.starts_with("/api/v1/account"))
        && !["passkey", "identities", "recovery"].iter().any(|part| path.contains(part))
}

#[test]
fn documented_errors_are_returned_as_documented() {
    let server = Server::start();
    let document = Document(server.get("/api/v1/openapi.json").json());
    server.make_room("budget", "1,2\n");
    let json = ("content-type", "application/json");
    let csv = ("content-type", "text/csv");
    let evil = ("origin", "https://evil.example");
    let room = "/api/v1/rooms/{room}";
    let cells = "/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}";
    let rows = "/api/v1/rooms/{room}/sheets/{sheet}/rows";
    for (method, template, path, headers, body, status, code) in [
        ("get", room, "/api/v1/rooms/a%20b", vec![], "", 400, "bad_room_name"),
        ("get", room, "/api/v1/rooms/nothing", vec![], "", 404, "no_such_room"),
        ("get", room, "/api/v1/rooms/budget?format=doc", vec![], "", 400, "bad_query"),
        ("get", room, "/api/v1/rooms/budget?formt=csv", vec![], "", 400, "bad_query"),
        ("get", room, "/api/v1/rooms/budget?format=csv&sheet=No", vec![], "", 404, "no_such_sheet"),
        ("get", room, "/api/v1/rooms/budget", vec![("accept", "image/png")], "", 406, "not_acceptable"),
        ("put", room, "/api/v1/rooms/budget", vec![csv, evil], "1", 403, "bad_origin"),
        (
            "put",
            room,
            "/api/v1/rooms/budget",
            vec![("content-type", "image/png")],
            "1",
            415,
            "unsupported_media_type",
        ),
        (
            "put",
            room,
            "/api/v1/rooms/budget",
            vec![csv, ("if-match", "\"77\"")],
            "1",
            412,
            "revision_mismatch",
        ),
        ("put", room, "/api/v1/rooms/budget", vec![csv, ("if-match", "soon")], "1", 400, "bad_request"),
        ("put", room, "/api/v1/rooms/budget", vec![csv], "a,\"b", 422, "import_failed"),
        ("delete", room, "/api/v1/rooms/nothing", vec![], "", 404, "no_such_room"),
        ("post", "/api/v1/rooms", "/api/v1/rooms", vec![json], "{\"name\":\"budget\"}", 409, "room_exists"),
        ("post", "/api/v1/rooms", "/api/v1/rooms", vec![json], "{\"nam\":\"x\"}", 400, "bad_json"),
        ("get", cells, "/api/v1/rooms/budget/sheets/Sheet1/cells/A0", vec![], "", 400, "bad_address"),
        ("get", cells, "/api/v1/rooms/budget/sheets/Sheet1/cells/XFE1", vec![], "", 400, "bad_address"),
        ("get", cells, "/api/v1/rooms/budget/sheets/No/cells/A1", vec![], "", 404, "no_such_sheet"),
        (
            "get",
            cells,
            "/api/v1/rooms/budget/sheets/Sheet1/cells/A1:XFC1000000",
            vec![],
            "",
            413,
            "too_many_cells",
        ),
        ("put", cells, "/api/v1/rooms/budget/sheets/Sheet1/cells/A1", vec![json], "{", 400, "bad_json"),
        (
            "put",
            cells,
            "/api/v1/rooms/budget/sheets/Sheet1/cells/A1:B2",
            vec![json],
            "{\"cells\":[[1]]}",
            400,
            "bad_json",
        ),
        (
            "put",
            cells,
            "/api/v1/rooms/budget/sheets/Sheet1/cells/A1",
            vec![csv],
            "1",
            415,
            "unsupported_media_type",
        ),
        (
            "put",
            cells,
            "/api/v1/rooms/budget/sheets/Sheet1/cells/A:Z",
            vec![json],
            "1",
            413,
            "too_many_cells",
        ),
        ("put", cells, "/api/v1/rooms/nothing/sheets/Sheet1/cells/A1", vec![json], "1", 404, "no_such_room"),
        (
            "post",
            rows,
            "/api/v1/rooms/budget/sheets/Sheet1/rows",
            vec![json],
            "{\"rows\":[]}",
            400,
            "bad_json",
        ),
        ("post", "/api/v1/rooms/{room}/import", "/api/v1/rooms/budget/import", vec![], "1", 400, "bad_query"),
        (
            "post",
            "/api/v1/rooms/{room}/import",
            "/api/v1/rooms/budget/import?name=a.png",
            vec![],
            "\u{89}PNG\0",
            415,
            "unsupported_media_type",
        ),
        (
            "get",
            "/api/v1/rooms/{room}/socket",
            "/api/v1/rooms/budget/socket",
            vec![],
            "",
            426,
            "upgrade_required",
        ),
    ] {
        let reply = server.send(&method.to_uppercase(), path, &headers, body.as_bytes());
        let what = format!("{method} {path} {headers:?} {body}");
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{what}: {reply:?}");
        document.check(&what, &document.0["paths"][template][method], &reply);
    }
    assert_eq!(server.csv("budget"), "1,2\n");
}
