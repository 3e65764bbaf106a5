//! Valid names of rooms, and random names for new rooms.
//!
//! Rooms, pages and routes share the top level of the URL. To avoid conflicts, names of routes are
//! reserved, and so are names that end like an export or like a file of the web client.

use quadrille_protocol::RoomName;

use crate::error::{ApiError, ErrorCode};

/// Path segments at the top level that are not rooms.
const RESERVED: [&str; 8] = ["api", "assets", "healthz", "readyz", "metrics", "admin", "static", "l10n"];

/// Suffixes at the top level of exports (`/budget.csv`) and files of the web client
/// (`/favicon.svg`).
const RESERVED_SUFFIXES: [&str; 19] = [
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

/// Parses a room name from a percent-decoded URL segment.
///
/// # Errors
///
/// Fails with `bad_room_name`.
pub fn parse(name: &str) -> Result<RoomName, ApiError> {
    let invalid =
        |reason: &str| Err(ApiError::new(ErrorCode::BadRoomName, format!("{reason}: {}", shortened(name))));
    if name.starts_with(['_', '=', '.']) {
        return invalid("a room name cannot begin with '_', '=' or '.'");
    }
    if RESERVED.contains(&name) {
        return invalid("the room name is reserved");
    }
    if RESERVED_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) {
        return invalid("a room name cannot end with a file extension");
    }
    RoomName::new(name).map_err(|error| ApiError::new(ErrorCode::BadRoomName, error.to_string()))
}

/// Returns a random name of 26 characters from an alphabet of 32: 130 bits.
pub fn random() -> RoomName {
    // Lower case without similar-looking letters and digits, so that a name can be dictated.
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut random = [0u8; 26];
    getrandom::fill(&mut random).expect("the operating system provides random numbers");
    let name: String = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
    RoomName::new(&name).expect("letters and digits are URL-safe")
}

/// Returns a random name as EtherCalc's: 12 letters and digits, of which its clients may know the length.
/// 61 bits.
pub fn random_ethercalc() -> RoomName {
    const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    loop {
        let mut random = [0u8; ETHERCALC_LENGTH];
        getrandom::fill(&mut random).expect("the operating system provides random numbers");
        // The largest multiple of 36: all characters are equally likely.
        if random.iter().any(|byte| *byte >= 252) {
            continue;
        }
        let name: String = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 36)])).collect();
        // Two of three names: the others could be somebody's words.
        if looks_random(&name) {
            return RoomName::new(&name).expect("letters and digits are URL-safe");
        }
    }
}

/// Letters and digits of EtherCalc's random names.
const ETHERCALC_LENGTH: usize = 12;

/// Whether the name, or its last part, is random, so that only who has been told it knows it.
pub fn is_random(room: &RoomName) -> bool {
    let suffix = room.as_str().rsplit(['-', '_']).next().unwrap_or_default();
    let is_long = suffix.len() >= 20 && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_long || looks_random(suffix)
}

/// Whether a text may be one of EtherCalc's random names, in which letters and digits alternate more than
/// in names that people choose, such as `budget2026q1`.
fn looks_random(text: &str) -> bool {
    let is_made_of = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    let changes =
        text.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
    text.len() == ETHERCALC_LENGTH && text.bytes().all(is_made_of) && changes.count() >= 4
}

/// Percent-encodes a segment of a URL.
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

/// Shortens and escapes a name for messages.
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
    fn random_names_are_valid_and_differ() {
        let names: std::collections::BTreeSet<String> = (0..100).map(|_| random().to_string()).collect();
        assert_eq!(names.len(), 100);
        assert!(names.iter().all(|name| parse(name).is_ok()));
        for (name, expected) in [
            (random().as_str(), true),
            (random_ethercalc().as_str(), true),
            ("budget", false),
            ("budget2026q1", false),
            ("a_long-name_in-several_parts", false),
        ] {
            let formed = RoomName::new(&format!("budget_{name}")).expect("a valid name");
            assert_eq!(is_random(&RoomName::new(name).expect("a valid name")), expected, "{name}");
            assert_eq!(is_random(&formed), expected, "{formed}");
        }
    }
}
