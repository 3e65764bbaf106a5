//! Requests of `/api/v1` and the pages.

use serde_json::json;

use crate::support::Server;

#[test]
fn a_new_room_gets_a_random_or_the_requested_name() {
    let server = Server::start();
    let made = server.send("POST", "/api/v1/rooms", &[], b"");
    assert_eq!(made.status, 201);
    let name = made.json()["room"].as_str().expect("a name").to_owned();
    assert_eq!(name.len(), 26);
    assert_eq!(made.header("location"), format!("/api/v1/rooms/{name}"));
    assert_eq!(server.get(&format!("/api/v1/rooms/{name}")).json()["revision"], 1);

    assert_eq!(server.post_json("/api/v1/rooms", "{\"name\":\"Übersicht\"}").status, 201);
    let taken = server.post_json("/api/v1/rooms", "{\"name\":\"Übersicht\"}");
    assert_eq!((taken.status, taken.code().as_str()), (409, "room_exists"));

    let redirect = server.get("/_new");
    assert_eq!((redirect.status, redirect.header("location").len()), (302, 13));
}

#[test]
fn cells_are_read_with_value_text_formula_and_format() {
    let server = Server::start();
    server.make_room("r", "name,amount\nA,0.5\nB,=B2*3\n,=1/0\n");
    let format = "{\"format\":{\"numberFormat\":\"0%\",\"bold\":true}}";
    assert_eq!(server.put_json("/api/v1/rooms/r/sheets/Sheet1/cells/B2", format).status, 200);
    let cells = server.get("/api/v1/rooms/r/sheets/sheet1/cells/A2:B4").json();
    assert_eq!(
        cells["cells"],
        json!([
            [
                {"value": "A", "text": "A"},
                {"value": 0.5, "text": "50%", "format": {"numberFormat": "0%", "bold": true}}
            ],
            [{"value": "B", "text": "B"}, {"value": 1.5, "text": "1.5", "formula": "=B2*3"}],
            [{"value": null, "text": ""}, {"value": {"error": "#DIV/0!"}, "text": "#DIV/0!", "formula": "=1/0"}],
        ])
    );
    assert_eq!(cells["revision"], 2);
    let one = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/B3");
    assert_eq!(one.json()["cell"]["value"], 1.5);
    assert_eq!(one.header("etag"), "\"2\"");
    let column = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/A:A").json();
    assert_eq!(
        (column["range"].as_str(), column["cells"].as_array().map(Vec::len)),
        (Some("A1:A4"), Some(4))
    );
}

#[test]
fn cells_are_written_in_every_documented_way() {
    let server = Server::start();
    server.make_room("r", "x\n");
    let write = |range: &str, body: &str| {
        let reply = server.put_json(&format!("/api/v1/rooms/r/sheets/Sheet1/cells/{range}"), body);
        assert_eq!(reply.status, 200, "{range} {body}: {reply:?}");
    };
    for (range, body, csv) in [
        ("A1", "5", "5\n"),
        ("A1", "{\"value\":\"=text\"}", "=text\n"),
        ("A1", "{\"input\":\"12%\"}", "12%\n"),
        ("A1:B1", "{\"cells\":[[2,{\"formula\":\"=A1+1\"}]]}", "2,3\n"),
        ("A1:B1", "{\"cells\":[[{},null]]}", "2\n"),
        ("A1:B2", "{\"input\":\"=ROW()\"}", "1,1\n2,2\n"),
        ("A1:B2", "null", ""),
        ("A1", "{\"error\":\"#N/A\"}", "#N/A\n"),
        ("A1", "true", "TRUE\n"),
        ("A1", "{\"input\":\"'007\"}", "007\n"),
    ] {
        write("A1:B2", "{\"format\":{\"numberFormat\":null}}");
        write(range, body);
        let shown = server.csv("r");
        assert_eq!(shown.trim_end_matches(['\n', ',']), csv.trim_end_matches('\n'), "{range} {body}");
    }
    // A cell that was read can be written back.
    write("A1:B1", "{\"cells\":[[1,{\"formula\":\"=A1*2\",\"format\":{\"textColor\":\"#1f6f5c\"}}]]}");
    let cells = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/A1:B1").json()["cells"].clone();
    write("A1:B1", &json!({ "cells": cells }).to_string());
    assert_eq!(server.get("/api/v1/rooms/r/sheets/Sheet1/cells/A1:B1").json()["cells"], cells);
}

#[test]
fn rows_are_appended_below_the_last() {
    let server = Server::start();
    server.make_room("r", "a,b\n1,2\n");
    let rows = "/api/v1/rooms/r/sheets/Sheet1/rows";
    let reply = server.post_json(rows, "{\"rows\":[[3,{\"formula\":\"=A3*2\"}],[\"x\"]]}");
    assert_eq!((reply.status, reply.json()["range"].as_str()), (201, Some("A3:B4")));
    assert_eq!(server.csv("r"), "a,b\n1,2\n3,6\nx,\n");
    // Plain texts are texts, unless they are entered as a person would.
    let typed = "{\"rows\":[[\"=A2*2\",\"12%\"]]}";
    assert_eq!(server.post_json(rows, typed).status, 201);
    assert_eq!(server.post_json(&format!("{rows}?valueInputOption=USER_ENTERED"), typed).status, 201);
    assert!(server.csv("r").ends_with("=A2*2,12%\n2,12%\n"), "{}", server.csv("r"));
    let cells = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/A5:B6").json()["cells"].clone();
    assert_eq!((&cells[0][0]["value"], &cells[0][0]["formula"]), (&"=A2*2".into(), &json!(null)), "{cells}");
    assert_eq!((&cells[1][0]["formula"], &cells[1][1]["value"]), (&"=A2*2".into(), &0.12.into()), "{cells}");
    let wrong = server.post_json(&format!("{rows}?valueInputOption=typed"), typed);
    assert_eq!((wrong.status, wrong.code().as_str()), (400, "bad_query"), "{wrong:?}");
    let cell = "/api/v1/rooms/r/sheets/Sheet1/cells/D1?valueInputOption=USER_ENTERED";
    assert_eq!(server.put_json(cell, "{\"cells\":[[\"=A2+1\"]]}").status, 200);
    assert_eq!(server.get("/api/v1/rooms/r/sheets/Sheet1/cells/D1").json()["cell"]["value"], 2);
    for (typed, stored) in [("+A2*3", "3"), ("-A2", "-1"), ("- item", "- item"), ("+49-30-12", "+49-30-12")] {
        assert_eq!(server.put_json(cell, &json!({"cells": [[typed]]}).to_string()).status, 200);
        let cell = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/D1").json()["cell"].clone();
        assert_eq!((typed, cell["text"].as_str()), (typed, Some(stored)), "{cell}");
    }
    assert_eq!(server.put_json("/api/v1/rooms/r/sheets/Sheet1/cells/D1", "null").status, 200);
    // Concurrent writers get separate rows.
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for number in 0..10 {
                    let body = format!("{{\"rows\":[[{}]]}}", writer * 10 + number);
                    assert_eq!(server.post_json(rows, &body).status, 201);
                }
            });
        }
    });
    let csv = server.csv("r");
    let mut numbers: Vec<i32> =
        csv.lines().skip(6).map(|line| line.trim_end_matches(',').parse().expect("a number")).collect();
    numbers.sort();
    assert_eq!(numbers, (0..40).collect::<Vec<_>>());
}

/// As Google's USER_ENTERED does; a `formula` is stored as given, and a format of the cell wins.
#[test]
fn typed_formulas_get_the_format_of_their_operands() {
    let server = Server::start();
    server.make_room("r", "x\n");
    let cells = |range: &str| format!("/api/v1/rooms/r/sheets/Sheet1/cells/{range}");
    let typed = |range: &str, body: &str| {
        assert_eq!(
            server.put_json(&format!("{}?valueInputOption=USER_ENTERED", cells(range)), body).status,
            200
        );
    };
    let format = |cell: &str| {
        server.get(&cells(cell)).json()["cell"]["format"]["numberFormat"].as_str().unwrap_or("-").to_owned()
    };
    let text =
        |cell: &str| server.get(&cells(cell)).json()["cell"]["text"].as_str().unwrap_or("-").to_owned();
    // Operands of the same request, above and below; a total of totals.
    typed(
        "A1:C3",
        r#"{"cells":[["$2.50","=A1*2","=SUM(B1:B3)"],["12%","=A2","=A3+1"],["2026-11-27","=A3-A1",7]]}"#,
    );
    assert_eq!((text("B1").as_str(), text("B2").as_str()), ("$5.00", "12%"));
    assert_eq!((format("C1"), format("C3").as_str()), (format("B1"), "-"));
    assert_eq!(format("C2"), format("A3"));
    // Operands that are there already; one formula for a range; an `input`.
    typed("D1:D2", r#""=$A$1*3""#);
    assert_eq!((text("D1").as_str(), text("D2").as_str()), ("$7.50", "$7.50"));
    assert_eq!(server.put_json(&cells("E1"), r#"{"input":"=A2"}"#).status, 200);
    assert_eq!(text("E1"), "12%");
    // Stored as given.
    assert_eq!(server.put_json(&cells("E2"), r#"{"formula":"=A2"}"#).status, 200);
    assert_eq!((text("E2").as_str(), format("E2").as_str()), ("0.12", "-"));
    // A format of the cell wins, whether it was there or is given with the formula.
    assert_eq!(server.put_json(&cells("F1:F2"), r#"{"format":{"numberFormat":"0.0"}}"#).status, 200);
    typed("F1", r#""=A1""#);
    typed("F2", r#"{"input":"=A1","format":{"numberFormat":"0.000"}}"#);
    assert_eq!((text("F1").as_str(), text("F2").as_str()), ("2.5", "2.500"));
    // Appended rows.
    let rows = "/api/v1/rooms/r/sheets/Sheet1/rows?valueInputOption=USER_ENTERED";
    assert_eq!(server.post_json(rows, r#"{"rows":[["$4","=A4/2"]]}"#).status, 201);
    assert_eq!(format("B4"), format("A4"));
}

/// As Excel and Google Sheets write it; EtherCalc's own address has EtherCalc's 1 and 0.
#[test]
fn csv_has_checkboxes_as_true_and_false() {
    let server = Server::start();
    server.make_room("r", "done\n");
    let commands = json!({ "commands": [
        { "type": "setItem", "sheet": "Sheet1", "kind": "validation", "anchors": ["A2:A3"],
          "fields": { "rule": "checkbox" } },
        { "type": "typeText", "sheet": "Sheet1", "cell": "A2", "text": "FALSE" },
        { "type": "typeText", "sheet": "Sheet1", "cell": "A3", "text": "TRUE" },
    ]});
    assert_eq!(server.post_json("/api/v1/rooms/r/commands", &commands.to_string()).status, 200);
    for format in ["csv", "csv&raw", "tsv"] {
        let file = server.get(&format!("/api/v1/rooms/r?format={format}")).text();
        assert_eq!(file, "done\nFALSE\nTRUE\n", "{format}");
    }
    assert_eq!(server.get("/r.csv").text(), "done\n0\n1\n");
}

#[test]
fn a_write_for_another_revision_is_refused() {
    let server = Server::start();
    server.make_room("r", "1\n");
    let cell = "/api/v1/rooms/r/sheets/Sheet1/cells/A1";
    let write = |revision: &str| {
        let headers = [("if-match", revision), ("content-type", "application/json")];
        server.send("PUT", cell, &headers, b"2").status
    };
    assert_eq!([write("\"1\""), write("\"1\""), write("\"2\""), write("*")], [200, 412, 200, 200]);
    let replace = [("if-match", "\"1\""), ("content-type", "text/csv")];
    let refused = server.send("PUT", "/api/v1/rooms/r", &replace, b"3");
    assert_eq!((refused.status, refused.code().as_str()), (412, "revision_mismatch"));
}

/// A name that Excel rejects is left out of the file and named in a header.
#[test]
fn an_export_names_what_the_file_leaves_out() {
    let server = Server::start();
    let workbook = json!({ "names": { "\\q": "=1", "rate": "=2" }, "sheets": [{ "name": "Sheet1", "cells": { "A1": 1 } }] });
    assert_eq!(
        server.put("/api/v1/rooms/r", "application/json", workbook.to_string().as_bytes()).status,
        201
    );
    let warnings = |format: &str| {
        let file = server.get(&format!("/api/v1/rooms/r?format={format}"));
        assert_eq!(file.status, 200, "{format}");
        file.header("quadrille-warnings").to_owned()
    };
    assert_eq!(warnings("xlsx"), "left out: names that the format cannot express: \\q");
    assert_eq!(warnings("ods"), "left out: names that the format cannot express: \\q");
    assert_eq!(warnings("json"), "");
}

#[test]
fn losses_are_named_before_an_export() {
    let server = Server::start();
    let workbook = json!({ "sheets": [
        { "name": "Sheet1", "cells": { "A1": 1.25, "A2": { "formula": "=A1*2" } },
          "items": [{ "id": 1, "kind": "note", "anchors": ["B2"], "fields": { "text": "twice" } }] },
        { "name": "Plan", "cells": { "A1": 2 } },
    ] });
    let put = server.put("/api/v1/rooms/r", "application/json", workbook.to_string().as_bytes());
    assert_eq!(put.status, 201);
    let report = |query: &str| server.get(&format!("/api/v1/rooms/r/losses?{query}"));
    assert_eq!(
        report("format=csv").json(),
        json!({ "room": "r", "revision": 1, "isCutShort": false, "losses": [
            { "kind": "otherSheets", "text": "other sheets: Plan", "sheet": null, "count": 1,
              "places": [{ "ranges": [], "name": "Plan" }] },
            { "kind": "formulas", "text": "formulas, of which the file has the results: 'Sheet1'!A2",
              "sheet": "Sheet1", "count": 1, "places": [{ "ranges": ["A2"], "name": "" }] },
            { "kind": "notes", "text": "notes: 'Sheet1'!B2", "sheet": "Sheet1", "count": 1,
              "places": [{ "ranges": ["B2"], "name": "" }] },
        ] })
    );
    let kinds = |query: &str| {
        let losses = report(query).json()["losses"].clone();
        losses.as_array().expect("a list").iter().map(|loss| loss["kind"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("format=csv&sheet=Plan"), ["otherSheets"]);
    assert_eq!(kinds("format=xlsx"), [] as [&str; 0]);
    assert_eq!(kinds(""), [] as [&str; 0], "xlsx by default");
    for (query, status, code) in
        [("format=pdf", 400, "bad_query"), ("format=csv&sheet=None", 404, "no_such_sheet")]
    {
        let refused = report(query);
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{query}");
    }
    assert_eq!(server.get("/api/v1/rooms/none/losses?format=csv").status, 404);
}

#[test]
fn contents_are_exported_and_imported_in_every_format() {
    let server = Server::start();
    server.make_room("r", "name,amount\nA,1\nB,=B2+1\n");
    for (format, accept, starts) in [
        ("csv", "text/csv", "name,amount\nA,1\nB,2\n"),
        ("tsv", "text/tab-separated-values", "name\tamount\n"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "PK"),
        ("html", "text/html", "<"),
        ("md", "text/markdown", "|"),
        ("csv.json", "", "["),
        ("json", "", "{"),
    ] {
        let by_name = server.get(&format!("/api/v1/rooms/r?format={format}"));
        assert_eq!(by_name.status, 200, "{format}");
        assert!(String::from_utf8_lossy(&by_name.body).starts_with(starts), "{format}: {by_name:?}");
        if !accept.is_empty() {
            let by_accept = server.send("GET", "/api/v1/rooms/r", &[("accept", accept)], b"");
            let media_type = by_accept.header("content-type");
            assert!(media_type.starts_with(accept), "{format}: {media_type}");
        }
        if !matches!(format, "html" | "md") {
            let media_type = by_name.header("content-type").to_owned();
            let reply = server.put("/api/v1/rooms/copy", &media_type, &by_name.body);
            assert!(matches!(reply.status, 200 | 201), "{format}: {reply:?}");
            assert_eq!(server.csv("copy"), "name,amount\nA,1\nB,2\n", "{format}");
        }
    }
    assert_eq!(server.delete("/api/v1/rooms/copy").status, 204);
    assert_eq!(server.delete("/api/v1/rooms/copy").status, 404);
    assert_eq!(server.get("/api/v1/rooms/copy").code(), "no_such_room");
}

#[test]
fn old_excel_workbooks_are_imported_and_not_exported() {
    let xls = include_bytes!("../../../files/tests/fixtures/xlwt.xls");
    let xlsb = include_bytes!("../../../files/tests/fixtures/calamine-issues.xlsb");
    let password = include_bytes!("../../../files/tests/fixtures/calamine-password.xlsb");
    let server = Server::start();
    for (media_type, body, sheet) in [
        ("application/vnd.ms-excel", &xls[..], "Items"),
        ("application/vnd.ms-excel.sheet.binary.macroEnabled.12", xlsb, "datatypes"),
        ("application/octet-stream", xlsb, "datatypes"),
    ] {
        let reply = server.put("/api/v1/rooms/old", media_type, body);
        assert!(matches!(reply.status, 200 | 201), "{media_type}: {reply:?}");
        let warnings = reply.json()["warnings"].to_string();
        assert!(warnings.contains("left out: fonts, colors"), "{media_type}: {warnings}");
        assert_eq!(server.get("/api/v1/rooms/old").json()["sheets"][0]["name"], sheet, "{media_type}");
    }
    // The type that browsers on Windows give to csv files.
    assert!(server.put("/api/v1/rooms/csv", "application/vnd.ms-excel", b"1,2\n").status < 300);
    assert_eq!(server.csv("csv"), "1,2\n");
    let import = |name: &str, body: &[u8]| {
        server.send("POST", &format!("/api/v1/rooms/r/import?name={name}"), &[], body).text()
    };
    assert!(import("old.xls", xls).contains("\"sheets\":[\"Items\",\"It's other\",\"Hidden\"]"));
    assert!(import("large.xlsb", xlsb).contains("\"done\""));
    assert!(import("secret.xlsx", password).contains("\"code\":\"encrypted\""));
    for format in ["xls", "xlsb"] {
        assert_eq!(server.get(&format!("/api/v1/rooms/old?format={format}")).code(), "bad_query");
    }
}

#[test]
fn an_import_reports_progress_and_a_failed_import_changes_nothing() {
    let server = Server::start();
    let import = |query: &str, body: &[u8]| {
        let reply = server.send("POST", &format!("/api/v1/rooms/r/import?{query}"), &[], body);
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"), "{reply:?}");
        let lines: Vec<serde_json::Value> =
            reply.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        lines
    };
    let many: String = (0..100_000).map(|row| format!("{row},{}\n", row * 2)).collect();
    let lines = import("name=many.csv", many.as_bytes());
    assert!(lines.len() > 1 && lines[0]["progress"]["rows"].as_u64() > Some(0), "{lines:?}");
    assert_eq!(lines.last().expect("one")["done"]["sheets"], json!(["many"]));
    assert_eq!(lines.last().expect("one")["done"]["rows"], json!(100_000));
    let sheets = server.get("/api/v1/rooms/r").json()["sheets"].clone();
    assert_eq!(sheets, json!([{"name": "many", "rows": 100_000, "columns": 2}]));

    let broken = import("name=broken.csv", b"a,b\n1,2\n3,\"never closed\n");
    let error = &broken.last().expect("one")["error"];
    assert_eq!(
        (error["code"].as_str(), error["row"].as_u64()),
        (Some("unterminated_quote"), Some(3)),
        "{error}"
    );
    assert_eq!(server.get("/api/v1/rooms/r").json()["sheets"], sheets);

    let lines = import("name=more.csv&placement=append", b"1\n");
    assert!(lines.last().expect("one")["done"]["revision"].as_u64() > Some(1));
    assert_eq!(server.get("/api/v1/rooms/r").json()["sheets"].as_array().map(Vec::len), Some(2));
    // Numbers and dates of a locale.
    import("name=german.csv&locale=de-DE", "Betrag;Datum\n1.234,50;01.02.2026\n".as_bytes());
    let german = server.get("/api/v1/rooms/r/sheets/german/cells/A2:B2").json();
    let values = [0, 1].map(|column| german["cells"][0][column]["value"].clone());
    assert_eq!(values, [json!(1234.5), json!(46_054)], "{german}");
}

#[test]
fn an_import_that_is_aborted_changes_nothing() {
    use std::io::{Read, Write};
    let server = Server::start();
    server.make_room("r", "before\n");
    let rows: String = (0..300_000).map(|row| format!("{row},{row},text {row}\n")).collect();
    let mut stream = server.connect();
    let head = format!(
        "POST /api/v1/rooms/r/import?name=a.csv HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
        rows.len()
    );
    stream.write_all(head.as_bytes()).expect("open");
    stream.write_all(rows.as_bytes()).expect("open");
    let mut some = [0u8; 64];
    stream.read_exact(&mut some).expect("the reply begins");
    drop(stream);
    // The cancellation can come too late, but a partial import must not be visible.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sheets = server.get("/api/v1/rooms/r").json()["sheets"].as_array().map(Vec::len);
    assert!(matches!(sheets, Some(1 | 2)), "{sheets:?}");
    assert!(server.csv("r").starts_with("before\n"));
}

#[test]
fn pages_and_files_have_security_headers() {
    let server = Server::start();
    for path in ["/", "/budget", "/_start", "/%C3%9Cbersicht"] {
        let page = server.get(path);
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        assert!(page.header("content-security-policy").contains("script-src 'self' 'wasm-unsafe-eval'"));
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
    }
    assert!(matches!(server.get("/favicon.ico").status, 200 | 204));
    for (path, location) in [("/a/edit", "/a?auth=a"), ("/a/view", "/a?auth=a&view=1"), ("/=a", "/a")] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.header("location")), (302, location), "{path}");
    }
}

#[test]
fn formulas_are_read_and_written_in_r1c1() {
    let server = Server::start();
    let at = |range: &str| format!("/api/v1/rooms/r/sheets/Sheet1/cells/{range}");
    server.put("/api/v1/rooms/r", "text/csv", "3\n");
    let doubled = "{\"formula\":\"=R[-1]C*R1C1\"}";
    assert_eq!(server.put_json(&at("A2:A4?notation=r1c1"), doubled).status, 200);
    let cells = server.get(&at("A2:A4?notation=r1c1")).json()["cells"].clone();
    let formulas: Vec<&str> = (0..3).filter_map(|row| cells[row][0]["formula"].as_str()).collect();
    assert_eq!(formulas, ["=R[-1]C*R1C1"; 3]);
    let last = server.get(&at("A4")).json()["cell"].clone();
    assert_eq!((last["formula"].as_str(), last["value"].as_f64()), (Some("=A3*$A$1"), Some(81.0)));
    // `input` is parsed like typed text, in the notation of the query.
    assert_eq!(server.put_json(&at("B1?notation=r1c1"), "{\"input\":\"=RC[-1]\"}").status, 200);
    assert_eq!(server.get(&at("B1")).json()["cell"]["formula"], "=A1");
    assert_eq!(server.get(&at("B1?notation=b5")).status, 400);
}

#[test]
fn a_room_is_created_as_a_copy_of_another_room_or_revision() {
    let server = Server::start();
    server.make_room("plan", "2,=A1*3\n");
    let bytes = b"\x89PNG\r\n\x1a\nand what follows";
    let sent = server.send("POST", "/api/v1/rooms/plan/images", &[("content-type", "image/png")], bytes);
    let image = sent.json()["image"].as_str().expect("a name").to_owned();
    let items = "/api/v1/rooms/plan/sheets/Sheet1/items";
    let shown = json!({ "kind": "image", "anchors": ["C2"], "fields": { "source": image, "width": 20, "height": 20 } });
    assert_eq!(server.post_json(items, &shown.to_string()).status, 201);
    let note = json!({ "kind": "note", "anchors": ["A1"], "fields": { "text": "estimated" } });
    assert_eq!(server.post_json(items, &note.to_string()).status, 201);
    assert_eq!(server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/A1", "5").status, 200);

    let made = server.post_json("/api/v1/rooms", r#"{"name":"plan-b","copyOf":"plan","author":"Ann"}"#);
    assert_eq!(
        (made.status, &made.json()["room"], &made.json()["revision"]),
        (201, &json!("plan-b"), &json!(1)),
        "{made:?}"
    );
    assert_eq!(server.csv("plan-b"), "5,15\n");
    let kinds = |room: &str| -> Vec<String> {
        let listed = server.get(&format!("/api/v1/rooms/{room}/sheets/Sheet1/items")).json();
        let mut kinds: Vec<_> =
            listed["items"].as_array().expect("a list").iter().map(|item| item["kind"].to_string()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds("plan-b"), kinds("plan"));
    assert_eq!(server.get(&format!("/api/v1/rooms/plan-b/images/{image}")).body, bytes);
    let history = server.get("/api/v1/rooms/plan-b/history").json();
    assert_eq!(history["revisions"][0]["author"]["name"], "Ann");

    // The rooms are independent after the copy.
    assert_eq!(server.put_json("/api/v1/rooms/plan-b/sheets/Sheet1/cells/A1", "7").status, 200);
    assert_eq!((server.csv("plan"), server.csv("plan-b")), ("5,15\n".into(), "7,21\n".into()));

    let past = server.post_json("/api/v1/rooms", r#"{"copyOf":"plan","revision":1}"#);
    assert_eq!(past.status, 201, "{past:?}");
    assert_eq!(server.csv(past.json()["room"].as_str().expect("a name")), "2,6\n");
    for (body, status, code) in [
        (r#"{"name":"plan-b","copyOf":"plan"}"#, 409, "room_exists"),
        (r#"{"name":"new","copyOf":"nothing"}"#, 404, "no_such_room"),
        (r#"{"name":"new","copyOf":"plan","revision":99}"#, 404, "not_found"),
        (r#"{"name":"new","copyOf":"_"}"#, 400, "bad_room_name"),
        (r#"{"name":"new","revision":1}"#, 400, "bad_json"),
    ] {
        let reply = server.post_json("/api/v1/rooms", body);
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{body}");
    }
    // A refused request creates no room.
    assert_eq!(server.get("/api/v1/rooms/new").status, 404);
}

/// The title appears in the room's description, in file names of downloads and in copies.
#[test]
fn a_title_is_set_read_and_kept() {
    let server = Server::start();
    let made = server.post_json("/api/v1/rooms", r#"{"name":"plan","title":"Büdget 2027"}"#);
    assert_eq!(made.status, 201, "{made:?}");
    let title = |room: &str| server.get(&format!("/api/v1/rooms/{room}")).json()["title"].clone();
    assert_eq!(title("plan"), "Büdget 2027");
    let settings = "/api/v1/rooms/plan/items/0";
    let named = server.put_json(settings, r#"{"fields":{"title":"Plan: A/B"}}"#);
    assert_eq!(named.status, 200, "{named:?}");
    assert_eq!(title("plan"), "Plan: A/B");
    // An import replaces the contents and keeps the title.
    let csv = server.put("/api/v1/rooms/plan", "text/csv", "a,b\n1,2\n");
    assert_eq!(csv.status, 200, "{csv:?}");
    assert_eq!(title("plan"), "Plan: A/B");
    let file = server.get("/api/v1/rooms/plan?format=xlsx");
    assert_eq!(file.header("content-disposition"), "inline; filename*=UTF-8''Plan_%20A_B.xlsx");
    // A room without a title takes the title of the file.
    let xlsx = [("content-type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")];
    assert_eq!(server.send("PUT", "/api/v1/rooms/taken", &xlsx, &file.body).status, 201);
    assert_eq!(title("taken"), "Plan: A/B");
    let copy = |body: &str| server.post_json("/api/v1/rooms", body).status;
    assert_eq!(copy(r#"{"name":"second","copyOf":"plan","title":"Copy of Plan"}"#), 201);
    assert_eq!(copy(r#"{"name":"third","copyOf":"plan"}"#), 201);
    assert_eq!((title("second"), title("third")), ("Copy of Plan".into(), "Plan: A/B".into()));
    for (what, body) in [
        ("a line break", r#"{"fields":{"title":"a\nb"}}"#.to_owned()),
        ("too long", format!(r#"{{"fields":{{"title":"{}"}}}}"#, "x".repeat(201))),
        ("no text", r#"{"fields":{"title":7}}"#.to_owned()),
    ] {
        let refused = server.put_json(settings, &body);
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (422, &"bad_command".into()),
            "{what}"
        );
    }
    assert_eq!(copy(r#"{"name":"fourth","title":"a\tb"}"#), 422);
    assert_eq!(server.get("/api/v1/rooms/fourth").status, 404);
    assert_eq!(
        server.put_json(settings, &format!(r#"{{"fields":{{"title":"{}"}}}}"#, "ä".repeat(200))).status,
        200
    );
    assert_eq!(server.put_json(settings, r#"{"fields":{"title":null}}"#).status, 200);
    assert_eq!(title("plan"), serde_json::Value::Null);
}

#[test]
fn reads_of_a_known_revision_are_not_repeated() {
    let server = Server::start();
    server.make_room("plan", "1,=A1*2\n");
    for path in [
        "/api/v1/rooms/plan",
        "/api/v1/rooms/plan?format=xlsx",
        "/api/v1/rooms/plan/items",
        "/api/v1/rooms/plan/sheets/Sheet1/items",
        "/api/v1/rooms/plan/sheets/Sheet1/cells/A1:B1",
    ] {
        let read = |tag: &str| server.send("GET", path, &[("if-none-match", tag)], b"");
        let first = server.get(path);
        let tag = first.header("etag").to_owned();
        assert_eq!(first.status, 200, "{path}");
        let known = read(&tag);
        assert_eq!((known.status, known.header("etag"), known.body.len()), (304, tag.as_str(), 0), "{path}");
        assert_eq!(read("\"99\"").status, 200, "{path}");
        let revision = first.header("etag").trim_matches('"').parse::<u64>().expect("a revision");
        let cell = format!("/api/v1/rooms/plan/sheets/Sheet1/cells/C{revision}");
        assert_eq!(server.put_json(&cell, "1").status, 200);
        assert_eq!(read(&tag).status, 200, "{path}: after a change");
    }
    let missing = server.send("GET", "/api/v1/rooms/nothing", &[("if-none-match", "*")], b"");
    assert_eq!(missing.code(), "no_such_room");
}

#[test]
fn pages_of_other_origins_can_follow_and_repeat() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--origins", "https://wiki.example.org"]);
    server.make_room("plan", "1\n");
    let origin = ("origin", "https://wiki.example.org");
    let asked = [origin, ("access-control-request-method", "POST")];
    let preflight = server.send("OPTIONS", "/api/v1/rooms/plan/changes", &asked, b"");
    let allowed = preflight.header("access-control-allow-headers");
    for header in ["last-event-id", "idempotency-key", "if-none-match", "if-match", "authorization"] {
        assert!(allowed.split(", ").any(|name| name == header), "{header} in {allowed}");
    }
    let read = server.send("GET", "/api/v1/rooms/plan", &[origin], b"");
    assert!(read.header("access-control-expose-headers").contains("etag"), "{read:?}");
}

#[test]
fn a_field_mask_leaves_out_what_is_not_named() {
    let server = Server::start();
    server.make_room("plan", "1,=A1*2\n");
    let get = |path: &str| server.get(&format!("/api/v1/rooms/plan{path}"));
    let cells = get("/sheets/Sheet1/cells/A1:B1?fields=revision%2Ccells.value").json();
    assert_eq!(cells, json!({ "revision": 1, "cells": [[{ "value": 1 }, { "value": 2 }]] }));
    assert_eq!(get("?fields=sheets.name").json(), json!({ "sheets": [{ "name": "Sheet1" }] }));
    assert_eq!(get("/changes?after=0&fields=next").json(), json!({ "next": 1 }));
    // Not of files and errors.
    assert_eq!(get("?format=csv&fields=revision").text(), "1,2\n");
    assert_eq!(get("/sheets/No/cells/A1?fields=revision").code(), "no_such_sheet");
    for query in ["fields=", "fields=a&fields=b", "fields=a..b", "field=a"] {
        assert_eq!(get(&format!("?{query}")).code(), "bad_query", "{query}");
    }
}

#[test]
fn items_come_in_pages() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    for item in [7, 8, 9] {
        let body = format!(r#"{{"kind":"note","anchors":["A{item}"],"fields":{{"text":"a"}}}}"#);
        let path = format!("/api/v1/rooms/plan/sheets/Sheet1/items/{item}");
        assert_eq!(server.put_json(&path, &body).status, 200);
    }
    let page = |query: &str| {
        let path = format!("/api/v1/rooms/plan/sheets/Sheet1/items?kind=note&{query}");
        let json = server.get(&path).json();
        let items = json["items"].as_array().expect("a list").iter();
        (items.filter_map(|item| item["id"].as_u64()).collect::<Vec<_>>(), json["next"].clone())
    };
    assert_eq!(page("limit=2"), (vec![7, 8], json!(8)));
    assert_eq!(page("limit=2&after=8"), (vec![9], json!(null)));
    assert_eq!(page(""), (vec![7, 8, 9], json!(null)));
}

/// A program colors a choice, and another one changes the choices.
#[test]
fn colors_of_choices_are_set_by_programs() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let path = "/api/v1/rooms/plan/sheets/Sheet1/items/7";
    let colors = json!([{"value": "Done", "color": "#2a917a"}]);
    let list = json!({"kind": "validation", "anchors": ["B2:B9"], "fields": {
        "rule": "list", "choices": ["Done"], "displayStyle": "chip", "choiceColors": colors,
    }});
    assert_eq!(server.put_json(path, &list.to_string()).status, 200);
    assert_eq!(server.put_json(path, r#"{"fields":{"choices":["Done","To do"]}}"#).status, 200);
    let fields = || server.get("/api/v1/rooms/plan/sheets/Sheet1/items").json()["items"][0]["fields"].clone();
    assert_eq!(
        (fields()["choiceColors"].clone(), fields()["choices"].clone()),
        (colors, json!(["Done", "To do"]))
    );
    let refused = server.put_json(path, r#"{"fields":{"choiceColors":[{"value":"Done","color":"green"}]}}"#);
    assert!(refused.text().contains("is not a colour such as #1f6f5c: green"), "{}", refused.text());
    assert_eq!(fields()["displayStyle"], "chip");
}

#[test]
fn a_room_is_deleted_and_imported_into_at_the_expected_revision_only() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let at = |method: &str, path: &str, tag: &str, body: &str| {
        server.send(method, &format!("/api/v1/rooms/plan{path}"), &[("if-match", tag)], body.as_bytes())
    };
    let imported = at("POST", "/import?name=a.csv", "\"7\"", "2\n").text();
    assert!(imported.contains("revision_mismatch"), "{imported}");
    assert_eq!(at("DELETE", "", "\"7\"", "").code(), "revision_mismatch");
    assert_eq!(server.csv("plan"), "1\n");
    assert!(at("POST", "/import?name=a.csv&placement=replace", "\"1\"", "2\n").text().contains("done"));
    assert_eq!(server.csv("plan"), "2\n");
    assert_eq!(at("DELETE", "", "\"2\"", "").status, 204);
    assert_eq!(at("DELETE", "", "\"2\"", "").code(), "no_such_room");
}
