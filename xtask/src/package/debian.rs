//! The Debian package `quadrille_VERSION_ARCHITECTURE.deb`, laid out as Debian Policy 4.7 says: the program, a service
//! that starts with the machine, its settings, manual pages and completions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::folder::copy;
use super::parts::Parts;
use crate::outcome::Outcome;
use crate::step::{command_in, execute};

/// Where the files of the folder are installed.
const FILES: [(&str, &str); 9] = [
    ("quadrille", "usr/bin/quadrille"),
    ("quadrille.service", "lib/systemd/system/quadrille.service"),
    ("quadrille.toml", "etc/quadrille/quadrille.toml"),
    ("operations-guide.md", "usr/share/doc/quadrille/operations-guide.md"),
    ("configuration.md", "usr/share/doc/quadrille/configuration.md"),
    ("THIRD-PARTY-LICENSES", "usr/share/doc/quadrille/third-party-licenses"),
    ("completions/bash/quadrille", "usr/share/bash-completion/completions/quadrille"),
    ("completions/zsh/_quadrille", "usr/share/zsh/vendor-completions/_quadrille"),
    ("completions/fish/quadrille.fish", "usr/share/fish/vendor_completions.d/quadrille.fish"),
];

/// The files that are executable.
const PROGRAMS: [&str; 4] = ["usr/bin/quadrille", "DEBIAN/postinst", "DEBIAN/prerm", "DEBIAN/postrm"];

/// Settings that an upgrade leaves as the operator has changed them.
const CONFFILES: &str = "/etc/quadrille/quadrille.toml\n";

const MAINTAINER: &str = "The authors of Quadrille <quadrille@localhost>";

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: quadrille
Comment: The licenses of the libraries within the program are in third-party-licenses.

Files: *
Copyright: 2026 the authors of Quadrille
License: Apache-2.0
 On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.
";

/// Packs the folder of the platform with dpkg-deb.
///
/// # Errors
/// When a file is missing, or dpkg-deb or gzip fails.
pub fn make(parts: &Parts, folder: &Path) -> Result<PathBuf, String> {
    let root = parts.out.join(format!("{}.deb.d", parts.name()));
    _ = fs::remove_dir_all(&root);
    for (from, to) in FILES {
        copy(&folder.join(from), &root.join(to))?;
    }
    install_documents(parts, folder, &root)?;
    write_control(parts, &root)?;
    set_permissions(&root)?;
    let package = parts.out.join(format!("quadrille_{}_{}.deb", parts.version, parts.platform.architecture));
    let mut build = Command::new("dpkg-deb");
    build.env("SOURCE_DATE_EPOCH", &parts.time).args(["--root-owner-group", "-Zxz", "--build"]);
    execute(build.arg(&root).arg(&package))?;
    fs::remove_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    Ok(package)
}

/// The copyright, and compressed: the manual pages and the changelogs.
fn install_documents(parts: &Parts, folder: &Path, root: &Path) -> Outcome {
    let documents = root.join("usr/share/doc/quadrille");
    fs::write(documents.join("copyright"), COPYRIGHT).map_err(|error| error.to_string())?;
    copy(&parts.project.root.join("CHANGELOG.md"), &documents.join("NEWS"))?;
    fs::write(documents.join("changelog"), changelog(parts)?).map_err(|error| error.to_string())?;
    let mut gzip = Command::new("gzip");
    gzip.args(["-9", "-n"]).args(["changelog", "NEWS"].map(|name| documents.join(name)));
    let entries = fs::read_dir(folder.join("man")).map_err(|error| error.to_string())?;
    for page in entries.flatten() {
        let to = root.join("usr/share/man/man1").join(page.file_name());
        copy(&page.path(), &to)?;
        gzip.arg(to);
    }
    execute(&mut gzip)
}

/// The changelog of the package, in Debian's format.
fn changelog(parts: &Parts) -> Result<String, String> {
    let mut log = command_in(&parts.project.root, "git", &["log", "-1", "--format=%cD"]);
    let output = log.output().map_err(|error| format!("git: {error}"))?;
    let date = String::from_utf8_lossy(&output.stdout);
    Ok(format!(
        "quadrille ({}) stable; urgency=medium\n\n  * What is new is in NEWS.gz.\n\n -- {MAINTAINER}  {}\n",
        parts.version,
        date.trim()
    ))
}

/// The control file and the scripts that enable, start and stop the service.
fn write_control(parts: &Parts, root: &Path) -> Outcome {
    let folder = root.join("DEBIAN");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let size_kib = size_bytes(root)?.div_ceil(1024);
    let control = format!(
        "Package: quadrille\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: {MAINTAINER}\n\
         Installed-Size: {size_kib}\n\
         Depends: init-system-helpers (>= 1.54)\n\
         Recommends: ca-certificates\n\
         Section: web\n\
         Priority: optional\n\
         Homepage: https://github.com/quadrille/quadrille\n\
         Description: collaborative spreadsheet that you host yourself\n \
         A server for spreadsheets that any number of people edit at the same time\n \
         in their browsers. A workbook is a URL. One program with embedded storage;\n \
         PostgreSQL is optional.\n",
        parts.version, parts.platform.architecture
    );
    let scripts = parts.project.root.join("packaging/debian");
    for script in ["postinst", "prerm", "postrm"] {
        copy(&scripts.join(script), &folder.join(script))?;
    }
    fs::write(folder.join("control"), control).map_err(|error| error.to_string())?;
    fs::write(folder.join("conffiles"), CONFFILES).map_err(|error| error.to_string())
}

fn size_bytes(folder: &Path) -> Result<u64, String> {
    let mut sum = 0;
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?.flatten() {
        let path = entry.path();
        let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        sum += if path.is_dir() { size_bytes(&path)? } else { bytes };
    }
    Ok(sum)
}

/// Readable by everybody whatever the umask; programs and scripts are executable.
fn set_permissions(folder: &Path) -> Outcome {
    set_mode(folder, 0o755)?;
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?.flatten() {
        let path = entry.path();
        let is_program = PROGRAMS.iter().any(|program| path.ends_with(program));
        if path.is_dir() {
            set_permissions(&path)?;
        } else {
            set_mode(&path, if is_program { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(path, permissions).map_err(|error| format!("{}: {error}", path.display()))
}

/// Other systems have no dpkg-deb.
#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> Outcome {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_the_program_and_the_scripts_are_executable() {
        let root = std::env::temp_dir().join(format!("quadrille-permissions-{}", std::process::id()));
        let files = [
            ("usr/bin/quadrille", 0o755),
            ("DEBIAN/postinst", 0o755),
            ("DEBIAN/control", 0o644),
            ("usr/share/bash-completion/completions/quadrille", 0o644),
        ];
        for (file, _) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            fs::write(path, "").expect("writable");
        }
        set_permissions(&root).expect("permissions");
        for (file, mode) in files {
            let found = fs::metadata(root.join(file)).expect(file).permissions().mode();
            assert_eq!(found & 0o777, mode, "{file}");
        }
        fs::remove_dir_all(root).expect("removable");
    }
}
