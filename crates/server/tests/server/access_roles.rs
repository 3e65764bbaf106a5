//! The role that each operation needs, as documented: each is asked for with every role.

use serde_json::Value as Json;

use crate::access::{Restricted, bearer, send};
use crate::support::Server;

const REST: &str = include_str!("../../../../docs/rest.md");

/// The role that the documentation names for an operation.
fn documented_role(method: &str, path: &str) -> String {
    let row = format!("| `{} {}` | ", method.to_uppercase(), path.trim_start_matches("/api/v1"));
    let rest = REST.split(&row).nth(1).unwrap_or_else(|| panic!("docs/rest.md lacks the row {row}"));
    rest.split(" |").next().expect("a cell").to_owned()
}

/// The request that the matrix sends: path with query, content type, body.
pub fn example(document: &Json, method: &str, path: &str) -> (String, String, String) {
    let item = &document["paths"][path];
    let mut filled = path.replace("{sheet}", "Sheet1").replace("{range}", "A1").replace("{revision}", "1");
    if path.contains("/import") {
        filled += "?name=a.csv";
    }
    let item_id = if path.contains("/sheets/") { "4711" } else { "0" };
    filled = filled.replace("{item}", item_id);
    let contents = item[method]["requestBody"]["content"].as_object();
    let found = contents.into_iter().flatten().find_map(|(media_type, content)| {
        let body = match content.get("example")? {
            Json::String(text) if media_type != "application/json" => text.clone(),
            other => other.to_string(),
        };
        Some((media_type.clone(), body))
    });
    let (media_type, mut body) = found.unwrap_or_default();
    if path.contains("/sheets/{sheet}/items") && !body.is_empty() {
        // What commenters may write.
        body = r#"{"kind":"commentThread","anchors":["A1"],"fields":{"author":"Grace"}}"#.to_owned();
    } else if path.contains("/cells/{range}") && !body.is_empty() {
        body = "7".to_owned();
    } else if path.ends_with("/responses") {
        body = r#"{"submission":"x","answers":{}}"#.to_owned();
    } else if path == "/api/v1/rooms" {
        body = String::new();
    }
    (filled, media_type, body)
}

#[test]
fn every_operation_needs_the_documented_role() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--claim", "editors"]);
    check_roles(&server, &server);
}

/// A workbook for an operation.
fn prepared(server: &Server, room: &str, method: &str, path: &str) -> Restricted {
    let mut workbook = Restricted::new(server, room);
    if path.contains("{request}") {
        workbook.ask(server);
    }
    if path.contains("{form}") || path.starts_with("/api/v1/forms/") {
        workbook.add_form(server);
    }
    if path.contains("{file}") {
        workbook.add_file(server);
    }
    if path.ends_with("/unlock") {
        workbook.lock(server, "correct horse");
    }
    if method == "delete" && path.ends_with("/versions/{revision}") {
        workbook.name_version(server);
    }
    workbook
}

/// Makes a workbook at one server for each operation, and asks the other one for the operation.
pub fn check_roles(made_at: &Server, asked: &Server) {
    let server = made_at;
    let document = server.get("/api/v1/openapi.json").json();
    let mut count = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        if ["session", "account", "admin"].iter().any(|part| path.starts_with(&format!("/api/v1/{part}"))) {
            continue; // see `accounts` and `admin`
        }
        for method in item.as_object().expect("operations").keys().filter(|key| *key != "parameters") {
            let needed = documented_role(method, path);
            let roles = ["owner", "edit", "comment", "view", "everybody"];
            let rank = |role: &str| roles.iter().position(|known| *known == role).expect(role);
            // From the lowest: what is refused changes nothing, so that the next role asks for the same workbook.
            let mut unchanged: Option<Restricted> = None;
            for role in roles.into_iter().rev() {
                // Between servers the two roles around the limit, to save time.
                let excess = rank(role).abs_diff(rank(&needed));
                if !std::ptr::eq(made_at, asked) && (excess > 1 || rank(role) < rank(&needed)) {
                    continue;
                }
                count += 1;
                let workbook =
                    unchanged.take().unwrap_or_else(|| prepared(server, &format!("m{count}"), method, path));
                let (filled, media_type, body) = example(&document, method, path);
                let (filled, body) = (workbook.filled(&filled), workbook.filled_body(&body));
                let credential = match role {
                    "owner" => &workbook.owner_key,
                    "edit" => &workbook.edit,
                    "comment" => &workbook.comment,
                    "view" => &workbook.view,
                    _ => "",
                };
                let authorization = bearer(credential);
                let mut headers = vec![authorization.as_header()];
                if credential.is_empty() {
                    headers.clear();
                }
                if !media_type.is_empty() && !body.is_empty() {
                    headers.push(("content-type", media_type.as_str()));
                }
                let reply = asked.send(&method.to_uppercase(), &filled, &headers, body.as_bytes());
                let what = format!("{role}: {method} {filled}: {reply:?}");
                if rank(role) <= rank(&needed) {
                    // 409: the workbook is claimed, or the person has no account. 426: the socket needs an
                    // upgrade.
                    assert!(reply.status < 300 || [409, 426].contains(&reply.status), "{what}");
                } else if path.ends_with("/socket") {
                    assert_eq!(reply.status, 426, "{what}");
                } else if role != "everybody" {
                    assert_eq!((reply.status, reply.code().as_str()), (403, "forbidden"), "{what}");
                } else if path.ends_with("/window") {
                    assert_eq!(reply.status, 204, "{what}");
                } else {
                    assert_eq!((reply.status, reply.code().as_str()), (404, "no_such_room"), "{what}");
                }
                unchanged = Some(workbook).filter(|_| method == "get" || rank(role) > rank(&needed));
            }
        }
    }
    assert!(count >= 2 * 40, "{count}");
}

#[test]
fn ethercalcs_routes_check_roles() {
    let server = Server::start();
    check_ethercalcs_roles(&server, &server);
}

/// Makes a workbook at one server and asks the other one for it by EtherCalc's routes.
pub fn check_ethercalcs_roles(made_at: &Server, server: &Server) {
    let workbook = Restricted::new(made_at, "plan");
    let csv = |credential: &str, method: &str, path: &str, body: &str| {
        let authorization = bearer(credential);
        let headers = [authorization.as_header(), ("content-type", "text/csv")];
        let headers = if credential.is_empty() { &headers[1..] } else { &headers[..] };
        server.send(method, path, headers, body.as_bytes()).status
    };
    let snapshot = r#"{"room":"plan","snapshot":"a,b"}"#;
    for (credential, read, write, delete) in [
        ("", 404, 404, 404),
        (workbook.view.as_str(), 200, 403, 403),
        (&workbook.edit, 200, 201, 403),
        (&workbook.owner_key, 200, 201, 201),
    ] {
        for path in ["/_/plan", "/_/plan/csv", "/_/plan/cells", "/_/plan/cells/A1", "/plan.csv"] {
            assert_eq!(csv(credential, "GET", path, ""), read, "{path} {credential}");
        }
        assert_eq!(csv(credential, "PUT", "/_/plan", "1"), write, "{credential}");
        let created = send(server, credential, "POST", "/_", snapshot);
        assert_eq!(created.status, write, "{credential} {created:?}");
        assert_eq!(csv(credential, "DELETE", "/_/plan", ""), delete, "{credential}");
    }
}
