//! `cargo xtask package [TRIPLE…]`: what machines without Rust and Node.js install, in `target/package`: a static
//! program, an archive with it, a Debian package and an image for containers.
//!
//! Zig's C compiler, which is in a package of PyPI, compiles and links the parts in C for any machine. The finished
//! program is started, by QEMU if it is another machine's, and serves a workbook before it is packed.

mod archive;
mod arm64;
mod container;
mod debian;
mod folder;
mod notices;
mod parts;
mod platform;
mod smoke_test;
mod static_program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build;
use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::python;
use crate::setup;
use crate::step::Steps;
pub use arm64::test as test_arm64;
use parts::Parts;
use platform::Platform;

/// Makes the packages of each platform; without arguments, of this machine's.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    let platforms = Platform::chosen(arguments)?;
    let mut steps = Steps::new();
    setup::for_build(project, &mut steps)?;
    build::web_client(project, &mut steps)?;
    let out = out_folder(project)?;
    for platform in &platforms {
        setup::rust_target(platform.triple, &mut steps)?;
    }
    let tools = compilers(project, &out, &mut steps)?;
    let mut made = Vec::new();
    for platform in platforms {
        let mut build = compilation(project, platform, &tools)?;
        build.args(["--release", "--package", "quadrille-server"]);
        steps.run(&format!("{}: build the server", platform.triple), &mut build)?;
        let program = project.target.join(platform.triple).join("release/quadrille");
        let parts = Parts::new(project, platform, program, &out)?;
        made.extend(pack(&parts, &mut steps)?);
    }
    steps.print_summary();
    println!();
    for package in made {
        let bytes = fs::metadata(&package).map_or(0, |metadata| metadata.len());
        println!("{} ({:.1} MB)", package.display(), bytes as f64 / 1e6);
    }
    Ok(())
}

/// Checks the program and puts it into each kind of package. Returns the files.
fn pack(parts: &Parts, steps: &mut Steps) -> Result<Vec<PathBuf>, String> {
    let title = |what: &str| format!("{}: {what}", parts.platform.triple);
    steps.perform(&title("the program is static"), || static_program::check(&parts.program))?;
    steps.perform(&title("serve a workbook"), || {
        smoke_test::run(parts.platform, &parts.program, &parts.out)
    })?;
    let folder = parts.out.join(parts.name());
    steps.perform(&title("licenses, manual pages and completions"), || folder::write(parts, &folder))?;
    let mut made = vec![parts.program.clone()];
    steps.perform(&title("archive"), || archive::make(parts).map(|file| made.push(file)))?;
    if setup::is_on_path("dpkg-deb") {
        steps
            .perform(&title("Debian package"), || debian::make(parts, &folder).map(|file| made.push(file)))?;
    } else {
        println!("    dpkg-deb is not installed; there is no Debian package");
    }
    steps.perform(&title("folder of the image"), || container::write_context(parts))?;
    if setup::is_on_path("buildah") {
        steps.perform(&title("image"), || container::build(parts).map(|file| made.push(file)))?;
    } else {
        println!("    buildah is not installed; podman build makes an image of the folder");
    }
    Ok(made)
}

/// Installs cargo-zigbuild and Zig in a virtual environment. Returns the folder of the programs.
fn compilers(project: &Project, out: &Path, steps: &mut Steps) -> Result<PathBuf, String> {
    setup::python_venv(steps)?;
    let tools = python::environment(&out.join("compilers"), steps)?;
    let requirements = project.root.join("packaging/compilers.txt");
    steps.run("install Zig", python::pip_install(&tools).arg("-r").arg(requirements))?;
    Ok(tools)
}

/// `target/package`.
fn out_folder(project: &Project) -> Result<PathBuf, String> {
    let out = project.target.join("package");
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    Ok(out)
}

/// `cargo build` for a platform, whose target of Rust must be installed. The caller adds profile and packages.
fn compilation(project: &Project, platform: &Platform, tools: &Path) -> Result<Command, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tools.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).map_err(|error| format!("PATH: {error}"))?;
    let mut build = Command::new(tools.join("cargo-zigbuild"));
    build.current_dir(&project.root).env("PATH", path).env("CARGO", cargo());
    build.args(["zigbuild", "--locked", "--target", platform.triple]);
    Ok(build)
}
