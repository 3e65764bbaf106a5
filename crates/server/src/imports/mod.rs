//! Imported data: fetches what formulas such as IMPORTRANGE need, and writes it into their workbooks
//! (docs/decisions/0023-imported-data-is-written-by-the-server.md).
//!
//! | file | contents |
//! |---|---|
//! | `pending_events` | [`Imports`], the handle by which the importer is told what rooms do |
//! | `importer` | [`Importer`], the task that decides when which workbook is brought up to date |
//! | `import_graph` | which workbooks import from which, and what is circular |
//! | `worker` | [`ImportWorker`], which brings one workbook up to date |
//! | `import_plan` | the operations that write what has come |
//! | `web_cache`, `web_tables`, `html_tables` | what web servers have sent, and the values in it |
//! | `workbook_range` | names of workbooks, and ranges in them |
//! | `source_answer` | what servers with one database tell each other of a source |
//!
//! Rules:
//!
//! I1  A workbook that is in memory, and each from which it imports, is brought up to date after a change
//!     of its own, of its sources, or of who may read them.
//! I2  Changes are coalesced: a workbook is written at most every `IMPORT_EVERY_MS`, less often while
//!     only its own imported data changes it.
//! I3  Only parts that differ from those in the workbook are written.
//! I4  A source is read only with the right to: whoever knows its address may view it, or it was granted.
//! I5  Web servers are asked only if the setting `import_hosts` names them, at public addresses, also after
//!     redirects (`guarded_resolver.rs`), and no update waits for them.
//! I6  A workbook that its sources import from gets an error, and so do chains of more than
//!     `IMPORT_CHAIN_MAX` workbooks.
//! I7  A source that another server runs is read there, every `IMPORT_ELSEWHERE_EVERY_MS`; its values are sent
//!     when its revision has changed.

mod html_tables;
mod import_graph;
mod import_plan;
mod importer;
mod pending_events;
mod source_answer;
mod web_cache;
mod web_tables;
mod workbook_range;
mod worker;

pub use importer::Importer;
pub use pending_events::Imports;
pub use source_answer::SourceAnswer;
pub use web_cache::WebCache;
pub use workbook_range::{values_of_sheet, workbook_named};
pub use worker::ImportWorker;
