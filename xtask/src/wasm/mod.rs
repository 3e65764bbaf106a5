//! What is done to the engine's module besides compiling it, so that it is small when it is sent.

mod binary;
mod order;
mod places;
#[cfg(test)]
mod tests;

pub use order::in_order_of_likeness;
pub use places::without_panic_locations;
