//! `cargo xtask test`: every check and test, the fastest first.

use std::fs;
use std::num::NonZero;
use std::process::Command;

use crate::build;
use crate::clients;
use crate::codegen;
use crate::crash;
use crate::lints;
use crate::outcome::Outcome;
use crate::package;
use crate::project::{Project, cargo};
use crate::setup;
use crate::step::{Lane, Steps, command_in, execute};
use crate::tidy;
use crate::workbooks;

const PARTS: [&str; 12] = [
    "fmt",
    "tidy",
    "web",
    "clippy",
    "rust",
    "simulation",
    "crash",
    "codegen",
    "clients",
    "workbooks",
    "arm64",
    "e2e",
];

/// The feature that lets the simulator plant faults. Without a planted fault the crates behave as in the
/// product.
const FAULTS: &str = "quadrille-simulation/faults";

/// Whether a part is to be run.
type Wants<'a> = dyn Fn(&str) -> bool + Sync + 'a;

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
        Lane { name: Some("client"), work: Box::new(|steps| client(project, &wants, steps)) },
        Lane { name: Some("crates"), work: Box::new(|steps| compile(project, &wants, steps)) },
    ])?;
    // Many tests wait for servers; a simulation uses one core, and killing a server mostly waits, as does
    // installing packages.
    steps.run_lanes(vec![
        Lane { name: None, work: Box::new(|steps| test_crates(project, &wants, steps)) },
        Lane { name: Some("seeds"), work: Box::new(|steps| document_and_simulate(project, &wants, steps)) },
        Lane {
            name: Some("others"),
            work: Box::new(|steps| {
                plant_faults(project, &wants, steps)?;
                test_clients(project, &wants, steps)
            }),
        },
    ])?;
    // It uses all processors for minutes, in which tests that wait for servers would fail.
    if wants("arm64") {
        package::test_arm64(project, &mut steps)?;
    }
    if wants("e2e") {
        let mut browser_tests = command_in(&project.web(), "npm", &["run", "e2e"]);
        browser_tests.env("QUADRILLE_BINARY", project.binary("debug"));
        if let Some(browser) = setup::test_browser() {
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
fn client(project: &Project, wants: &Wants, steps: &mut Steps) -> Outcome {
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
fn compile(project: &Project, wants: &Wants, steps: &mut Steps) -> Outcome {
    // They need the place of its files, though: the name of the folder is resolved by the compiler.
    let client = project.web().join("dist");
    fs::create_dir_all(&client).map_err(|error| format!("{}: {error}", client.display()))?;
    let programs_are_needed =
        ["rust", "simulation", "crash", "clients", "workbooks", "e2e"].iter().any(|part| wants(part));
    if lints_while_compiling(wants) {
        let title = "clippy, and compile the tests of the crates";
        return steps.run(title, test_workspace(project, wants)?.arg("--no-run"));
    }
    if wants("clippy") {
        let lint = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
        steps.run("clippy", &mut command_in(&project.root, &cargo(), &lint))?;
        // Shares the metadata of the crates with clippy.
        let mut document =
            command_in(&project.root, &cargo(), &["doc", "--quiet", "--workspace", "--no-deps"]);
        steps.run("documentation of the crates", document.env("RUSTDOCFLAGS", "--deny warnings"))?;
    }
    if programs_are_needed {
        steps.run("compile the tests of the crates", test_workspace(project, wants)?.arg("--no-run"))?;
    }
    Ok(())
}

/// Whether clippy and rustdoc are parts of the compilation of the tests. Without the tests, checking the
/// crates is quicker.
fn lints_while_compiling(wants: &Wants) -> bool {
    wants("clippy") && wants("rust")
}

/// Runs the tests of the crates, and compares the types that they generate with the committed ones.
fn test_crates(project: &Project, wants: &Wants, steps: &mut Steps) -> Outcome {
    if wants("rust") {
        codegen::clear_fresh(project)?;
        let mut tests = test_workspace(project, wants)?;
        // The examples of the documentation run beside them.
        tests.args(["--lib", "--bins", "--tests"]);
        // A third of the time of the tests of servers is waiting.
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        tests.env("RUST_TEST_THREADS", (cores + 1).to_string());
        steps.run("tests of the crates", codegen::into_target(project, &mut tests))?;
        // The module that the client loads, compared with the native build.
        let mut same_bits = test_workspace(project, wants)?;
        same_bits.args(["--test", "same_bits", "--", "--ignored"]);
        steps.run("native and WebAssembly give the same bits", &mut same_bits)?;
    } else if wants("codegen") {
        codegen::clear_fresh(project)?;
        let mut export = test_workspace(project, wants)?;
        export.args(["--quiet", "--lib", "export_bindings"]);
        steps.run("generate types", codegen::into_target(project, &mut export))?;
    }
    if wants("codegen") {
        steps.perform("generated types are current", || codegen::check(project))?;
    }
    Ok(())
}

/// Tests the examples of the documentation, and runs simulations without planted faults.
fn document_and_simulate(project: &Project, wants: &Wants, steps: &mut Steps) -> Outcome {
    if wants("rust") {
        let mut examples = test_workspace(project, wants)?;
        examples.arg("--doc");
        if lints_while_compiling(wants) {
            let title = "documentation of the crates and its examples";
            steps.run(title, lints::with_documentation(project, &mut examples)?)?;
        } else {
            steps.run("examples of the documentation of the crates", &mut examples)?;
        }
    }
    if wants("simulation") {
        let fixed = &mut simulation(project, &["--seed", "0", "--seeds", "2000"]);
        steps.run("simulation: fixed seeds", fixed)?;
        steps.run("simulation: fresh seeds", &mut simulation(project, &["--seeds", "2000"]))?;
        let fixed = &mut simulation(project, &["--cluster", "--seed", "0", "--seeds", "1000"]);
        steps.run("simulation of several servers: fixed seeds", fixed)?;
        let fresh = &mut simulation(project, &["--cluster", "--seeds", "1000"]);
        steps.run("simulation of several servers: fresh seeds", fresh)?;
    }
    Ok(())
}

/// Tests the clients of the REST interface, and compares workbooks that were read and written again.
fn test_clients(project: &Project, wants: &Wants, steps: &mut Steps) -> Outcome {
    if wants("clients") {
        clients::test(project, steps)?;
    }
    if wants("workbooks") { workbooks::compare(project, steps) } else { Ok(()) }
}

/// Checks that planted faults are caught, and that killed servers lose nothing.
fn plant_faults(project: &Project, wants: &Wants, steps: &mut Steps) -> Outcome {
    if wants("simulation") {
        steps.run("simulation: planted faults are caught", &mut simulation(project, &["--all-faults"]))?;
    }
    if wants("crash") { kill_servers(project, steps) } else { Ok(()) }
}

/// The tests of the crates, with the same packages and features for all steps, since others would compile
/// the crates again. The tests of the server build the programs that later steps start.
fn test_workspace(project: &Project, wants: &Wants) -> Result<Command, String> {
    let mut command = command_in(&project.root, &cargo(), &["test", "--workspace", "--features", FAULTS]);
    if lints_while_compiling(wants) {
        lints::with_clippy(&mut command)?;
    }
    Ok(command)
}

fn simulation(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(project.program("debug", "simulation"));
    command.current_dir(&project.root).args(arguments).arg("--keep").arg(&project.target);
    command
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
    if let Some(browser) = setup::test_browser() {
        screenshots.env("CHROMIUM", browser);
    }
    execute(&mut screenshots)
}
