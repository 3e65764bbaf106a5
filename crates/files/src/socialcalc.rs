//! The save format of SocialCalc, in which EtherCalc stores its rooms: lines of fields separated by
//! colons.
//!
//! A save contains one sheet. A bare save starts with `version:1.5`; EtherCalc wraps it in a MIME
//! multipart message with a table of contents, the editor's state and an audit trail. Both are
//! read; the wrapped form is written.

mod absolute;
pub mod comments;
mod defaults;
pub mod dialect;
mod edit;
mod envelope;
pub mod escapes;
mod format_tables;
mod graph;
mod links;
mod losses;
mod read;
mod read_cell;
mod results;
pub mod styles;
mod write;

use escapes::{decode, encode};
pub(crate) use losses::losses;
pub(crate) use read::read;
pub use results::{FormulaResult, formula_results};
pub use write::socialcalc_content;
pub(crate) use write::write;
