//! `cargo xtask crash`: kills the server with `SIGKILL` under load. Runs `simulation/src/bin/crash`, with
//! an optional library that loses writes that were not synced. `cargo xtask chaos`: the same with several
//! servers of one database, which are also paused and cut off (`simulation/src/bin/chaos`).

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build;
use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::step::{command_in, execute};

/// `cargo xtask crash [--times N] [--lossy] [--seed N] …`: on the release build.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    build::release(project, &[])?;
    let crash = ["build", "--package", "quadrille-simulation", "--bin", "crash"];
    execute(&mut command_in(&project.root, &cargo(), &crash))?;
    kill(project, &project.binary("release"), arguments)
}

/// `cargo xtask chaos [--kills N] [--partitions N] [--servers N] [--seed N]`: on the release build.
pub fn run_chaos(project: &Project, arguments: &[String]) -> Outcome {
    build::release(project, &[])?;
    // A development build takes the processors from the servers as its replicas grow.
    let chaos = ["build", "--release", "--package", "quadrille-simulation", "--bin", "chaos"];
    execute(&mut command_in(&project.root, &cargo(), &chaos))?;
    let mut command = Command::new(project.program("release", "chaos"));
    command.current_dir(&project.root).arg("--binary").arg(project.binary("release")).args(arguments);
    execute(&mut command)
}

/// Runs the program `crash`, which must be built, on a server binary. Inserts the path of the lossy-disk
/// library after `--lossy`.
pub fn kill(project: &Project, binary: &Path, arguments: &[String]) -> Outcome {
    let mut command = Command::new(project.program("debug", "crash"));
    command.current_dir(&project.root);
    command.arg("--binary").arg(binary);
    for argument in arguments {
        command.arg(argument);
        if argument == "--lossy" {
            command.arg(lossy_library(project)?);
        }
    }
    execute(&mut command)
}

fn lossy_library(project: &Project) -> Result<PathBuf, String> {
    if !cfg!(target_os = "linux") {
        return Err("--lossy works on Linux only".into());
    }
    let library = project.target.join("lossy.so");
    let source = project.root.join("simulation/src/bin/crash/lossy_disk.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut compile = Command::new(compiler);
    compile.args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-o"]).arg(&library).arg(source);
    compile.args(["-ldl", "-lpthread"]);
    execute(&mut compile)?;
    Ok(library)
}
