//! JSON as a tree: a parser, a writer, and accessors that report which field is wrong.
//!
//! Commands, events and queries are read from a [`Json`] value field by field instead of through
//! derived decoders. Internally tagged enumerations (`{"type": …}`) make `serde` buffer each
//! message and compile a second decoder for every variant: 45 KB of the browser's module in brotli.
//! They also lose the path to a wrong field, which the errors here name:
//!
//! ```
//! use quadrille_json::Json;
//!
//! let json = Json::parse(br#"{"sheet": 1, "count": "3"}"#).unwrap();
//! let fields = json.fields().unwrap();
//! assert_eq!(fields.u32("sheet"), Ok(1));
//! let error = fields.u32("count").unwrap_err().to_string();
//! assert_eq!(error, "count: expected an integer from 0 to 4294967295, found a string");
//! ```
//!
//! [`Json::parse`] reads text in the browser. The server, which reads through `serde`, gets the
//! same tree from [`Deserialize`](serde::Deserialize). The crate knows no message: each is read
//! where its type is defined. Start with [`Json`], then [`Fields`].

mod object_fields;
mod parse;
mod tree;
mod write;

pub use object_fields::Fields;
pub use tree::{Json, JsonError};
pub use write::write;
