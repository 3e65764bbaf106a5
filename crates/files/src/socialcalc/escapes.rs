//! The escapes of a save's fields: `\c` is a colon, `\n` a line break, `\b` a backslash.

/// Escapes colons, line breaks and backslashes.
pub fn encode(field: &str) -> String {
    if !field.contains(['\\', ':', '\n', '\r']) {
        return field.to_owned();
    }
    field.replace("\r\n", "\n").replace('\\', "\\b").replace(':', "\\c").replace(['\n', '\r'], "\\n")
}

/// Reverses [`encode`].
pub fn decode(field: &str) -> String {
    if !field.contains('\\') {
        return field.to_owned();
    }
    field.replace("\\c", ":").replace("\\n", "\n").replace("\\b", "\\")
}
