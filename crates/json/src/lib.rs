//! JSON as a tree: a reader, and small functions that take it apart.
//!
//! Commands and questions are read by hand from one [`Json`], where derived decoders are written out for each type
//! and each source anew: those were a tenth of what the browser downloads. [`Json::parse`] reads text; the server, which reads
//! through serde, gets the same tree by [`Deserialize`](serde::Deserialize). What a message means stands where its type stands.
//! [`write()`] makes text of a message.
//!
//! It knows nothing of what is read: start at [`Json`], then [`Fields`].

mod object_fields;
mod parse;
mod tree;
mod write;

pub use object_fields::{Fields, name_index};
pub use tree::{Json, JsonError};
pub use write::write;
