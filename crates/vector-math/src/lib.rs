//! Loops over columns of numbers, compiled for speed.
//!
//! The WebAssembly engine is compiled for size; this crate, in which large calculations spend their
//! time, is compiled for speed with SIMD (`[profile.wasm.package.quadrille-vector-math]`). Every
//! build gives the same bits: each number goes through the same operations in the same order, and
//! no multiplication and addition are fused.
//!
//! The crate knows numbers only: no cells, sheets or errors. `stack_machine.rs` runs the arithmetic
//! programs that `calc` compiles; `sum.rs` adds up columns.

mod stack_machine;
mod sum;

pub use stack_machine::{Input, STACK_MAX, Step, evaluate_chain, evaluate_rows, snap_to_zero};
pub use sum::{LANES, add_to_lanes};
