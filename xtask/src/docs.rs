//! `cargo xtask docs`: builds the documentation site from `docs/` with mdBook, in `target/docs`.

use std::process::Command;

use crate::outcome::Outcome;
use crate::project::{Project, cargo};
use crate::step::{Steps, command_in};
use crate::tidy;

/// Pinned, so that equal sources give an equal site.
const MDBOOK_VERSION: &str = "0.5.4";

/// Builds the site after checking every relative link. `--open` shows it in a browser.
pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    let mut steps = Steps::new();
    steps.perform("links", || tidy::links_only(project))?;
    let tools = project.target.join("tools");
    let mdbook = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let version = Command::new(&mdbook).arg("--version").output();
    let is_current =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with(MDBOOK_VERSION));
    if !is_current {
        let install = ["install", "mdbook", "--locked", "--version", MDBOOK_VERSION, "--root"];
        // Runs in another folder, so that the workspace's `.cargo/config.toml` and lock file do not apply.
        let mut install = command_in(&project.target, &cargo(), &install);
        steps.run("install mdBook", install.arg(&tools))?;
    }
    let mut build = Command::new(&mdbook);
    build.current_dir(&project.root).args(["build", "docs"]).args(arguments);
    steps.run("build the site", &mut build)?;
    println!("\n{}", project.target.join("docs/index.html").display());
    Ok(())
}
