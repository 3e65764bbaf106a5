//! Builds the release binary: the engine as WebAssembly, the web client, and the server that contains
//! both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::setup::{self, is_on_path, modified};
use crate::step::{Steps, command_in, execute};
use crate::wasm::{group_similar_functions, number_locals_by_first_use, remove_panic_locations};

const WASM_CRATE: &str = "quadrille-wasm";
const SERVER_CRATE: &str = "quadrille-server";

/// `cargo xtask run`: builds for release and serves.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    release(project, &[])?;
    serve(project, "release", arguments)
}

/// `cargo xtask build`: builds the release binary.
pub fn release(project: &Project, _arguments: &[String]) -> Outcome {
    let mut steps = Steps::new();
    setup::for_build(project, &mut steps)?;
    web_client(project, &mut steps)?;
    steps.run(
        "build the server",
        &mut command_in(&project.root, &cargo(), &["build", "--release", "--package", SERVER_CRATE]),
    )?;
    steps.print_summary();
    println!("\n{}", project.binary("release").display());
    Ok(())
}

/// `cargo xtask dev`: builds for development and serves.
pub fn dev(project: &Project, arguments: &[String]) -> Outcome {
    let mut steps = Steps::new();
    setup::for_build(project, &mut steps)?;
    web_client(project, &mut steps)?;
    development_server(project, &mut steps)?;
    serve(project, "debug", arguments)
}

/// Builds the server with the profile of `cargo test`, whose dependencies are already built.
pub fn development_server(project: &Project, steps: &mut Steps) -> Outcome {
    steps.run(
        "build the server",
        &mut command_in(&project.root, &cargo(), &["build", "--package", SERVER_CRATE]),
    )
}

/// `cargo xtask engine`: builds only the engine and prints its size.
pub fn engine_alone(project: &Project, _arguments: &[String]) -> Outcome {
    if !engine(project, &mut Steps::new())? {
        print_size(&shipped_engine(project));
    }
    Ok(())
}

fn shipped_engine(project: &Project) -> PathBuf {
    project.web().join("engine/quadrille.wasm")
}

/// Builds the engine as `web/engine/quadrille.wasm`; returns whether it changed.
fn engine(project: &Project, steps: &mut Steps) -> Result<bool, String> {
    steps.run(
        "build the engine for browsers",
        &mut command_in(
            &project.root,
            &cargo(),
            &["build", "--package", WASM_CRATE, "--target", "wasm32-unknown-unknown", "--profile", "wasm"],
        ),
    )?;
    let built = project.target.join("wasm32-unknown-unknown/wasm/quadrille_wasm.wasm");
    let shipped = shipped_engine(project);
    let has_changed = modified(&built) > modified(&shipped);
    if has_changed {
        steps.perform("optimize the engine", || optimize(&built, &shipped))?;
        print_size(&shipped);
    }
    Ok(has_changed)
}

/// Builds the engine as `web/engine/quadrille.wasm` and the web client as `web/dist`.
pub fn web_client(project: &Project, steps: &mut Steps) -> Outcome {
    let engine_changed = engine(project, steps)?;
    let client = project.web().join("dist/index.html");
    if engine_changed || newest(&project.web())? > modified(&client) {
        steps.run("build the web client", &mut command_in(&project.web(), "npm", &["run", "build"]))?;
    }
    Ok(())
}

/// Optimizes a module for size: removal of panic locations, `wasm-opt` of Debian's binaryen if installed
/// (5 %), and the order of functions and locals.
pub fn optimize(built: &Path, shipped: &Path) -> Outcome {
    let failed = |path: &Path| format!("{}: ", path.display());
    let read = |path: &Path| fs::read(path).map_err(|error| failed(path) + &error.to_string());
    let write = |path: &Path, module: &[u8]| {
        fs::write(path, module).map_err(|error| failed(path) + &error.to_string())
    };
    if let Some(folder) = shipped.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(folder) + &error.to_string())?;
    }
    let small = built.with_extension("small.wasm");
    write(&small, &remove_panic_locations(&read(built)?)?)?;
    let optimized = built.with_extension("optimized.wasm");
    if is_on_path("wasm-opt") {
        wasm_opt(&small, &optimized)?;
    } else {
        println!("    wasm-opt (Debian: binaryen) is not installed; the module is 5 % larger than necessary");
        fs::copy(&small, &optimized).map_err(|error| failed(&optimized) + &error.to_string())?;
    }
    let grouped = group_similar_functions(&read(&optimized)?)?;
    write(shipped, &number_locals_by_first_use(&grouped)?)
}

fn wasm_opt(from: &Path, to: &Path) -> Outcome {
    // Features that Rust enables by default since 1.82, and those of .cargo/config.toml. Older versions of
    // wasm-opt need them listed.
    let features = [
        "bulk-memory",
        "sign-ext",
        "mutable-globals",
        "nontrapping-float-to-int",
        "reference-types",
        "multivalue",
        "simd",
    ];
    // No inlining beyond the size of a call: with the default inlining the module is 2 % smaller, but 6 %
    // larger in brotli.
    let inlining = [
        "--always-inline-max-function-size=3",
        "--flexible-inline-max-function-size=0",
        "--one-caller-inline-max-function-size=0",
    ];
    execute(
        Command::new("wasm-opt")
            .arg("-O2")
            .args(inlining)
            .args(features.iter().map(|feature| format!("--enable-{feature}")))
            .args(["--strip-debug", "--strip-producers", "-o"])
            .args([to, from]),
    )
}

/// Budget of the engine's module in brotli, in KB (decision 0007).
const ENGINE_KB_MAX: usize = 650;

/// Prints the size of the module, and in brotli if the program `brotli` is installed.
fn print_size(module: &Path) {
    let plain = fs::metadata(module).map_or(0, |metadata| metadata.len());
    let packed = Command::new("brotli").args(["--quality=11", "--stdout"]).arg(module).output();
    match packed {
        Ok(packed) if packed.status.success() => {
            let packed = packed.stdout.len() / 1000;
            println!("    the engine: {} KB, {packed} of {ENGINE_KB_MAX} KB in brotli", plain / 1000);
        }
        _ => println!("    the engine: {} KB", plain / 1000),
    }
}

/// The time of the last change of a source of the web client. Build output and installed packages do not
/// count.
fn newest(folder: &Path) -> Result<Option<std::time::SystemTime>, String> {
    const NOT_SOURCES: [&str; 5] = ["node_modules", "dist", "e2e", "test-results", "playwright-report"];
    let mut newest = None;
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if NOT_SOURCES.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let changed = if path.is_dir() { self::newest(&path)? } else { modified(&path) };
        newest = newest.max(changed);
    }
    Ok(newest)
}

/// Runs the server, which prints its address.
fn serve(project: &Project, profile: &str, arguments: &[String]) -> Outcome {
    println!();
    execute(Command::new(project.binary(profile)).current_dir(&project.root).arg("serve").args(arguments))
}
