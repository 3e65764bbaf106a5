//! The parser compared with `serde_json`: equal trees, and both reject the same texts.

use quadrille_json::Json;

fn tree(text: &str) -> Result<Json, String> {
    Json::parse(text.as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn valid_texts_give_the_same_tree_as_serde_json() {
    let texts = [
        "null",
        "true",
        " false ",
        "0",
        "-7",
        "12.5",
        "1e3",
        "-1.25E-7",
        "123456789012345678",
        "0.1",
        "1.5e308",
        "2.2250738585072014e-308",
        "5e-324",
        "\"\"",
        "\"a\\u00e9\\n\\t\\\"\\\\\\/\"",
        "\"\\ud83d\\ude00 😀\"",
        "[]",
        "[1, [2, {}], \"x\"]",
        "{}",
        "{\"a\": {\"b\": [null, 1.5]}, \"\": 1}",
        "\r\n\t[ ]",
    ];
    for text in texts {
        let theirs: Json = serde_json::from_str(text).expect(text);
        assert_eq!(tree(text), Ok(theirs), "{text}");
    }
}

#[test]
fn invalid_texts_are_rejected() {
    let texts = [
        "",
        " ",
        "nul",
        "tru e",
        "+1",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x1",
        "1e999",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "[1,]",
        "[1 2]",
        "[",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "1 2",
        "[]]",
        "é",
    ];
    for text in texts {
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
        assert!(tree(text).is_err(), "{text}");
    }
    assert!(Json::parse(&[b'"', 0xFF, b'"']).is_err());
}

#[test]
fn numbers_are_parsed_to_the_nearest_number() {
    // serde_json is off by one in the last place for some of these, without its feature `float_roundtrip`.
    for text in ["0.1", "1.7976931348623157e308", "9007199254740993.5", "8.41474715e-5", "123456.789e-20"] {
        let number: f64 = text.parse().expect("a number");
        assert_eq!(tree(text), Ok(Json::Number(number)), "{text}");
    }
}

#[test]
fn unpaired_surrogates_become_replacement_characters() {
    assert_eq!(tree("\"\\ud83dx\""), Ok(Json::String("\u{FFFD}x".to_owned())));
    assert_eq!(tree("\"\\ud83d\\u0041\\ude00\""), Ok(Json::String("\u{FFFD}A\u{FFFD}".to_owned())));
}

#[test]
fn deep_nesting_is_rejected() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(tree(&nested(100)).is_ok());
    assert_eq!(tree(&nested(1_000_000)), Err("nested too deeply".to_owned()));
}

#[test]
fn fields_are_read_by_name_and_errors_name_them() {
    let json =
        tree(r#"{"sheet": 2, "name": null, "rows": [1, -1], "sheet": 3, "far": 4294967296}"#).expect("JSON");
    let fields = json.fields().expect("an object");
    assert_eq!(fields.u32("sheet"), Ok(3), "the last one counts");
    assert_eq!(fields.optional("name", Json::str), Ok(None));
    assert_eq!(fields.nullable("name", Json::str), Ok(Some(None)));
    assert_eq!(fields.nullable("other", Json::str), Ok(None));
    let message = |error: Result<_, quadrille_json::JsonError>| error.map_err(|error| error.to_string());
    assert_eq!(message(fields.u32("at")), Err("missing field `at`".to_owned()));
    assert_eq!(
        fields.array("rows", Json::u32).map_err(|error| error.to_string()),
        Err("rows: expected an integer from 0 to 4294967295, found another number".to_owned())
    );
    assert_eq!(
        message(fields.u32("far")),
        Err("far: expected an integer from 0 to 4294967295, found another number".to_owned())
    );
    assert_eq!(
        fields.deny_unknown(&["sheet", "name"]).map_err(|error| error.to_string()),
        Err("unknown field `rows`, expected one of sheet, name".to_owned())
    );
}
