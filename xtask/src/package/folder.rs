//! The folder of one platform, as it is in the archive.

use std::fs;
use std::path::Path;

use super::notices;
use super::parts::Parts;
use crate::outcome::Outcome;
use crate::step::execute;

/// Files of the project in the folder, with their names there.
const FILES: [(&str, &str); 5] = [
    ("LICENSE", "LICENSE"),
    ("docs/operations-guide.md", "operations-guide.md"),
    ("docs/configuration.md", "configuration.md"),
    ("packaging/systemd/quadrille.service", "quadrille.service"),
    ("packaging/debian/quadrille.toml", "quadrille.toml"),
];

/// Names of completion files, as the shells look for them.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "quadrille"), ("zsh", "_quadrille"), ("fish", "quadrille.fish")];

/// Writes the program, its license and those of its parts, its guides, manual pages and completions.
pub fn write(parts: &Parts, folder: &Path) -> Outcome {
    _ = fs::remove_dir_all(folder);
    let create =
        |path: &Path| fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()));
    let man = folder.join("man");
    create(&man)?;
    copy(&parts.program, &folder.join("quadrille"))?;
    for (from, to) in FILES {
        copy(&parts.project.root.join(from), &folder.join(to))?;
    }
    let third_party = notices::text(parts)?;
    fs::write(folder.join("THIRD-PARTY-LICENSES"), third_party).map_err(|error| error.to_string())?;
    execute(parts.platform.command(parts.program.clone())?.arg("man").arg(&man))?;
    for (shell, file) in COMPLETIONS {
        let target = folder.join("completions").join(shell);
        create(&target)?;
        let output = parts
            .platform
            .command(parts.program.clone())?
            .args(["completions", shell])
            .output()
            .map_err(|error| format!("completions {shell}: {error}"))?;
        if !output.status.success() {
            return Err(format!("completions {shell}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        fs::write(target.join(file), output.stdout).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Copies a file with its permissions.
pub fn copy(from: &Path, to: &Path) -> Outcome {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::copy(from, to).map(drop).map_err(|error| format!("{} → {}: {error}", from.display(), to.display()))
}
