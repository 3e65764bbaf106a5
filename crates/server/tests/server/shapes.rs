//! Shapes that the server draws from attributes, and pictures that it crops and turns.

use serde_json::{Value as Json, json};

use crate::support::{Reply, Server};

/// An image of two pixels.
const PIXELS: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0dIDATx\x9cc\xf8\xcf\x00\x04\xff\x01\x07\x00\x01\xff\xe2#\x9eY\x00\x00\x00\x00IEND\xaeB`\x82";

fn post(server: &Server, body: &Json) -> Reply {
    server.post_json("/api/v1/rooms/plan/shapes", &body.to_string())
}

/// The attributes of the image that a reply names.
fn attributes(server: &Server, made: &Reply) -> Json {
    let image = made.json()["image"].as_str().expect("a name").to_owned();
    let read = server.get(&format!("/api/v1/rooms/plan/shapes/{image}"));
    assert_eq!(read.status, 200, "{read:?}");
    read.json()
}

#[test]
fn a_shape_is_made_displayed_and_changed() {
    let server = Server::start();
    let given =
        json!({ "preset": "ellipse", "text": "Start", "fill": "#ffcc00", "width": 120, "height": 60 });
    let made = post(&server, &given);
    assert_eq!(made.status, 201, "{made:?}");
    let reply = made.json();
    for (name, value) in [
        ("mediaType", json!("image/svg+xml")),
        ("shape", json!(true)),
        ("width", json!(120)),
        ("height", json!(60)),
        ("moveX", json!(0)),
        ("altText", json!("Start")),
    ] {
        assert_eq!(reply[name], value, "{name}: {reply}");
    }
    // The same shape is the same image, and the request has created the room.
    assert_eq!(post(&server, &given).status, 200);
    let image = server.get(made.header("location"));
    assert_eq!((image.status, image.header("content-type")), (200, "image/svg+xml"));
    assert!(image.text().contains("fill=\"#ffcc00\"") && image.text().contains(">Start</span>"));
    let described = attributes(&server, &made);
    assert_eq!((&described["kind"], &described["attributes"]["fill"]), (&json!("shape"), &json!("#ffcc00")));
    let change = json!({
        "image": reply["image"], "width": 240, "height": 60, "altText": "Start",
        "fill": null, "text": "Go", "rotation": 90,
    });
    let changed = post(&server, &change);
    assert_eq!(changed.status, 201, "{changed:?}");
    let reply = changed.json();
    assert_eq!(
        (&reply["width"], &reply["height"], &reply["altText"]),
        (&62.into(), &242.into(), &"Go".into())
    );
    assert_eq!((&reply["moveX"], &reply["moveY"]), (&89.into(), &(-91).into()));
    let described = attributes(&server, &changed);
    assert_eq!(described["attributes"]["fill"], Json::Null);
    assert_eq!(described["attributes"]["preset"], "ellipse");
}

#[test]
fn a_picture_is_cropped_and_is_the_uploaded_image_again() {
    let server = Server::start();
    let uploaded = server.send("POST", "/api/v1/rooms/plan/images", &[], PIXELS).json();
    let crop = json!({
        "image": uploaded["image"], "width": 200, "height": 100, "altText": "our stand", "crop": { "left": 0.25 },
    });
    let cropped = post(&server, &crop);
    let reply = cropped.json();
    assert_eq!((cropped.status, &reply["width"], &reply["moveX"]), (201, &150.into(), &50.into()));
    assert_eq!((&reply["shape"], &reply["altText"]), (&true.into(), &"our stand".into()));
    let described = attributes(&server, &cropped);
    assert_eq!(
        (&described["kind"], &described["attributes"]["crop"]["left"]),
        (&"picture".into(), &0.25.into())
    );
    let reset = json!({ "image": reply["image"], "width": 150, "height": 100, "crop": {} });
    let reset = post(&server, &reset);
    let reply = reset.json();
    assert_eq!((reset.status, &reply["image"]), (200, &uploaded["image"]));
    assert_eq!((&reply["shape"], &reply["mediaType"]), (&false.into(), &"image/png".into()));
    assert_eq!((&reply["width"], &reply["moveX"]), (&200.into(), &(-50).into()));
}

#[test]
fn wrong_requests_are_refused_and_store_nothing() {
    let server = Server::start();
    let unknown = json!({ "image": "0".repeat(64), "fill": null });
    assert_eq!((post(&server, &unknown).status, server.get("/api/v1/rooms/plan").status), (404, 404));
    for (body, code, message) in [
        (json!([]), "bad_request", "the body must be an object"),
        (json!({ "preset": "nothing" }), "bad_request", "unknown preset: nothing"),
        (json!({ "fill": "url(#x)" }), "bad_json", "a color must be #rrggbb: url(#x)"),
        (json!({ "svg": "<svg/>" }), "bad_json", "unknown field `svg`"),
        (json!({ "width": 20_000 }), "bad_request", "width and height must be between 0 and 10000"),
        (json!({ "width": "10" }), "bad_json", "width: expected a number, found the string"),
        (json!({ "preset": "line", "text": "a" }), "bad_request", "a line has no text"),
        (json!({ "crop": { "left": 1 } }), "bad_request", "crop: left and right must each be"),
        (json!({ "image": "x" }), "bad_request", "image must have 64 lower-case hexadecimal digits"),
        (json!({ "altText": "a" }), "bad_request", "altText belongs to an image that is changed"),
    ] {
        let refused = post(&server, &body);
        assert_eq!((refused.status, refused.code().as_str()), (400, code), "{body}: {refused:?}");
        assert!(refused.text().contains(message), "{body}: {refused:?}");
    }
    assert_eq!(server.get("/api/v1/rooms/plan").status, 404);
    let plain = server.send("POST", "/api/v1/rooms/plan/shapes", &[("content-type", "text/plain")], b"{}");
    assert_eq!(plain.status, 415);
    // An image of one room is not that of another one.
    let made = post(&server, &json!({})).json();
    let of_other = json!({ "image": made["image"], "fill": null }).to_string();
    assert_eq!(server.post_json("/api/v1/rooms/other/shapes", &of_other).status, 404);
    let half = json!({ "image": made["image"], "width": 10 });
    assert!(post(&server, &half).text().contains("width and height belong together"));
    assert_eq!(server.get("/api/v1/rooms/plan/shapes/zzz").status, 400);
    assert_eq!(server.get(&format!("/api/v1/rooms/plan/shapes/{}", "0".repeat(64))).status, 404);
}

#[test]
fn a_large_picture_is_refused() {
    let server = Server::start();
    let mut large = PIXELS.to_vec();
    large.resize(4 << 20, 0);
    let uploaded = server.send("POST", "/api/v1/rooms/plan/images", &[], &large).json();
    let turned =
        post(&server, &json!({ "image": uploaded["image"], "width": 9, "height": 9, "rotation": 90 }));
    assert_eq!((turned.status, turned.code().as_str()), (413, "body_too_large"), "{turned:?}");
}

#[test]
fn parts_of_a_file_that_are_more_than_a_shape_cannot_be_edited() {
    let file = include_bytes!("../../../files/tests/fixtures/shapes.xlsx");
    let server = Server::start();
    let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    assert_eq!(server.send("PUT", "/api/v1/rooms/plan", &[("content-type", xlsx)], file).status, 201);
    let items = server.get("/api/v1/rooms/plan/sheets/Plan/items?kind=image").json();
    let of = |text: &str| {
        let mut items = items["items"].as_array().expect("items").iter();
        items.find(|item| item["fields"]["altText"] == text).expect("a shape")["fields"]["source"].clone()
    };
    let refused = post(&server, &json!({ "image": of("Warehouse"), "fill": null }));
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("groups, SmartArt graphics"), "{refused:?}");
    let changed = post(&server, &json!({ "image": of("Next"), "altText": "Next", "text": "Then" }));
    assert_eq!((changed.status, &changed.json()["altText"]), (201, &"Then".into()));
}

#[test]
fn viewers_read_attributes_and_change_nothing() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let made = {
        let server = Server::start_on(data.path(), &[]);
        post(&server, &json!({})).json()
    };
    let server = Server::start_on(data.path(), &["--default-role", "view"]);
    let refused = post(&server, &json!({ "image": made["image"], "fill": null }));
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"));
    let image = made["image"].as_str().expect("a name");
    assert_eq!(server.get(&format!("/api/v1/rooms/plan/shapes/{image}")).status, 200);
}
