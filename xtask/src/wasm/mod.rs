//! Post-processing of the engine's WebAssembly module that makes it smaller in brotli (decision 0007).

mod binary;
mod function_order;
mod local_order;
mod panic_locations;
#[cfg(test)]
mod tests;

pub use function_order::group_similar_functions;
pub use local_order::number_locals_by_first_use;
pub use panic_locations::remove_panic_locations;
