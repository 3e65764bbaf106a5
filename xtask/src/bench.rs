//! Measuring: builds for release and hands over to `bench/`.

use crate::Outcome;
use crate::build;
use crate::project::{Project, cargo};
use crate::setup;
use crate::step::{command_in, execute};

pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    build::release(project, &[])?;
    if let Some((_, rest)) = arguments.split_first().filter(|(name, _)| *name == "client") {
        return client(project, rest);
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
        .env("QUADRILLE_ROOT", &project.root),
    )
}

/// The page in a real browser: `web/bench`.
fn client(project: &Project, arguments: &[String]) -> Outcome {
    let mut measure = command_in(&project.web(), "node", &["--import", "tsx", "bench/main.ts"]);
    measure.args(arguments).env("QUADRILLE_BINARY", project.binary("release"));
    if let Some(browser) = setup::browser() {
        measure.env("CHROMIUM", browser);
    }
    execute(&mut measure)
}
