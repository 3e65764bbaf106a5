//! What a server tells another one of a workbook from which one there imports.

use std::collections::BTreeSet;

use quadrille_protocol::{Revision, RoomName, decode_transaction, encode_transaction};
use quadrille_workbook::{ImportFunction, ImportSource, Imported, Workbook};
use serde::{Deserialize, Serialize};

use super::import_plan::plan;
use crate::limits;

/// Bytes of an answer, at most: the values, and the names of as many workbooks as one may import from.
pub const ANSWER_BYTES_MAX: usize = 2 * limits::IMPORT_BYTES_MAX + (4 << 20);

/// The answer, of two parts: a line of JSON, and the values as the operations that import them.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceAnswer {
    pub revision: Revision,
    /// The workbooks from which this one imports.
    pub sources: BTreeSet<RoomName>,
    /// What was asked for; `None` when nothing was, or nothing has changed since the revision that is known.
    pub imported: Option<Imported>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    revision: u64,
    sources: BTreeSet<String>,
    has_values: bool,
}

/// Under which the values are written.
fn carrier() -> ImportSource {
    ImportSource { function: ImportFunction::Range, arguments: vec!["".into(), "".into()] }
}

impl SourceAnswer {
    pub fn encode(&self) -> Vec<u8> {
        let sources = self.sources.iter().map(|source| source.as_str().to_owned()).collect();
        let head = Head { revision: self.revision.0, sources, has_values: self.imported.is_some() };
        let mut bytes = serde_json::to_vec(&head).expect("numbers and texts are written");
        bytes.push(b'\n');
        if let Some(imported) = &self.imported {
            let written = plan(&Workbook::new(), &[(carrier(), Some(imported.clone()))]);
            bytes.extend(encode_transaction(&written));
        }
        bytes
    }

    /// Reads an answer; `None` when the bytes are none.
    pub fn decode(bytes: &[u8]) -> Option<SourceAnswer> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        let imported = match head.has_values {
            true => {
                let written = decode_transaction(&bytes[end + 1..]).ok()?;
                let mut workbook = Workbook::new();
                quadrille_operation::apply(&mut workbook, &written);
                Some(carrier().find(workbook.items())?)
            }
            false => None,
        };
        let sources = head.sources.iter().map(|source| RoomName::new(source).ok()).collect::<Option<_>>()?;
        Some(SourceAnswer { revision: Revision(head.revision), sources, imported })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{Array, ErrorValue, Value};
    use quadrille_workbook::ImportFailure;

    #[test]
    fn answers_arrive_as_they_were_sent() {
        let values = vec![
            Value::Number(0.1 + 0.2),
            Value::text("two\nlines"),
            Value::Boolean(true),
            Value::Blank,
            Value::Error(ErrorValue::DivideByZero),
            Value::Number(-1e300),
        ];
        let values = Imported::Values(Array::new(3, 2, values).expect("six values"));
        let sources = BTreeSet::from([RoomName::new("sales").expect("a name")]);
        for imported in
            [None, Some(values), Some(Imported::Failure(ImportFailure::NotFound, "no sheet".into()))]
        {
            let answer = SourceAnswer { revision: Revision(7), sources: sources.clone(), imported };
            assert_eq!(SourceAnswer::decode(&answer.encode()), Some(answer));
        }
    }

    #[test]
    fn bytes_that_are_no_answer_are_refused() {
        for bytes in [&b""[..], b"{}\n", b"<html>\n", b"{\"revision\":1,\"sources\":[],\"hasValues\":true}\n"]
        {
            assert_eq!(SourceAnswer::decode(bytes), None, "{bytes:?}");
        }
    }
}
