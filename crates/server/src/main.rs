//! The binary `quadrille`.

use std::process::ExitCode;

/// The allocator of musl has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    quadrille::run()
}
