//! Measuring: builds for release and hands over to `bench/`.

use crate::Outcome;
use crate::build;
use crate::project::{Project, cargo};
use crate::step::{command_in, execute};

pub fn run(project: &Project, arguments: &[String]) -> Outcome {
    build::release(project, &[])?;
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
