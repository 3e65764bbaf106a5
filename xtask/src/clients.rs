//! `cargo xtask clients`: the client libraries, generated from the OpenAPI document: an npm package and a
//! Python wheel in `target/clients`. `--test` installs both as their users do and runs their tests against
//! a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::python::{environment, pip_install};
use crate::server::Server;
use crate::setup;
use crate::step::{Steps, command_in, succeeds};

/// Builds both libraries.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    let is_tested = match arguments {
        [] => false,
        [argument] if argument == "--test" => true,
        _ => return Err(format!("unknown arguments: {}", arguments.join(" "))),
    };
    let mut steps = Steps::new();
    build(project, &mut steps)?;
    if is_tested {
        let compile = ["build", "--quiet", "--package", "quadrille-server"];
        steps.run("build the server", &mut command_in(&project.root, &cargo(), &compile))?;
        test(project, &mut steps)?;
    }
    Ok(())
}

/// Generates the libraries and packs them.
pub fn build(project: &Project, steps: &mut Steps) -> Outcome {
    let target = folder(project)?;
    let npm = project.root.join("clients/typescript");
    let install = ["ci", "--no-fund", "--no-audit"];
    steps.run("TypeScript client: generator", &mut command_in(&npm, "npm", &install))?;
    for script in ["generate", "build"] {
        let title = format!("TypeScript client: {script}");
        steps.run(&title, &mut command_in(&npm, "npm", &["run", "--silent", script]))?;
    }
    let mut pack = command_in(&npm, "npm", &["pack", "--silent", "--pack-destination"]);
    steps.run("TypeScript client: pack", pack.arg(&target))?;

    setup::python_venv(steps)?;
    let python = project.root.join("clients/python");
    let tools = environment(&target.join("generator"), steps)?;
    let requirements = python.join("requirements.txt");
    steps.run("Python client: generator", pip_install(&tools).arg("-r").arg(requirements))?;
    let package = target.join("python");
    let generate = &mut Command::new(tools.join("openapi-python-client"));
    generate.args(["generate", "--overwrite", "--fail-on-warning", "--meta", "setup", "--config"]);
    generate.arg(python.join("generator.yaml")).arg("--output-path").arg(&package);
    generate.arg("--path").arg(project.root.join("crates/server/openapi.json"));
    steps.run("Python client: generate", generate)?;
    let wheel = &mut Command::new(tools.join("pip"));
    wheel.args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]);
    steps.run("Python client: wheel", wheel.arg("--wheel-dir").arg(&target).arg(&package))
}

/// Installs the packed libraries and runs their tests against the development build of the server.
pub fn test(project: &Project, steps: &mut Steps) -> Outcome {
    let target = folder(project)?;
    let data = target.join("data");
    // Left behind by an earlier run.
    _ = fs::remove_dir_all(&data);
    let server = Server::start(Command::new(project.binary("debug")), &data)?;

    let npm = target.join("npm");
    _ = fs::remove_dir_all(&npm);
    fs::create_dir_all(&npm).map_err(|error| format!("{}: {error}", npm.display()))?;
    fs::write(npm.join("package.json"), r#"{"private":true,"type":"module"}"#)
        .map_err(|error| error.to_string())?;
    let mut install = command_in(&npm, "npm", &["install", "--no-fund", "--no-audit", "--silent"]);
    steps.run("TypeScript client: install", install.arg(newest(&target, ".tgz")?))?;
    let source = project.root.join("clients/typescript/client.test.mjs");
    fs::copy(&source, npm.join("client.test.mjs")).map_err(|error| error.to_string())?;
    let mut run = command_in(&npm, "node", &["--test", "client.test.mjs"]);
    steps.run("TypeScript client: test", run.env("QUADRILLE_URL", &server.url))?;

    let tools = environment(&target.join("environment"), steps)?;
    let wheel = newest(&target, ".whl")?;
    steps.run("Python client: install", pip_install(&tools).arg("--force-reinstall").arg(wheel))?;
    let requirements = project.root.join("clients/python/requirements-test.txt");
    steps.run("data frames: install", pip_install(&tools).arg("-r").arg(requirements))?;
    for (title, file) in [("Python client", "test_client.py"), ("data frames", "test_data_frames.py")] {
        let run = &mut Command::new(tools.join("python"));
        run.arg(project.root.join("clients/python").join(file)).env("QUADRILLE_URL", &server.url);
        steps.run(&format!("{title}: test"), run)?;
    }
    test_ethercalc_python(project, &server, steps)
}

/// Runs the package `ethercalc-python` of PyPI, which was written for EtherCalc, against the server. It
/// can be installed up to Python 3.11, where the translator from Python 2 was still a part of it.
fn test_ethercalc_python(project: &Project, server: &Server, steps: &mut Steps) -> Outcome {
    let translates = &mut Command::new("python3");
    if !succeeds(translates.args(["-W", "ignore", "-c", "import lib2to3, distutils"])) {
        println!("ethercalc-python is not tested: this Python cannot translate it from Python 2");
        return Ok(());
    }
    let tools = environment(&folder(project)?.join("ethercalc-python"), steps)?;
    let clients = project.root.join("clients/ethercalc");
    let setuptools = &mut pip_install(&tools);
    steps.run("ethercalc-python: setuptools", setuptools.arg("-r").arg(clients.join("requirements.txt")))?;
    let install = &mut pip_install(&tools);
    steps.run(
        "ethercalc-python: install",
        install.args(["--no-build-isolation", "ethercalc-python==0.0.4"]),
    )?;
    let run = &mut Command::new(tools.join("python"));
    run.arg(clients.join("test_ethercalc_python.py")).env("QUADRILLE_URL", &server.url);
    steps.run("ethercalc-python: test", run)
}

/// `target/clients`.
fn folder(project: &Project) -> Result<PathBuf, String> {
    let folder = project.target.join("clients");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// The file of a folder that was changed last, among those whose name has this end.
fn newest(folder: &Path, end: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let files = files.filter(|path| path.to_string_lossy().ends_with(end));
    files.max_by_key(|path| setup::modified(path)).ok_or_else(|| format!("there is no file *{end}"))
}
