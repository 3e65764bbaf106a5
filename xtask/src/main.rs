//! The commands of the project (`cargo xtask COMMAND`), in Rust so that they run on every platform. The
//! Makefile calls them.
//!
//! Start reading with [`COMMANDS`]. [`build`] and [`test`](mod@test) are lists of steps, which [`step`] runs.

mod bench;
mod build;
mod clients;
mod codegen;
mod crash;
mod docs;
mod lints;
mod outcome;
mod package;
mod project;
mod python;
mod server;
mod setup;
mod sizing;
mod step;
mod test;
mod tidy;
mod wasm;
mod workbooks;

use std::process::ExitCode;

use outcome::Outcome;
use project::Project;

/// A command of this program.
struct Command {
    name: &'static str,
    summary: &'static str,
    run: fn(&Project, &[String]) -> Outcome,
}

const COMMANDS: [Command; 16] = [
    Command { name: "run", summary: "build everything for release and serve it", run: build::run },
    Command { name: "build", summary: "build the self-contained release binary", run: build::release },
    Command {
        name: "package",
        summary: "a static program, an archive, a Debian package and an image, for this machine or for the targets named",
        run: package::run,
    },
    Command {
        name: "engine",
        summary: "build only the engine of the web client and print its size",
        run: build::engine_alone,
    },
    Command {
        name: "dev",
        summary: "serve a development build; arguments go to `quadrille serve`",
        run: build::dev,
    },
    Command {
        name: "test",
        summary: "every check and test; or only: fmt clippy rust simulation crash tidy codegen clients workbooks arm64 web e2e",
        run: test::run,
    },
    Command { name: "ci", summary: "the same as test, for continuous integration", run: test::run },
    Command { name: "codegen", summary: "generate the TypeScript types of messages", run: codegen::write },
    Command { name: "tidy", summary: "check layering, names, file lengths and lock files", run: tidy::run },
    Command {
        name: "docs",
        summary: "build the documentation site in target/docs; --open shows it",
        run: docs::run,
    },
    Command {
        name: "clients",
        summary: "build the client libraries in target/clients: npm package and wheel; --test tests them",
        run: clients::run,
    },
    Command {
        name: "crash",
        summary: "kill the server 200 times under load; --times N, --lossy: lose unsynced writes",
        run: crash::run,
    },
    Command {
        name: "chaos",
        summary: "kill, pause and cut off three servers of one database; --kills N --partitions N --servers N",
        run: crash::run_chaos,
    },
    Command {
        name: "sizing",
        summary: "write docs/sizing.md: the servers and databases that many tenants need",
        run: sizing::run,
    },
    Command {
        name: "gallery",
        summary: "screenshots of every state of the web client; --out DIR --size --scheme --language --only NAME",
        run: test::gallery,
    },
    Command {
        name: "bench",
        summary: "run benchmarks: engine rooms client start memory size import latency access feeds ethercalc, or all but client; --peers --quick --json FILE|DIR",
        run: bench::run,
    },
];

fn main() -> ExitCode {
    if lints::is_rustdoc() {
        return lints::run_rustdoc();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print_help();
        return ExitCode::FAILURE;
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        print_help();
        return if name == "help" || name == "--help" { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    };
    match Project::find().and_then(|project| (command.run)(&project, rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("\n{}: {reason}", command.name);
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("cargo xtask COMMAND\n");
    for command in &COMMANDS {
        println!("  {:8} {}", command.name, command.summary);
    }
}
