//! Quadrille's engine behind the rows of the engine benchmark.
//!
//! [`Ours`] is a workbook with its calculation, which is what the peers' types are: no history, no room. `document.rs` has the
//! same edits one floor higher, as a replica makes them. The native program is `main.rs`; `module.rs` is what Node calls.

mod document;
#[cfg(target_arch = "wasm32")]
mod module;
mod ours;

pub use document::document;
pub use ours::{Ours, wrong};
