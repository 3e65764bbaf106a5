//! Loops over columns of numbers.
//!
//! The browser's engine is compiled for size; this crate, in which a large calculation spends its time, for speed and with
//! vectors (`[profile.wasm.package.quadrille-vector-math]`). Results are the same bits in any build: each number goes through the
//! same additions and multiplications in the same order, however many at once, and nothing is fused.
//!
//! It knows numbers only: no cells, sheets or errors. `stack_machine.rs` carries out arithmetic that `calc` has compiled, `sum.rs` adds up.

mod stack_machine;
mod sum;

pub use stack_machine::{Input, STACK_MAX, Step, each, in_turn, settled};
pub use sum::{LANES, add};
