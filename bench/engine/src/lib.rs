//! Quadrille's engine in the engine benchmark.
//!
//! [`Ours`] is a workbook with its calculation, without undo history and room, like the types of the other
//! engines. `document.rs` measures the same edits as operations of a replica. `main.rs` is the native
//! program, `module.rs` the WebAssembly module that Node runs.

mod document;
#[cfg(target_arch = "wasm32")]
mod module;
mod ours;

pub use document::document;
pub use ours::{Ours, wrong};
