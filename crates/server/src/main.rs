//! The binary `quadrille`.

use std::process::ExitCode;

fn main() -> ExitCode {
    quadrille::run()
}
