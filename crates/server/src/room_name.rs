//! Which names rooms can have on this server, and new names that nobody guesses.
//!
//! Rooms, pages and routes share the top level of the URL. So that they never meet, names that routes use are
//! reserved, and so are names that end like an export or like a file of the client.

use quadrille_protocol::RoomName;

use crate::error::{ApiError, ErrorCode};

/// Path segments at the top level that are not rooms.
const RESERVED: [&str; 8] = ["api", "assets", "healthz", "readyz", "metrics", "admin", "static", "l10n"];

/// Ends of names at the top level that are exports (`/budget.csv`) or files of the client (`/favicon.svg`).
const RESERVED_ENDS: [&str; 19] = [
    ".csv",
    ".csv.json",
    ".tsv",
    ".json",
    ".xlsx",
    ".html",
    ".md",
    ".ods",
    ".fods",
    ".ico",
    ".svg",
    ".png",
    ".js",
    ".css",
    ".txt",
    ".map",
    ".wasm",
    ".webmanifest",
    ".xml",
];

/// The room of a URL segment, already percent-decoded.
pub fn parse(name: &str) -> Result<RoomName, ApiError> {
    let refuse =
        |why: &str| Err(ApiError::new(ErrorCode::BadRoomName, format!("{why}: {}", shortened(name))));
    if name.starts_with(['_', '=', '.']) {
        return refuse("a room's name does not begin with '_', '=' or '.'");
    }
    if RESERVED.contains(&name) {
        return refuse("this name is reserved");
    }
    if RESERVED_ENDS.iter().any(|end| name.ends_with(end)) {
        return refuse("a room's name does not end like a file");
    }
    RoomName::new(name).map_err(|error| ApiError::new(ErrorCode::BadRoomName, error.to_string()))
}

/// 26 random characters of an alphabet of 32: 130 bits.
pub fn unguessable() -> RoomName {
    // No letters or digits that look alike; lower case, so that a name can be read out.
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut random = [0u8; 26];
    getrandom::fill(&mut random).expect("the operating system gives random numbers");
    let name: String = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
    RoomName::new(&name).expect("letters and digits are URL-safe")
}

/// A room's name as a segment of a URL.
pub fn percent_encoded(segment: &str) -> String {
    let mut encoded = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

/// Names come from outside: what is shown of them in messages is short and printable.
fn shortened(name: &str) -> String {
    let shown: String = name.chars().take(40).flat_map(char::escape_default).collect();
    if name.chars().count() > 40 { shown + "…" } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_routes_and_files_are_reserved() {
        for bad in [
            "",
            "_new",
            "_",
            "=multi",
            "api",
            "assets",
            "healthz",
            "a.csv",
            "favicon.ico",
            "..",
            "a/b",
            "a b",
        ] {
            assert_eq!(parse(bad).map_err(|error| error.code), Err(ErrorCode::BadRoomName), "{bad}");
        }
        assert!(parse(&"x".repeat(129)).is_err());
        for good in ["budget", "Budget-2026", "a_b", "v1.2", "apis", "constructor"] {
            assert!(parse(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn new_names_differ_and_are_names() {
        let names: std::collections::BTreeSet<String> = (0..100).map(|_| unguessable().to_string()).collect();
        assert_eq!(names.len(), 100);
        assert!(names.iter().all(|name| parse(name).is_ok()));
    }
}
