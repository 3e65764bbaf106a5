//! The image for containers: the static program, an empty folder for its data and certificate authorities.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::folder::copy;
use super::parts::Parts;
use crate::outcome::Outcome;
use crate::step::execute;

/// The authorities of the machine that makes the image.
const AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Writes the folder from which `buildah`, `podman` and `docker` build the image.
///
/// # Errors
/// When the machine has no certificate authorities.
pub fn write_context(parts: &Parts) -> Outcome {
    let folder = context(parts);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("data")).map_err(|error| format!("{}: {error}", folder.display()))?;
    copy(&parts.project.root.join("packaging/container/Containerfile"), &folder.join("Containerfile"))?;
    copy(&parts.program, &folder.join("quadrille"))?;
    if !Path::new(AUTHORITIES).exists() {
        return Err(format!("{AUTHORITIES} is missing: on Debian, install ca-certificates"));
    }
    copy(Path::new(AUTHORITIES), &folder.join("ca-certificates.crt"))
}

/// Builds the image with buildah as a file in the format of the Open Container Initiative, which `podman load`,
/// `docker load` and `skopeo` read.
///
/// # Errors
/// When buildah fails.
pub fn build(parts: &Parts) -> Result<PathBuf, String> {
    let archive = parts.out.join(format!("{}.oci.tar", parts.name()));
    // buildah adds to an archive that is there.
    _ = fs::remove_file(&archive);
    let image = format!("quadrille:{}", parts.version);
    // No layers of a file system have to be mounted, so that this works within containers too.
    let storage = parts.out.join("images");
    let buildah = || {
        let mut command = Command::new("buildah");
        command.arg("--root").arg(&storage).args(["--storage-driver", "vfs"]);
        command
    };
    let mut bud = buildah();
    bud.args(["build", "--quiet", "--isolation", "chroot", "--format", "oci", "--timestamp", &parts.time]);
    bud.args(["--platform", &format!("linux/{}", parts.platform.architecture), "--tag", &image]);
    execute(bud.arg(context(parts)))?;
    let to = format!("oci-archive:{}:{image}", archive.display());
    execute(buildah().args(["push", "--quiet", &image, &to]))?;
    _ = fs::remove_dir_all(&storage);
    Ok(archive)
}

fn context(parts: &Parts) -> PathBuf {
    parts.out.join(format!("{}.image.d", parts.name()))
}
