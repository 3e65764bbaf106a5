//! `cargo xtask test`: every check and test, the fastest first.

use std::fs;
use std::process::Command;

use crate::build;
use crate::clients;
use crate::codegen;
use crate::crash;
use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::setup;
use crate::step::{Lane, Steps, command_in, execute};
use crate::tidy;

const PARTS: [&str; 10] =
    ["fmt", "tidy", "web", "clippy", "rust", "simulation", "crash", "codegen", "clients", "e2e"];

/// The feature that lets the simulator plant faults. Without a planted fault the crates behave as in the
/// product.
const FAULTS: &str = "quadrille-simulation/faults";

/// Runs all parts, or those named by the arguments.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    if let Some(unknown) = arguments.iter().find(|argument| !PARTS.contains(&argument.as_str())) {
        return Err(format!("unknown part: {unknown}; there are {}", PARTS.join(" ")));
    }
    let wants = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    let mut steps = Steps::new();

    if wants("fmt") {
        let format = &mut command_in(&project.root, &cargo(), &["fmt", "--all", "--check"]);
        steps.run("formatting (cargo fmt)", format)?;
    }
    if wants("tidy") {
        steps.perform("tidy", || tidy::run(project, &[]))?;
    }
    setup::toolchain(&mut steps)?;
    steps.run_lanes(vec![
        Lane { name: "client", work: Box::new(|steps| client(project, &wants, steps)) },
        Lane { name: "crates", work: Box::new(|steps| compile(project, &wants, steps)) },
    ])?;
    if wants("rust") {
        codegen::clear_fresh(project)?;
        steps.run("tests of the crates", codegen::into_target(project, &mut test_workspace(project)))?;
        // The module that the client loads, compared with the native build.
        let mut same_bits = test_workspace(project);
        same_bits.args(["--test", "same_bits", "--", "--ignored"]);
        steps.run("native and WebAssembly give the same bits", &mut same_bits)?;
    }
    // A simulation uses one core, and killing a server mostly waits.
    let mut lanes = Vec::new();
    if wants("simulation") {
        lanes.push(Lane { name: "seeds", work: Box::new(|steps| simulate_seeds(project, steps)) });
        lanes.push(Lane { name: "faults", work: Box::new(|steps| simulate_faults(project, steps)) });
    }
    if wants("crash") {
        lanes.push(Lane { name: "crash", work: Box::new(|steps| kill_servers(project, steps)) });
    }
    steps.run_lanes(lanes)?;
    if wants("codegen") {
        if !wants("rust") {
            codegen::clear_fresh(project)?;
            let mut export = test_workspace(project);
            export.args(["--quiet", "--lib", "export_bindings"]);
            steps.run("generate types", codegen::into_target(project, &mut export))?;
        }
        steps.perform("generated types are current", || codegen::check(project))?;
    }
    if wants("clients") {
        clients::test(project, &mut steps)?;
    }
    if wants("e2e") {
        let mut browser_tests = command_in(&project.web(), "npm", &["run", "e2e"]);
        browser_tests.env("QUADRILLE_BINARY", project.binary("debug"));
        if let Some(browser) = setup::browser() {
            browser_tests.env("CHROMIUM", browser);
        }
        if let Some(firefox) = setup::firefox() {
            browser_tests.env("FIREFOX", firefox);
        }
        steps.run("browser tests", &mut browser_tests)?;
    }
    steps.print_summary();
    Ok(())
}

/// Installs what the tests need, builds the web client and tests it.
fn client(project: &Project, wants: &(dyn Fn(&str) -> bool + Sync), steps: &mut Steps) -> Outcome {
    setup::for_tests(project, steps)?;
    build::web_client(project, steps)?;
    if wants("web") {
        steps.run("web client: types", &mut command_in(&project.web(), "npm", &["run", "typecheck"]))?;
        steps.run("web client: unit tests", &mut command_in(&project.web(), "npm", &["test"]))?;
    }
    if wants("clients") {
        clients::build(project, steps)?;
    }
    if wants("clippy") {
        // `fuzz/` is a workspace of its own.
        let targets = [
            "check",
            "--locked",
            "--no-default-features",
            "--manifest-path",
            "fuzz/Cargo.toml",
            "--target-dir",
        ];
        let mut fuzz = command_in(&project.root, &cargo(), &targets);
        steps.run("fuzz targets compile", fuzz.arg(project.target.join("fuzz")))?;
    }
    Ok(())
}

/// Checks the crates and compiles their tests, for which the web client need not be built: development
/// builds read it when they run.
fn compile(project: &Project, wants: &(dyn Fn(&str) -> bool + Sync), steps: &mut Steps) -> Outcome {
    // They need the place of its files, though: the name of the folder is resolved by the compiler.
    let client = project.web().join("dist");
    fs::create_dir_all(&client).map_err(|error| format!("{}: {error}", client.display()))?;
    if wants("clippy") {
        let lint = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
        steps.run("clippy", &mut command_in(&project.root, &cargo(), &lint))?;
        // Shares the metadata of the crates with clippy.
        let mut document =
            command_in(&project.root, &cargo(), &["doc", "--quiet", "--workspace", "--no-deps"]);
        steps.run("documentation of the crates", document.env("RUSTDOCFLAGS", "--deny warnings"))?;
    }
    if ["rust", "simulation", "crash", "clients", "e2e"].iter().any(|part| wants(part)) {
        steps.run("compile the tests of the crates", test_workspace(project).arg("--no-run"))?;
    }
    Ok(())
}

/// The tests of the crates, with the same packages and features for all steps, since others would compile
/// the crates again. The tests of the server build the programs that later steps start.
fn test_workspace(project: &Project) -> Command {
    command_in(&project.root, &cargo(), &["test", "--workspace", "--features", FAULTS])
}

fn simulation(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(project.program("debug", "simulation"));
    command.current_dir(&project.root).args(arguments).arg("--keep").arg(&project.target);
    command
}

fn simulate_faults(project: &Project, steps: &mut Steps) -> Outcome {
    steps.run("simulation: planted faults are caught", &mut simulation(project, &["--all-faults"]))
}

fn simulate_seeds(project: &Project, steps: &mut Steps) -> Outcome {
    let fixed = &mut simulation(project, &["--seed", "0", "--seeds", "2000"]);
    steps.run("simulation: fixed seeds", fixed)?;
    steps.run("simulation: fresh seeds", &mut simulation(project, &["--seeds", "2000"]))
}

fn kill_servers(project: &Project, steps: &mut Steps) -> Outcome {
    let kill = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string()).collect();
        crash::kill(project, &project.binary("debug"), &arguments)
    };
    steps.perform("kill the server under load", || kill(&["--times", "10"]))?;
    if cfg!(target_os = "linux") {
        steps.perform("kill the server and lose unsynced writes", || kill(&["--times", "20", "--lossy"]))?;
        let lying = || match kill(&["--times", "10", "--lossy", "--lie"]) {
            Ok(()) => Err("syncs without effect were not detected".to_owned()),
            Err(_) => Ok(()),
        };
        steps.perform("a disk that ignores syncs is detected", lying)?;
    }
    Ok(())
}

/// `cargo xtask gallery`: takes screenshots of every panel, dialog, menu, empty state and error state of
/// the web client.
pub fn gallery(project: &Project, arguments: &[String]) -> Outcome {
    let mut steps = Steps::new();
    setup::for_tests(project, &mut steps)?;
    build::web_client(project, &mut steps)?;
    build::development_server(project, &mut steps)?;
    let mut screenshots = command_in(&project.web(), "node", &["--import", "tsx", "e2e/gallery/main.ts"]);
    screenshots.args(arguments).env("QUADRILLE_BINARY", project.binary("debug"));
    if let Some(browser) = setup::browser() {
        screenshots.env("CHROMIUM", browser);
    }
    execute(&mut screenshots)
}
