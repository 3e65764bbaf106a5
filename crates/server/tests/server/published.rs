//! Published pages: whoever has the link sees the published cells as they are now, and nothing else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use quadrille_test_database::TestDatabase;
use serde_json::{Value as Json, json};

use crate::access::send;
use crate::person::Person;
use crate::several_servers::start;
use crate::support::{Reply, Server};

/// A workbook that only its owner can open.
struct Owned<'a> {
    server: &'a Server,
    room: String,
    key: String,
}

impl<'a> Owned<'a> {
    fn new(server: &'a Server, room: &str, csv: &str) -> Owned<'a> {
        let body = json!({ "name": room, "claim": true }).to_string();
        let made = server.post_json("/api/v1/rooms", &body);
        assert_eq!(made.status, 201, "{made:?}");
        let key = made.json()["ownerKey"].as_str().expect("a key").to_owned();
        let owned = Owned { server, room: room.to_owned(), key };
        assert_eq!(owned.api("PUT", "/access", r#"{"general":"restricted"}"#).status, 204);
        for (row, line) in csv.lines().enumerate() {
            owned.write(&format!("A{}", row + 1), line);
        }
        assert_eq!(server.get(&format!("/api/v1/rooms/{room}")).status, 404);
        owned
    }

    fn api(&self, method: &str, path: &str, body: &str) -> Reply {
        self.api_at(self.server, method, path, body)
    }

    fn api_at(&self, server: &Server, method: &str, path: &str, body: &str) -> Reply {
        send(server, &self.key, method, &format!("/api/v1/rooms/{}{path}", self.room), body)
    }

    /// Types a line of texts, from a cell on.
    fn write(&self, cell: &str, line: &str) {
        self.write_at(self.server, cell, line);
    }

    fn write_at(&self, server: &Server, cell: &str, line: &str) {
        let inputs: Vec<Json> = line.split(',').map(|text| json!({ "input": text })).collect();
        let (column, row) = cell.split_at(1);
        let last = (column.as_bytes()[0] + inputs.len() as u8 - 1) as char;
        let path = format!("/sheets/Sheet1/cells/{cell}:{last}{row}");
        let reply = self.api_at(server, "PUT", &path, &json!({ "cells": [inputs] }).to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
    }

    fn command(&self, command: Json) {
        let reply = self.api("POST", "/commands", &json!({ "commands": [command] }).to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
    }

    fn publish(&self, body: Json) -> Json {
        let reply = self.api("POST", "/published", &body.to_string());
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json()
    }
}

fn url(page: &Json) -> &str {
    page["url"].as_str().expect("a link")
}

fn version(page: &str) -> &str {
    page.split("data-version=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a version")
}

/// Returns the contents of a cell of a page.
fn cell(page: &str, address: &str) -> String {
    let start =
        page.split(&format!("id=\"{address}\"")).nth(1).unwrap_or_else(|| panic!("{address} in {page}"));
    let content = start.split_once('>').expect("an element").1;
    content.split("</t").next().expect("an end").to_owned()
}

/// A reader of a page's events.
struct Reader {
    stream: BufReader<TcpStream>,
}

impl Reader {
    fn open(server: &Server, url: &str, version: &str) -> Reader {
        let mut stream = server.connect();
        // HTTP/1.0: the body is not chunked and ends with the connection.
        let request = format!("GET {url}/events?version={version} HTTP/1.0\r\nhost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("open");
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).expect("readable") > 0, "{head}");
        }
        assert!(head.contains(" 200 ") && head.contains("text/event-stream"), "{head}");
        Reader { stream }
    }

    /// The next event: its name and its data; `None` at the end.
    fn next(&mut self) -> Option<(String, String)> {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).expect("readable") == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("event", text)) => text.clone_into(&mut name),
                Some(("data", text)) => text.clone_into(&mut data),
                _ if line.trim_end().is_empty() && !data.is_empty() => return Some((name, data)),
                _ => {}
            }
        }
    }

    /// Waits until a cell has this content.
    fn wait_for(&mut self, address: &str, expected: &str) {
        loop {
            let (name, data) = self.next().expect("an event");
            assert_eq!(name, "cells", "{data}");
            let update: Json = serde_json::from_str(&data).expect("JSON");
            let changed = update["cells"]
                .as_array()
                .expect("cells")
                .iter()
                .any(|cell| cell[0] == address && cell[3] == expected);
            if changed {
                return;
            }
        }
    }
}

#[test]
fn a_page_shows_formatted_values_of_a_private_workbook_to_everybody() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "Item,Price\nTea,1234.5\n,=B2*2");
    owned.command(json!({ "type": "format", "sheet": "Sheet1", "range": "B2:B3",
        "format": { "numberFormat": "#,##0.00", "bold": true } }));
    let published = owned.publish(json!({ "title": "Prices & <more>" }));
    assert_eq!((&published["kind"], &published["title"]), (&json!("workbook"), &json!("Prices & <more>")));
    let reply = server.get(url(&published));
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/html; charset=utf-8"));
    let page = reply.text();
    assert_eq!((cell(&page, "B2"), cell(&page, "B3")), ("1,234.50".to_owned(), "2,469.00".to_owned()));
    assert!(page.contains("<h1 dir=\"auto\">Prices &amp; &lt;more&gt;</h1>"), "{page}");
    assert!(page.contains("font-weight:bold"), "{page}");
    // Neither the name of the workbook nor its formulas.
    assert!(!page.contains("plan") && !page.contains("B2*2"), "{page}");
    let policy = reply.header("content-security-policy");
    assert!(policy.contains("frame-ancestors 'self'") && policy.contains("script-src 'self';"), "{policy}");
    let embedded = server.get(&format!("{}?embed", url(&published)));
    assert!(embedded.header("content-security-policy").contains("frame-ancestors *"));
    assert!(embedded.text().contains("class=\"embedded\""));
    let german = server.send("GET", url(&published), &[("accept-language", "de")], b"");
    assert!(german.text().contains("<html lang=\"de\" dir=\"ltr\""), "{}", german.text());
    let packed = server.send("GET", url(&published), &[("accept-encoding", "gzip")], b"");
    assert_eq!(packed.header("content-encoding"), "gzip");
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_string(&mut unpacked).expect("a gzip stream");
    assert_eq!(unpacked, page);
    // Unchanged pages are not sent again.
    let known = server.send("GET", url(&published), &[("if-none-match", reply.header("etag"))], b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    owned.write("B2", "5");
    let changed = || server.send("GET", url(&published), &[("if-none-match", reply.header("etag"))], b"");
    let began = std::time::Instant::now();
    while changed().status == 304 {
        assert!(began.elapsed() < crate::support::TIMEOUT, "the change does not appear");
    }
    assert_eq!(cell(&changed().text(), "B3"), "10.00");
}

#[test]
fn only_owners_publish_and_only_published_cells_leave() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "Name,Salary,Team\nAda,90000,Red\nBob,80000,Blue");
    owned.command(json!({ "type": "addSheet", "name": "Secret" }));
    owned.command(json!({ "type": "setItem", "sheet": "Sheet1", "kind": "note", "anchors": ["A2"],
        "fields": { "text": "a private remark", "author": "Zoe" } }));
    let page = owned.publish(json!({ "sheet": "Sheet1", "range": "A1:A3", "title": "People" }));
    assert_eq!(page["kind"], "name");
    assert_eq!(page["range"], "Sheet1!$A$1:$A$3");
    let html = server.get(url(&page)).text();
    assert_eq!((cell(&html, "A2"), cell(&html, "A3")), ("Ada".to_owned(), "Bob".to_owned()));
    for secret in ["Salary", "90000", "Red", "Secret", "private remark", "Zoe", "Sheet1!"] {
        assert!(!html.contains(secret), "{secret}");
    }
    // The range follows its cells: what moves into its rows is not shown.
    owned.command(json!({ "type": "insertRows", "sheet": "Sheet1", "at": 0, "count": 1 }));
    owned.write("A1", "top secret");
    let began = std::time::Instant::now();
    while !server.get(url(&page)).text().contains("id=\"A4\"") {
        assert!(began.elapsed() < crate::support::TIMEOUT, "the rows have not moved");
    }
    assert!(!server.get(url(&page)).text().contains("top secret"));
    let list = owned.api("GET", "/published", "").json();
    assert_eq!(list["pages"][0]["range"], "Sheet1!$A$2:$A$4");
    let everybody = server.get(&format!("/api/v1/rooms/{}/published", owned.room));
    assert_eq!(everybody.status, 404);
    let link = owned.api("POST", "/access/links", r#"{"role":"edit"}"#).json();
    let editor = link["link"].as_str().expect("a link");
    let refused = send(&server, editor, "POST", "/api/v1/rooms/plan/published", "{}");
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"));
    for (body, code) in [
        (r#"{"sheet":"Nowhere"}"#, "no_such_sheet"),
        (r#"{"sheet":"Sheet1","range":"?"}"#, "bad_address"),
        (r#"{"name":"Nothing"}"#, "not_found"),
        (r#"{"range":"A1"}"#, "bad_request"),
        (r#"{"name":"Published_1","sheet":"Sheet1"}"#, "bad_request"),
    ] {
        assert_eq!(owned.api("POST", "/published", body).code(), code, "{body}");
    }
}

#[test]
fn texts_links_and_html_of_cells_are_escaped() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "<script>alert(1)</script>,\"><img src=x onerror=alert(1)>");
    owned.write("A2", "here");
    owned.command(json!({ "type": "setItem", "sheet": "Sheet1", "kind": "link", "anchors": ["A2"],
        "fields": { "url": "https://example.org/?a=1&b=\"2\"" } }));
    let page = owned.publish(json!({ "title": "</title><script>alert(2)</script>" }));
    let html = server.get(url(&page)).text();
    assert_eq!(html.matches("<script").count(), 1, "only the page's own: {html}");
    assert!(!html.contains("<img"), "{html}");
    assert_eq!(cell(&html, "A1"), "&lt;script&gt;alert(1)&lt;/script&gt;");
    assert!(
        html.contains("<a href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\" target=\"_blank\""),
        "{html}"
    );
}

#[test]
fn changes_arrive_at_all_readers_from_one_drawing() {
    let data = tempfile::tempdir().expect("a directory");
    let server = Server::start_on(data.path(), &["--metrics", "true"]);
    let owned = Owned::new(&server, "plan", "1,=A1*10");
    let page = owned.publish(json!({}));
    let html = server.get(url(&page)).text();
    let mut readers: Vec<Reader> =
        (0..40).map(|_| Reader::open(&server, url(&page), version(&html))).collect();
    let drawings = || server.metric("quadrille_published_drawings_total").expect("a metric");
    let before = drawings();
    owned.write("A1", "7");
    for reader in &mut readers {
        reader.wait_for("B1", "70");
    }
    assert!(drawings() - before <= 2.0, "{} drawings", drawings() - before);
    assert_eq!(server.metric("quadrille_published_readers"), Some(40.0));
    // A reader that comes back has missed a change, and gets it.
    drop(readers.pop());
    owned.write("A1", "8");
    readers[0].wait_for("B1", "80");
    Reader::open(&server, url(&page), version(&html)).wait_for("B1", "80");
    // One that shows something else loads the page again; so does everybody when rows are added.
    let mut stranger = Reader::open(&server, url(&page), "0123456789");
    assert_eq!(stranger.next().expect("an event").0, "load");
    owned.write("A2", "x");
    assert_eq!(readers[1].next().map(|(name, _)| name), Some("cells".to_owned()), "the second change");
    assert_eq!(readers[1].next().map(|(name, _)| name), Some("load".to_owned()));
}

#[test]
fn a_stopped_page_is_gone_for_new_and_present_readers() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "1");
    let [first, second] = [owned.publish(json!({})), owned.publish(json!({}))];
    assert_ne!(url(&first), url(&second));
    let html = server.get(url(&first)).text();
    let mut reader = Reader::open(&server, url(&first), version(&html));
    let stop = || owned.api("DELETE", &format!("/published/{}", first["id"].as_str().expect("an id")), "");
    assert_eq!(stop().status, 204);
    assert_eq!(reader.next().expect("an event").0, "stop");
    assert_eq!(reader.next(), None);
    let gone = server.get(url(&first));
    assert_eq!(gone.status, 404);
    assert!(gone.text().contains("This page does not exist."), "{}", gone.text());
    assert_eq!(stop().code(), "not_found");
    assert_eq!(server.get(url(&second)).status, 200);
    // The audit log names both events, without the link.
    let log = owned.api("GET", "/access/audit", "").text();
    assert!(log.contains("publication_created") && log.contains("publication_stopped"), "{log}");
    assert!(!log.contains(url(&first).rsplit('/').next().expect("a link")), "{log}");
    // In the trash, and when it is deleted, the workbook publishes nothing; restored it does again.
    assert_eq!(owned.api("POST", "/access/trash", "").status, 204);
    assert_eq!(server.get(url(&second)).status, 404);
    assert_eq!(owned.api("DELETE", "/access/trash", "").status, 204);
    assert_eq!(server.get(url(&second)).status, 200);
    assert_eq!(owned.api("DELETE", "", "").status, 204);
    assert_eq!(server.get(url(&second)).status, 404);
    for forged in ["/_published/x", "/_published/AAAA/events", "/_published/"] {
        assert_eq!(server.get(forged).status, 404, "{forged}");
    }
}

#[test]
fn sheets_merges_frozen_rows_and_conditional_formats_are_shown() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "Head,Second,Third\n1,2,3\n4,5,6");
    owned.command(json!({ "type": "freezePanes", "sheet": "Sheet1", "rows": 1, "columns": 1 }));
    owned.command(
        json!({ "type": "setItem", "sheet": "Sheet1", "kind": "merge", "anchors": ["B2:C3"], "fields": {} }),
    );
    owned.command(
        json!({ "type": "setItem", "sheet": "Sheet1", "kind": "conditionalRule", "anchors": ["A2:A3"],
        "fields": { "rule": "cell", "operator": "greater", "formula1": "=3",
            "format": { "fillColor": "#ffcc00" } } }),
    );
    owned.command(json!({ "type": "addSheet", "name": "Second & last" }));
    let page = owned.publish(json!({}));
    let html = server.get(url(&page)).text();
    assert!(html.contains("<th id=\"A1\" data-top=\"0\" data-side=\"0\""), "{html}");
    assert!(html.contains("<td id=\"B2\" rowspan=\"2\" colspan=\"2\""), "{html}");
    assert!(!html.contains("id=\"C3\""), "{html}");
    let style = |address: &str| {
        html.split(&format!("id=\"{address}\""))
            .nth(1)
            .and_then(|rest| rest.split('>').next())
            .expect("a cell")
    };
    assert!(style("A3").contains("background:#ffcc00"), "{}", style("A3"));
    assert!(!style("A2").contains("background"), "{}", style("A2"));
    let tab = html.split("<a href=\"?sheet=").nth(2).expect("a second tab");
    let (number, rest) = tab.split_once('"').expect("a number");
    assert!(rest.contains("Second &amp; last"), "{rest}");
    let second = server.get(&format!("{}?sheet={number}", url(&page))).text();
    assert!(!second.contains("Head") && second.contains("aria-label=\"Second &amp; last\""), "{second}");
}

#[test]
fn images_of_published_cells_are_shown_and_no_others() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "1");
    owned.command(json!({ "type": "addSheet", "name": "Hidden part" }));
    let put = |sheet: &str, bytes: &[u8]| {
        let bearer = format!("Bearer {}", owned.key);
        let headers = [("authorization", bearer.as_str()), ("content-type", "image/gif")];
        let image = server.send("POST", "/api/v1/rooms/plan/images", &headers, bytes).json();
        let image = image["image"].as_str().expect("a name").to_owned();
        owned.command(json!({ "type": "setItem", "sheet": sheet, "kind": "image", "anchors": ["A1"],
            "fields": { "source": image, "width": 40, "height": 30, "altText": "A \"pear\"" } }));
        image
    };
    let (shown, hidden) = (put("Sheet1", b"GIF89a-1"), put("Hidden part", b"GIF89a-2"));
    let page = owned.publish(json!({ "sheet": "Sheet1" }));
    let html = server.get(url(&page)).text();
    let address = format!("?sheet=1&image={shown}");
    let image =
        format!("<img class=\"over\" src=\"{}\" alt=\"A &quot;pear&quot;\"", address.replace('&', "&amp;"));
    assert!(html.contains(&image), "{html}");
    let reply = server.get(&format!("{}{address}", url(&page)));
    assert_eq!((reply.status, reply.body.as_slice()), (200, &b"GIF89a-1"[..]));
    assert_eq!(server.get(&format!("{}?image={hidden}", url(&page))).status, 404);
}

/// The charts of a page with their titles, in the order of these.
fn charts(page: &str) -> Vec<(String, Json)> {
    let block = page.split("id=\"charts\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let list: Json = serde_json::from_str(block.unwrap_or("[]")).expect("JSON");
    let titled =
        |pair: &Json| (pair[1]["fields"]["title"].as_str().unwrap_or("").to_owned(), pair[1].clone());
    let mut charts: Vec<_> = list.as_array().expect("a list").iter().map(titled).collect();
    charts.sort_by(|(one, _), (other, _)| one.cmp(other));
    charts
}

#[test]
fn charts_are_sent_with_the_values_of_their_series_and_without_formulas() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "Month,Sales\nMay,30\nJune,45");
    owned.command(json!({ "type": "addSheet", "name": "Backstage" }));
    let chart = |cell: &str, kind: &str, title: &str, values: &str| {
        let series = json!([{ "name": "=Sheet1!$B$1", "categories": "=$A$2:$A$3", "values": values, "color": "#aa3300" }]);
        owned.command(json!({ "type": "setItem", "sheet": "Sheet1", "kind": "chart", "anchors": [cell],
            "fields": { "type": kind, "title": title, "series": series, "offsetX": 5, "offsetY": 7,
                "width": 200, "height": 88 } }));
    };
    chart("D2", "column", "</script><script>alert(1)</script>", "=$B$2:$B$3");
    chart("A2", "pie", "Elsewhere", "=Backstage!$A$1:$A$2");
    let page = owned.publish(json!({ "sheet": "Sheet1" }));
    let html = server.get(url(&page)).text();
    assert_eq!(html.matches("<script").count(), 2, "the script and the data of charts: {html}");
    let all = charts(&html);
    let titles: Vec<&str> = all.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["</script><script>alert(1)</script>", "Elsewhere"]);
    let first = &all[0].1;
    let place = ["row", "x", "y", "width", "height"].map(|name| first[name].as_f64().expect("a number"));
    assert_eq!(place, [1.0, 3.0 * 96.0 + 5.0, 7.0, 200.0, 88.0]);
    assert_eq!(first["fields"]["series"], json!([{ "color": "#aa3300" }]));
    assert_eq!(first["series"][0]["name"], "Sales");
    assert_eq!(first["series"][0]["categories"], json!(["May", "June"]));
    assert_eq!(first["series"][0]["values"], json!([30.0, 45.0]));
    assert_eq!(first["series"][0]["texts"], json!(["30", "45"]));
    assert!(!html.contains("Backstage") && !html.contains("$B$"), "{html}");
    // The table goes on below the end of the chart: 22 pixels a row, 96 a column.
    assert!(
        html.contains("id=\"F6\"") && !html.contains("id=\"G1\"") && !html.contains("id=\"A7\""),
        "{html}"
    );
    // Changes of the values arrive as those of cells do; a chart that is gone has none.
    let mut reader = Reader::open(&server, url(&page), version(&html));
    let mut next = || {
        let (name, data) = reader.next().expect("an event");
        assert_eq!(name, "cells", "{data}");
        serde_json::from_str::<Json>(&data).expect("JSON")
    };
    owned.write("B3", "46");
    let update = next();
    assert_eq!(update["charts"].as_array().map(Vec::len), Some(1), "only the chart that changes: {update}");
    assert_eq!(update["charts"][0][1]["series"][0]["values"], json!([30.0, 46.0]));
    let items = owned.api("GET", "/sheets/Sheet1/items?kind=chart", "").json();
    let id =
        items["items"].as_array().expect("items").iter().find(|item| item["fields"]["title"] == "Elsewhere");
    let id = id.expect("the chart")["id"].clone();
    let removed = owned.api("DELETE", &format!("/sheets/Sheet1/items/{id}"), "");
    assert!((200..300).contains(&removed.status), "{removed:?}");
    assert_eq!(next()["charts"], json!([[id.to_string(), null]]));
}

#[test]
fn a_chart_sheet_is_published_without_its_cells() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "secret,2\n3,4");
    owned.command(json!({ "type": "addSheet", "name": "Data" }));
    let input = json!({ "cells": [[{ "input": "30" }, { "input": "45" }]] }).to_string();
    assert_eq!(owned.api("PUT", "/sheets/Data/cells/A1:B1", &input).status, 200);
    owned.command(json!({ "type": "setItem", "sheet": "Sheet1", "kind": "chart", "anchors": ["D2"],
        "fields": { "ownSheet": true, "title": "Units", "series": [{ "values": "=Data!$A$1:$B$1" }] } }));
    owned.command(json!({ "type": "setItem", "sheet": "Sheet1", "kind": "chart", "anchors": ["A1"],
        "fields": { "title": "Below", "series": [{ "values": "=Data!$A$1:$B$1" }] } }));
    let page = owned.publish(json!({ "sheet": "Sheet1" }));
    let html = server.get(url(&page)).text();
    let all = charts(&html);
    assert_eq!(all.iter().map(|(title, _)| title.as_str()).collect::<Vec<_>>(), ["Units"]);
    assert_eq!(all[0].1["fields"]["ownSheet"], true);
    assert_eq!(all[0].1["series"][0]["values"], json!([30.0, 45.0]));
    assert!(!html.contains("secret") && !html.contains("<td"), "{html}");
    // Cells that are published as such are shown.
    let range = owned.publish(json!({ "sheet": "Sheet1", "range": "A1:B2" }));
    assert_eq!(cell(&server.get(url(&range)).text(), "A1"), "secret");
}

#[test]
fn charts_of_other_cells_and_charts_with_too_much_data_are_left_out() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "1,2\n3,4");
    let chart = |cell: &str, series: Json| {
        owned.command(json!({ "type": "setItem", "sheet": "Sheet1", "kind": "chart", "anchors": [cell],
            "fields": { "type": "line", "series": [series] } }));
    };
    chart("B2", json!({ "values": "=$A$1:$A$2" }));
    let range = owned.publish(json!({ "sheet": "Sheet1", "range": "A1:A2" }));
    let html = server.get(url(&range)).text();
    assert_eq!(charts(&html), []);
    assert!(!html.contains("data-charts") && !html.contains("class=\"note\""), "{html}");
    // 20,000 categories of 100 characters are more than 1 MiB.
    owned.command(json!({ "type": "addSheet", "name": "Data" }));
    let input = json!({ "cells": [[{ "input": "=REPT(\"x\",95)&SEQUENCE(20000)" }]] }).to_string();
    assert_eq!(owned.api("PUT", "/sheets/Data/cells/A1", &input).status, 200);
    let sheet = owned.publish(json!({ "sheet": "Sheet1" }));
    assert_eq!(charts(&server.get(url(&sheet)).text()).len(), 1);
    chart("A1", json!({ "values": "=$A$1:$A$2", "categories": "=Data!$A$1:$A$20000" }));
    let note = "Some charts are not shown because they have too much data.";
    let began = std::time::Instant::now();
    loop {
        let html = server.get(url(&sheet)).text();
        assert_eq!(charts(&html).len(), 1, "the small one");
        if html.contains(note) {
            break;
        }
        assert!(began.elapsed() < crate::support::TIMEOUT, "the change does not appear");
    }
}

#[test]
fn parts_of_texts_are_published_with_their_fonts() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "due <today>");
    let runs = json!([{ "text": "due ", "format": {} },
        { "text": "<today>", "format": { "bold": true, "textColor": "#ff8800" } }]);
    owned.command(
        json!({ "type": "format", "sheet": "Sheet1", "range": "A1", "format": { "textRuns": runs } }),
    );
    let page = owned.publish(json!({ "sheet": "Sheet1" }));
    let shown =
        "due <span style=\"font-weight:bold;color:light-dark(#ff8800,#ff8800);\">&lt;today&gt;</span>";
    let html = server.get(url(&page)).text();
    assert!(html.contains(shown), "{html}");
    // The fonts belong to this text.
    let mut reader = Reader::open(&server, url(&page), version(&html));
    owned.write("A1", "done");
    reader.wait_for("A1", "done");
}

#[test]
fn a_copy_of_a_published_workbook_is_not_published() {
    let server = Server::start();
    let owned = Owned::new(&server, "plan", "1");
    owned.publish(json!({}));
    let copy = send(&server, &owned.key, "POST", "/api/v1/rooms", r#"{"copyOf":"plan","claim":true}"#);
    assert_eq!(copy.status, 201, "{copy:?}");
    let (room, key) = (copy.json()["room"].clone(), copy.json()["ownerKey"].clone());
    let path = format!("/api/v1/rooms/{}/published", room.as_str().expect("a name"));
    let list = send(&server, key.as_str().expect("a key"), "GET", &path, "");
    assert_eq!(list.json(), json!({ "pages": [] }));
}

#[test]
fn a_page_is_the_same_at_every_server() {
    let database = TestDatabase::shared();
    let storage = database.create();
    let data = std::env::temp_dir();
    let second = Server::start_on(&data, &["--storage", &storage, "--metrics", "true"]);
    let first = start(&storage);
    let owned = Owned::new(&first, "plan", "1,=A1*10");
    // It stays with its server.
    let _ada = Person::join_with(&first, "plan", "Ada", &format!("bearer.{}", owned.key));
    let page = owned.publish(json!({}));
    let [here, there] = [&first, &second].map(|server| server.get(url(&page)));
    assert_eq!(here.status, 200);
    assert_eq!((here.text(), here.header("etag")), (there.text(), there.header("etag")));
    let relayed = || second.metric("quadrille_relayed_requests_total").expect("a metric");
    let before = relayed();
    let servers = [&first].into_iter().chain([&second; 50]);
    let mut readers: Vec<Reader> =
        servers.map(|server| Reader::open(server, url(&page), version(&here.text()))).collect();
    assert_eq!(second.metric("quadrille_published_readers"), Some(50.0));
    assert!(relayed() - before < 10.0, "they share the requests of their server");
    owned.write_at(&second, "A1", "5");
    for reader in &mut readers {
        reader.wait_for("B1", "50");
    }
    // Stopped at one server, it is gone at both.
    let id = page["id"].as_str().expect("an id");
    assert_eq!(owned.api_at(&second, "DELETE", &format!("/published/{id}"), "").status, 204);
    for reader in &mut readers {
        assert_eq!(reader.next().expect("an event").0, "stop");
    }
    assert_eq!([&first, &second].map(|server| server.get(url(&page)).status), [404, 404]);
}
