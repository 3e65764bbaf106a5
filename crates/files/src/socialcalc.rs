//! SocialCalc's save format, which EtherCalc keeps its rooms in: lines of fields with colons between them.
//!
//! A save holds one sheet. The sheet alone starts with `version:1.5`; EtherCalc wraps it into a MIME multipart with a
//! table of contents, the editor's state and an audit trail. We read both and write the wrapped one.

mod envelope;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

/// Fields hold neither colon nor line end nor backslash.
fn encode(field: &str) -> String {
    if !field.contains(['\\', ':', '\n', '\r']) {
        return field.to_owned();
    }
    field.replace("\r\n", "\n").replace('\\', "\\b").replace(':', "\\c").replace(['\n', '\r'], "\\n")
}

fn decode(field: &str) -> String {
    if !field.contains('\\') {
        return field.to_owned();
    }
    field.replace("\\c", ":").replace("\\n", "\n").replace("\\b", "\\")
}
