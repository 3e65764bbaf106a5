//! From sources to the one binary: the engine as WebAssembly, then the page, then the server that holds both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::setup::{self, is_on_path, modified};
use crate::step::{Steps, command_in, execute};
use crate::wasm::{in_order_of_likeness, without_panic_locations};

const WASM_CRATE: &str = "quadrille-wasm";
const SERVER_CRATE: &str = "quadrille-server";

pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    release(project, &[])?;
    serve(project, "release", arguments)
}

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

pub fn dev(project: &Project, arguments: &[String]) -> Outcome {
    let mut steps = Steps::new();
    setup::for_build(project, &mut steps)?;
    web_client(project, &mut steps)?;
    development_server(project, &mut steps)?;
    serve(project, "debug", arguments)
}

/// The server as the tests use it: the profile that `cargo test` has already built everything for.
pub fn development_server(project: &Project, steps: &mut Steps) -> Outcome {
    steps.run(
        "build the server",
        &mut command_in(&project.root, &cargo(), &["build", "--package", SERVER_CRATE]),
    )
}

/// Only the engine, for the page that is there and for those who look at its size.
pub fn engine_alone(project: &Project, _arguments: &[String]) -> Outcome {
    if !engine(project, &mut Steps::new())? {
        print_size(&shipped_engine(project));
    }
    Ok(())
}

fn shipped_engine(project: &Project) -> PathBuf {
    project.web().join("engine/quadrille.wasm")
}

/// The engine as `web/engine/quadrille.wasm`; whether it is another one than before.
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
        steps.perform("optimise the engine", || optimise(&built, &shipped))?;
        print_size(&shipped);
    }
    Ok(has_changed)
}

/// The engine as `web/engine/quadrille.wasm` and the page as `web/dist`.
pub fn web_client(project: &Project, steps: &mut Steps) -> Outcome {
    let engine_changed = engine(project, steps)?;
    let page = project.web().join("dist/index.html");
    if engine_changed || newest(&project.web())? > modified(&page) {
        steps.run("build the page", &mut command_in(&project.web(), "npm", &["run", "build"]))?;
    }
    Ok(())
}

/// Debian's binaryen takes a twentieth off; without it the module works the same. What we do ourselves (`wasm/`) takes another.
pub fn optimise(built: &Path, shipped: &Path) -> Outcome {
    let failed = |path: &Path| format!("{}: ", path.display());
    let read = |path: &Path| fs::read(path).map_err(|error| failed(path) + &error.to_string());
    let write = |path: &Path, module: &[u8]| {
        fs::write(path, module).map_err(|error| failed(path) + &error.to_string())
    };
    if let Some(folder) = shipped.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(folder) + &error.to_string())?;
    }
    let small = built.with_extension("small.wasm");
    write(&small, &without_panic_locations(&read(built)?)?)?;
    let optimised = built.with_extension("optimised.wasm");
    if is_on_path("wasm-opt") {
        wasm_opt(&small, &optimised)?;
    } else {
        println!(
            "    wasm-opt (Debian: binaryen) is not installed; the module is a twentieth larger than it has to be"
        );
        fs::copy(&small, &optimised).map_err(|error| failed(&optimised) + &error.to_string())?;
    }
    write(shipped, &in_order_of_likeness(&read(&optimised)?)?)
}

fn wasm_opt(from: &Path, to: &Path) -> Outcome {
    // What the compiler of Rust emits by default since 1.82, and what .cargo/config.toml adds; older wasm-opt must be told to
    // accept it.
    let features = [
        "bulk-memory",
        "sign-ext",
        "mutable-globals",
        "nontrapping-float-to-int",
        "reference-types",
        "multivalue",
        "simd",
    ];
    // Nothing larger than a call is inlined: the compiler has inlined what is worth it, and what wasm-opt adds packs worse. With it, the
    // module is 2 % smaller, and 6 % larger in brotli.
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

/// As it is sent, where `brotli` is installed to tell.
fn print_size(module: &Path) {
    let plain = fs::metadata(module).map_or(0, |metadata| metadata.len());
    let packed = Command::new("brotli").args(["--quality=11", "--stdout"]).arg(module).output();
    match packed {
        Ok(packed) if packed.status.success() => {
            println!("    the engine: {} KB, {} KB in brotli", plain / 1000, packed.stdout.len() / 1000);
        }
        _ => println!("    the engine: {} KB", plain / 1000),
    }
}

/// When a source of the page last changed; what is built or installed does not count.
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

/// Hands the terminal over to the server, which prints its address.
fn serve(project: &Project, profile: &str, arguments: &[String]) -> Outcome {
    println!();
    execute(Command::new(project.binary(profile)).current_dir(&project.root).arg("serve").args(arguments))
}
