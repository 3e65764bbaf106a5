//! `cargo xtask bench`: builds for release and runs the benchmarks of `bench/`.

use std::path::PathBuf;

use crate::build;
use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::setup;
use crate::step::{Steps, command_in, execute};

/// The crate that runs the tasks of the engine benchmark, natively and as a module.
const ENGINE_CRATE: &str = "quadrille-bench-engine";

/// Builds the parts that the named workloads need and runs `bench`.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    if let Some((_, rest)) = arguments.split_first().filter(|(name, _)| *name == "storage") {
        return storage(project, rest);
    }
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    build::release(project, &[])?;
    if let Some((_, rest)) = arguments.split_first().filter(|(name, _)| *name == "client") {
        return client(project, rest);
    }
    let mut steps = Steps::new();
    if has("engine") || has("all") {
        engine(project, &mut steps)?;
    }
    if has("--peers") && (has("engine") || has("all")) {
        engine_peers(project, &mut steps)?;
    }
    for (name, folder, workloads) in [
        ("the peers of rooms", "rooms", ["rooms", "all"].as_slice()),
        ("EtherCalc", "ethercalc", &["rooms", "commands", "all"]),
    ] {
        if has("--peers") && workloads.iter().any(|workload| has(workload)) {
            let folder = project.root.join("bench/peers").join(folder);
            // Install scripts would compile optional native parts, which the peers do not need.
            steps.run(
                &format!("install {name}"),
                &mut command_in(&folder, "npm", &["ci", "--ignore-scripts"]),
            )?;
        }
    }
    execute(
        command_in(
            &project.root,
            &cargo(),
            &["run", "--quiet", "--release", "--package", "quadrille-bench", "--"],
        )
        .args(arguments)
        .env("QUADRILLE_BINARY", project.binary("release"))
        .env("QUADRILLE_WEB_DIST", project.web().join("dist"))
        .env("QUADRILLE_BENCH_ENGINE", project.target.join("release").join(ENGINE_CRATE))
        .env("QUADRILLE_BENCH_MODULE", module(project))
        .env("QUADRILLE_BENCH_PEERS", peers_target(project).join("release"))
        .env("QUADRILLE_ROOT", &project.root),
    )
}

/// Runs the client benchmark in a browser: `web/bench`.
fn client(project: &Project, arguments: &[String]) -> Outcome {
    let mut measure = command_in(&project.web(), "node", &["--import", "tsx", "bench/main.ts"]);
    measure.env("QUADRILLE_BINARY", project.binary("release"));
    for (at, argument) in arguments.iter().enumerate() {
        // The benchmark runs in `web`, but the file is named from where the command is called.
        match at > 0 && arguments[at - 1] == "--json" {
            true => measure.arg(std::path::absolute(argument).map_err(|error| error.to_string())?),
            false => measure.arg(argument),
        };
    }
    if let Some(browser) = setup::browser() {
        measure.env("CHROMIUM", browser);
    }
    execute(&mut measure)
}

/// Runs the benchmark of the storage engines, which needs no server: `bench/storage`.
fn storage(project: &Project, arguments: &[String]) -> Outcome {
    let mut measure = command_in(
        &project.root,
        &cargo(),
        &["run", "--quiet", "--release", "--package", "quadrille-bench-storage", "--"],
    );
    if !arguments.iter().any(|argument| argument == "--json") {
        measure.arg("--json").arg(project.root.join("bench/results/storage.json"));
    }
    execute(measure.args(arguments))
}

fn module(project: &Project) -> PathBuf {
    project.target.join("wasm32-unknown-unknown/wasm/quadrille_bench_engine.optimized.wasm")
}

fn peers_target(project: &Project) -> PathBuf {
    project.target.join("peers")
}

/// Builds the engine benchmark natively and as a module with the profile of the engine.
fn engine(project: &Project, steps: &mut Steps) -> Outcome {
    let cargo = cargo();
    let in_root = |arguments: &[&str]| command_in(&project.root, &cargo, arguments);
    steps.run(
        "build the engine benchmark",
        &mut in_root(&["build", "--release", "--package", ENGINE_CRATE]),
    )?;
    steps.run(
        "build the engine benchmark for WebAssembly",
        &mut in_root(&[
            "build",
            "--package",
            ENGINE_CRATE,
            "--lib",
            "--target",
            "wasm32-unknown-unknown",
            "--profile",
            "wasm",
        ]),
    )?;
    let built = project.target.join("wasm32-unknown-unknown/wasm/quadrille_bench_engine.wasm");
    steps.perform("optimize the engine benchmark", || build::optimize(&built, &module(project)))
}

/// Downloads and builds the engines of other projects that are measured for comparison. They are not
/// part of the product.
fn engine_peers(project: &Project, steps: &mut Steps) -> Outcome {
    let folder = project.root.join("bench/peers");
    steps.run(
        "build the peers (the first time takes minutes)",
        command_in(&folder.join("engine"), &cargo(), &["build", "--release", "--locked"])
            .env("CARGO_TARGET_DIR", peers_target(project)),
    )?;
    steps.run("install HyperFormula", &mut command_in(&folder.join("hyperformula"), "npm", &["ci"]))
}
