//! Virtual environments of Python, for tools and tests that are packages of PyPI.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::Steps;

/// `pip install` in the virtual environment `tools`. Without compiling all installed modules to byte code,
/// which takes longer than the tests that import a few of them.
pub fn pip_install(tools: &Path) -> Command {
    let mut install = Command::new(tools.join("pip"));
    install.args(["install", "--quiet", "--no-compile", "--disable-pip-version-check"]);
    install
}

/// The programs of a virtual environment, which is made if it is missing.
pub fn environment(path: &Path, steps: &mut Steps) -> Result<PathBuf, String> {
    let programs = path.join(if cfg!(windows) { "Scripts" } else { "bin" });
    if !programs.join(format!("pip{}", std::env::consts::EXE_SUFFIX)).exists() {
        let create = &mut Command::new("python3");
        steps.run("virtual environment", create.args(["-m", "venv"]).arg(path))?;
    }
    Ok(programs)
}
