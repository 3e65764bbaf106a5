//! Images of rooms, addressed by the SHA-256 of their bytes.

use crate::support::Server;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand what follows";
/// SHA-256 of `PNG`, by `sha256sum`.
const NAME: &str = "23d27b8416389c050c3d7ea68d3b75d08d71ef2282c606f9970706267b786cbe";

const IMAGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox";

fn post(server: &Server, room: &str, bytes: &[u8]) -> crate::support::Reply {
    server.send("POST", &format!("/api/v1/rooms/{room}/images"), &[("content-type", "image/png")], bytes)
}

#[test]
fn an_image_is_stored_once_and_read_by_its_hash() {
    let server = Server::start();
    let made = post(&server, "sales", PNG);
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json()["image"], NAME);
    assert_eq!(made.json()["mediaType"], "image/png");
    let path = format!("/api/v1/rooms/sales/images/{NAME}");
    assert_eq!(made.header("location"), path);
    assert_eq!(post(&server, "sales", PNG).status, 200);
    let read = server.get(&path);
    assert_eq!((read.status, &read.body[..]), (200, PNG));
    assert_eq!(read.header("content-type"), "image/png");
    assert_eq!(read.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(read.header("x-content-type-options"), "nosniff");
    assert_eq!(read.header("content-security-policy"), IMAGE_POLICY);
    let known = server.send("GET", &path, &[("if-none-match", read.header("etag"))], b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    // The upload created the room; other rooms do not have the image.
    assert_eq!(server.get("/api/v1/rooms/sales").status, 200);
    assert_eq!(server.get(&format!("/api/v1/rooms/other/images/{NAME}")).status, 404);
}

#[test]
fn other_files_and_large_images_are_refused() {
    let server = Server::start();
    let svg = post(&server, "sales", b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>");
    assert_eq!((svg.status, svg.code().as_str()), (415, "unsupported_media_type"));
    assert_eq!(post(&server, "sales", b"").status, 415);
    // The server refuses because of the declared length, without waiting for the body.
    let head = "POST /api/v1/rooms/sales/images HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
    let refused = server.raw(format!("{head}content-length: {}\r\n\r\n", (5 << 20) + 1).as_bytes());
    assert!(refused.starts_with("HTTP/1.1 413") && refused.contains("body_too_large"), "{refused}");
    // A refused upload creates no room.
    assert_eq!(server.get("/api/v1/rooms/sales").status, 404);
    // A wrong name does not tell that there is no room.
    assert_eq!(server.get("/api/v1/rooms/sales/images/zzz").status, 404);
    assert_eq!(post(&server, "sales", PNG).status, 201);
    assert_eq!(server.get("/api/v1/rooms/sales/images/zzz").status, 400);
    assert_eq!(server.get(&format!("/api/v1/rooms/sales/images/{}", NAME.to_uppercase())).status, 400);
}

#[test]
fn the_images_of_a_room_have_a_total_limit() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let mut image = PNG.to_vec();
    image.resize(5 << 20, 0);
    assert_eq!(post(&server, "sales", &image).status, 201);
    server.kill();
    let database = rusqlite::Connection::open(data.path().join("rooms.db")).expect("a database");
    let fill = "INSERT INTO image (room, hash, checksum, data)
                SELECT room, zeroblob(32), 0, zeroblob((512 << 20) - length(data)) FROM image";
    assert_eq!(database.execute(fill, []), Ok(1));
    drop(database);
    let server = Server::start_on(data.path(), &[]);
    let refused = post(&server, "sales", PNG);
    assert_eq!((refused.status, refused.code().as_str()), (413, "too_many_images"));
    assert_eq!(post(&server, "other", PNG).status, 201);
}

#[test]
fn an_image_survives_a_kill_and_is_deleted_with_its_room() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let path = format!("/api/v1/rooms/sales/images/{NAME}");
    let mut server = Server::start_on(data.path(), &[]);
    assert_eq!(post(&server, "sales", PNG).status, 201);
    server.kill();
    let server = Server::start_on(data.path(), &[]);
    assert_eq!(server.get(&path).body, PNG);
    assert_eq!(server.delete("/api/v1/rooms/sales").status, 204);
    assert_eq!(server.get(&path).status, 404);
    server.make_room("sales", "a\n");
    assert_eq!(server.get(&path).status, 404);
}

#[test]
fn viewers_cannot_upload_images() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--default-role", "view"]);
    let refused = post(&server, "sales", PNG);
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"));
}

/// An image of two pixels, and its SHA-256 by `sha256sum`.
const PIXELS: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0dIDATx\x9cc\xf8\xcf\x00\x04\xff\x01\x07\x00\x01\xff\xe2#\x9eY\x00\x00\x00\x00IEND\xaeB`\x82";
const PIXELS_NAME: &str = "6c54d5b23a761aa92da26a45323650a806dee032e1670974e7d48bb0d3c2832a";

#[test]
fn images_are_exported_to_xlsx_and_imported() {
    let server = Server::start();
    server.make_room("sales", "a\n");
    assert_eq!(post(&server, "sales", PIXELS).json()["image"], PIXELS_NAME);
    let item = format!(
        r#"{{"kind":"image","anchors":["B2"],"fields":{{"source":"{PIXELS_NAME}","width":40,"height":20}}}}"#
    );
    assert_eq!(server.post_json("/api/v1/rooms/sales/sheets/Sheet1/items", &item).status, 201);
    let file = server.get("/api/v1/rooms/sales?format=xlsx").body;
    let import = |path: &str, method: &str| {
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        server.send(method, path, &[("content-type", xlsx)], &file)
    };
    let put = import("/api/v1/rooms/copy", "PUT");
    assert_eq!((put.status, &put.json()["warnings"]), (201, &serde_json::json!([])), "{put:?}");
    let made = import("/api/v1/rooms", "POST");
    let made = made.json()["room"].as_str().expect("a name").to_owned();
    let page = import("/api/v1/rooms/page/import?name=sales.xlsx", "POST");
    assert!(page.text().contains("\"done\""), "{page:?}");
    for room in ["copy", &made, "page"] {
        let path = format!("/api/v1/rooms/{room}/images/{PIXELS_NAME}");
        assert_eq!(server.get(&path).body, PIXELS, "{room}");
    }
    let items = server.get("/api/v1/rooms/copy/sheets/Sheet1/items?kind=image").json();
    assert_eq!(items["items"][0]["anchors"], serde_json::json!(["B2"]), "{items}");
    let fields = serde_json::json!({ "source": PIXELS_NAME, "width": 40.0, "height": 20.0 });
    assert_eq!(items["items"][0]["fields"], fields, "{items}");
}

/// Document properties, macros and the like of a file are in the file that somebody else downloads, after
/// a restart and from a copy of the workbook.
#[test]
fn what_an_imported_file_has_and_nothing_displays_is_exported() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let file = include_bytes!("../../../files/tests/fixtures/package-parts.xlsm");
    let server = Server::start_on(data.path(), &[]);
    let xlsm = "application/vnd.ms-excel.sheet.macroEnabled.12";
    let put = server.send("PUT", "/api/v1/rooms/prices", &[("content-type", xlsm)], file);
    assert_eq!((put.status, &put.json()["warnings"]), (201, &serde_json::json!([])), "{put:?}");
    drop(server);
    let server = Server::start_on(data.path(), &[]);
    let copied = server.post_json("/api/v1/rooms", r#"{"copyOf":"prices"}"#);
    let copy = copied.json()["room"].as_str().expect("a name").to_owned();
    for room in ["prices", &copy] {
        let export = server.get(&format!("/api/v1/rooms/{room}?format=xlsx"));
        assert_eq!(export.header("content-type"), xlsm, "{room}");
        assert!(export.header("content-disposition").ends_with(".xlsm"), "{export:?}");
        let contains = |name: &[u8]| export.body.windows(name.len()).any(|window| window == name);
        assert!(contains(b"xl/vbaProject.bin") && contains(b"docProps/custom.xml"), "{room}");
    }
}

/// Shapes of a file are images that the server has drawn; nobody can upload such images.
#[test]
fn shapes_of_an_imported_file_are_shown_and_exported() {
    let file = include_bytes!("../../../files/tests/fixtures/shapes.xlsx");
    let server = Server::start();
    let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let put = server.send("PUT", "/api/v1/rooms/plan", &[("content-type", xlsx)], file);
    assert_eq!(put.json()["warnings"], serde_json::json!(["left out: form controls"]), "{put:?}");
    let items = server.get("/api/v1/rooms/plan/sheets/Plan/items?kind=image").json();
    let fields = &items["items"][0]["fields"];
    assert_eq!((&fields["shape"], &fields["width"]), (&true.into(), &192.0.into()), "{items}");
    let source = fields["source"].as_str().expect("a name");
    let image = server.get(&format!("/api/v1/rooms/plan/images/{source}"));
    assert_eq!((image.status, image.header("content-type")), (200, "image/svg+xml"));
    assert_eq!(image.header("content-security-policy"), IMAGE_POLICY);
    assert!(image.text().contains("How to fill in:"));
    assert_eq!(post(&server, "plan", &image.body).status, 415);
    let copied = server.post_json("/api/v1/rooms", r#"{"copyOf":"plan"}"#);
    let copy = copied.json()["room"].as_str().expect("a name").to_owned();
    for room in ["plan", &copy] {
        let export = server.get(&format!("/api/v1/rooms/{room}?format=xlsx"));
        let name = b"xl/media/shape2.emf";
        assert!(export.body.windows(name.len()).any(|window| window == name), "{room}");
    }
}
