//! What is wrong with a body or a query that cannot be read, in the words of JSON: the parser names types of this
//! program.

/// Returns the message of the parser of JSON in words of its users. The position stays.
pub fn of_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.find(" at line ") {
        Some(at) => format!("{}{}", in_words(&text[..at]), &text[at..]),
        None => in_words(&text),
    }
}

/// Returns the message of the parser of queries in words of their users. The name of the parameter stays.
pub fn of_query(text: &str) -> String {
    let text = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(text);
    match text.split_once(": ") {
        Some((name, reason)) if !name.contains(' ') => format!("{name}: {}", in_words(reason)),
        _ => in_words(text),
    }
}

fn in_words(text: &str) -> String {
    match text {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            return "expected a whole number that is not negative".to_owned();
        }
        "number too large to fit in target type" => return "the number is too large".to_owned(),
        "invalid float literal" | "cannot parse float from empty string" => {
            return "expected a number".to_owned();
        }
        "provided string was not `true` or `false`" => return "expected `true` or `false`".to_owned(),
        _ if text.starts_with("data did not match any variant of untagged enum ") => {
            return "it has none of the forms that are allowed here".to_owned();
        }
        _ => {}
    }
    let Some((found, expected)) = text.split_once(", expected ") else { return text.to_owned() };
    let found = match found.split_once("invalid type: ").or(found.split_once("invalid value: ")) {
        Some(("", found)) => json_type(found),
        _ if found.starts_with("invalid length ") => {
            let length = &found["invalid length ".len()..];
            format!("an array of length {length}")
        }
        _ => return text.replacen("unknown variant", "unknown value", 1),
    };
    format!("expected {}, found {found}", expected_type(expected))
}

/// What was found; a value in backquotes stays.
fn json_type(found: &str) -> String {
    match found {
        "map" => return "an object".to_owned(),
        "sequence" => return "an array".to_owned(),
        "null" | "unit value" | "Option value" => return "null".to_owned(),
        _ => {}
    }
    for (of_program, of_json) in [
        ("integer", "the number"),
        ("floating point", "the number"),
        ("boolean", "the value"),
        ("string", "the string"),
    ] {
        if let Some(value) = found.strip_prefix(of_program) {
            return format!("{of_json}{value}");
        }
    }
    found.to_owned()
}

fn expected_type(expected: &str) -> &str {
    match expected {
        "a map" | "map" => "an object",
        "a sequence" | "sequence" => "an array",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a borrowed string" | "string" | "variant identifier" | "a variant identifier" => "a string",
        "string or map" => "a string or an object",
        _ if expected.starts_with("struct ") || expected.starts_with("internally tagged enum ") => {
            "an object"
        }
        _ if expected.starts_with("tuple ") || expected.starts_with("a tuple ") => "an array",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::Query;
    use axum::http::Uri;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only their types are of interest")]
    struct Given {
        name: Option<String>,
        count: Option<u32>,
        list: Option<Vec<bool>>,
        kind: Option<Kind>,
    }

    #[derive(Deserialize, Debug)]
    #[serde(rename_all = "camelCase")]
    enum Kind {
        Line,
        Bar,
    }

    #[test]
    fn bodies_are_explained_without_types_of_the_program() {
        for (body, message) in [
            ("[]", "expected an object, found an array of length 0 at line 1 column 2"),
            ("\"x\"", "expected an object, found the string \"x\" at line 1 column 3"),
            (r#"{"name":1}"#, "expected a string, found the number `1` at line 1 column 9"),
            (
                r#"{"count":-1}"#,
                "expected a whole number that is not negative, found the number `-1` at line 1 column 11",
            ),
            (
                r#"{"count":{}}"#,
                "expected a whole number that is not negative, found an object at line 1 column 9",
            ),
            (r#"{"list":{}}"#, "expected an array, found an object at line 1 column 8"),
            (r#"{"kind":"pie"}"#, "unknown value `pie`, expected `line` or `bar` at line 1 column 13"),
            (
                r#"{"size":1}"#,
                "unknown field `size`, expected one of `name`, `count`, `list`, `kind` at line 1 column 7",
            ),
            ("{", "EOF while parsing an object at line 1 column 1"),
        ] {
            let error = serde_json::from_str::<Given>(body).expect_err(body);
            assert_eq!(of_json(&error), message, "{body}");
        }
    }

    #[test]
    fn queries_are_explained_without_types_of_the_program() {
        for (query, message) in [
            ("count=x", "count: expected a whole number that is not negative"),
            ("count=", "count: expected a whole number that is not negative"),
            ("count=99999999999", "count: the number is too large"),
            ("kind=pie", "kind: unknown value `pie`, expected `line` or `bar`"),
            ("size=1", "size: unknown field `size`, expected one of `name`, `count`, `list`, `kind`"),
        ] {
            let uri: Uri = format!("http://localhost/?{query}").parse().expect("a URL");
            let error = Query::<Given>::try_from_uri(&uri).expect_err(query);
            assert_eq!(of_query(&error.body_text()), message, "{query}");
        }
    }
}
