//! Installs prerequisites as root on Debian; elsewhere names them in an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;

use crate::outcome::Outcome;
use crate::project::Project;
use crate::step::{Steps, command_in, execute, succeeds};

const WASM_TARGET: &str = "wasm32-unknown-unknown";
const NODE_MAJOR_MIN: u32 = 20;

/// For `make run` and `make build`: the WebAssembly target of Rust, the packages of the web client, and the optimizer of
/// the engine where it can be installed. Without the optimizer the build continues and [`crate::build`] prints a note.
pub fn for_build(project: &Project, steps: &mut Steps) -> Outcome {
    for_client(project, steps)?;
    if is_root_on_debian() { install_missing(&[WASM_OPTIMIZER], steps) } else { Ok(()) }
}

/// For `make test`: everything that building takes, three browsers and their fonts, the servers that tests start, and
/// EtherCalc.
///
/// # Errors
/// Names the missing packages on a machine where they cannot be installed.
pub fn for_tests(project: &Project, steps: &mut Steps) -> Outcome {
    for_client(project, steps)?;
    // Whoever cannot install the shell uses the browser that is there.
    let browser = if is_root_on_debian() { &HEADLESS_SHELL } else { &CHROMIUM };
    // Without the emulator the part `arm64` is skipped.
    let emulator = if is_root_on_debian() { slice::from_ref(&EMULATOR) } else { &[] };
    install_missing(&[slice::from_ref(browser), &TEST_PACKAGES, emulator].concat(), steps)?;
    ethercalc(project, steps)
}

/// EtherCalc, whose page a browser test uses beside ours. The scripts of its packages, which compile a database
/// client, are not needed.
fn ethercalc(project: &Project, steps: &mut Steps) -> Outcome {
    let folder = project.root.join("bench/peers/ethercalc");
    if folder.join("node_modules/ethercalc/index.html").exists() {
        return Ok(());
    }
    let install = ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--silent"];
    steps.run("install EtherCalc", &mut command_in(&folder, "npm", &install))
}

fn for_client(project: &Project, steps: &mut Steps) -> Outcome {
    toolchain(steps)?;
    npm_packages(project, steps)
}

/// The WebAssembly target of Rust, which is added if it is missing, and Node.js.
///
/// # Errors
/// When there is no rustup to add the target, or Node.js is missing or too old.
pub fn toolchain(steps: &mut Steps) -> Outcome {
    rust_target(WASM_TARGET, steps)?;
    node()
}

/// Virtual environments of Python, which Debian has in a package of its own.
///
/// # Errors
/// Names the package on a machine where it cannot be installed.
pub fn python_venv(steps: &mut Steps) -> Outcome {
    if succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
        return Ok(());
    }
    if !is_root_on_debian() {
        return Err("missing: python3-venv. On Debian: sudo apt-get install python3-venv".to_owned());
    }
    steps.perform("install python3-venv", || install_debian(&["python3-venv"]))
}

fn install_missing(packages: &[DebianPackage], steps: &mut Steps) -> Outcome {
    let missing: Vec<&str> =
        packages.iter().filter(|package| !package.is_present()).map(|package| package.debian).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !is_root_on_debian() {
        return Err(format!("missing: {0}. On Debian: sudo apt-get install {0}", missing.join(" ")));
    }
    steps.perform(&format!("install {}", missing.join(", ")), || install_debian(&missing))
}

fn install_debian(packages: &[&str]) -> Outcome {
    let apt_get = |arguments: &[&str]| {
        // In run level 1, packages do not start the services that they bring, such as nginx.
        let environment = [("DEBIAN_FRONTEND", "noninteractive"), ("RUNLEVEL", "1")];
        execute(Command::new("apt-get").args(arguments).envs(environment))
    };
    apt_get(&["update", "-q"])?;
    apt_get(&[&["install", "-y", "-q", "--no-install-recommends"], packages].concat())
}

#[derive(Clone)]
struct DebianPackage {
    debian: &'static str,
    /// Programs or absolute paths, with `*` for a version; one that exists shows that the package or an
    /// equivalent is installed.
    evidence: &'static [&'static str],
}

/// Chromium without the windows and pages of a browser around what a page shows: the tests take two thirds
/// of the processor time with it. Playwright's own headless Chromium is the same program.
const HEADLESS_SHELL: DebianPackage =
    DebianPackage { debian: "chromium-headless-shell", evidence: &["chromium-headless-shell"] };

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"];

const CHROMIUM: DebianPackage = DebianPackage { debian: "chromium", evidence: &BROWSERS };

/// The browsers that the tests in Firefox can drive (`web/e2e/firefox`).
const FIREFOXES: [&str; 2] = ["firefox-esr", "firefox"];

const WASM_OPTIMIZER: DebianPackage = DebianPackage { debian: "binaryen", evidence: &["wasm-opt"] };

/// Runs programs of other processors.
const EMULATOR: DebianPackage =
    DebianPackage { debian: "qemu-user", evidence: &["qemu-aarch64", "qemu-aarch64-static"] };

const TEST_PACKAGES: [DebianPackage; 15] = [
    DebianPackage { debian: "firefox-esr", evidence: &FIREFOXES },
    // WebKit, the engine of Safari, and the display that it needs (`web/e2e/webkit`).
    DebianPackage { debian: "webkit2gtk-driver", evidence: &["WebKitWebDriver"] },
    DebianPackage { debian: "xvfb", evidence: &["Xvfb"] },
    // Runs the examples of the REST documentation.
    DebianPackage { debian: "curl", evidence: &["curl"] },
    // The proxy of the tests of sign-in by a header.
    DebianPackage { debian: "nginx-light", evidence: &["nginx", "/usr/sbin/nginx"] },
    // The proxies of the tests of several servers.
    DebianPackage { debian: "haproxy", evidence: &["haproxy", "/usr/sbin/haproxy"] },
    DebianPackage { debian: "caddy", evidence: &["caddy"] },
    // The authority of the test of certificates by ACME.
    DebianPackage { debian: "pebble", evidence: &["pebble"] },
    // Checks the unit of the operator's guide.
    DebianPackage { debian: "systemd", evidence: &["systemd-analyze"] },
    // The database server of the tests of storage.
    DebianPackage { debian: "postgresql", evidence: &["initdb", "/usr/lib/postgresql/*/bin/initdb"] },
    // The database of EtherCalc, from which its rooms are moved.
    DebianPackage { debian: "redis-server", evidence: &["redis-server"] },
    // An example of a host application.
    DebianPackage { debian: "python3", evidence: &["python3"] },
    WASM_OPTIMIZER,
    // The fonts of screenshots and of cells in other scripts.
    DebianPackage { debian: "fonts-dejavu-core", evidence: &["/usr/share/fonts/truetype/dejavu"] },
    DebianPackage { debian: "fonts-liberation", evidence: &["/usr/share/fonts/truetype/liberation"] },
];

impl DebianPackage {
    fn is_present(&self) -> bool {
        self.evidence.iter().any(|evidence| {
            if evidence.starts_with("/usr/share/fonts/") {
                // Fonts are checked on Debian only.
                !Path::new("/etc/debian_version").exists() || Path::new(evidence).exists()
            } else if let Some((versions, file)) = evidence.split_once("/*/") {
                let versions = fs::read_dir(versions).into_iter().flatten().flatten();
                versions.into_iter().any(|version| version.path().join(file).exists())
            } else if evidence.starts_with('/') {
                Path::new(evidence).exists()
            } else {
                is_on_path(evidence)
            }
        })
    }
}

/// Whether a program is on the `PATH`.
pub fn is_on_path(program: &str) -> bool {
    find_on_path(program).is_some()
}

fn find_on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The browser for tests: `CHROMIUM`, or the headless shell, or another Chromium or Chrome on the `PATH`.
pub fn test_browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    HEADLESS_SHELL.evidence.iter().find_map(|program| find_on_path(program)).or_else(browser)
}

/// The browser for benchmarks: `CHROMIUM`, or the first Chromium or Chrome on the `PATH`.
pub fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    BROWSERS.iter().find_map(|program| find_on_path(program))
}

/// The second browser for tests: `FIREFOX`, or the first Firefox on the `PATH`.
pub fn firefox() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("FIREFOX") {
        return Some(named.into());
    }
    FIREFOXES.iter().find_map(|program| find_on_path(program))
}

fn is_root_on_debian() -> bool {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "0");
    is_root && Path::new("/etc/debian_version").exists()
}

/// A target of Rust, which is added if it is missing.
///
/// # Errors
/// When there is no rustup to add the target.
pub fn rust_target(target: &str, steps: &mut Steps) -> Outcome {
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", target])
        .output()
        .map_err(|error| format!("cannot start rustc: {error}"))?;
    if Path::new(String::from_utf8_lossy(&libraries.stdout).trim()).exists() {
        return Ok(());
    }
    if !succeeds(Command::new("rustup").arg("--version")) {
        return Err(format!("the Rust target {target} is missing, and there is no rustup to add it"));
    }
    let title = format!("add the Rust target {target}");
    steps.run(&title, Command::new("rustup").args(["target", "add", target]))
}

fn node() -> Outcome {
    let required = format!("Node.js {NODE_MAJOR_MIN} or newer with npm is needed (https://nodejs.org)");
    let output = Command::new("node").arg("--version").output().map_err(|_| required.clone())?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let major: u32 =
        version.trim_start_matches('v').split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if major < NODE_MAJOR_MIN {
        return Err(format!("{required}; found {version}"));
    }
    if is_on_path("npm") || is_on_path("npm.cmd") { Ok(()) } else { Err(required) }
}

/// Installs the packages when the lock file or the manifest is newer than the installed packages.
fn npm_packages(project: &Project, steps: &mut Steps) -> Outcome {
    let web = project.web();
    let installed = modified(&web.join("node_modules/.package-lock.json"));
    let declared =
        ["package.json", "package-lock.json"].iter().filter_map(|file| modified(&web.join(file))).max();
    if installed.is_some() && installed >= declared {
        return Ok(());
    }
    let lock_exists = web.join("package-lock.json").exists();
    let install = if lock_exists { "ci" } else { "install" };
    steps.run("install npm packages", &mut command_in(&web, "npm", &[install, "--no-fund", "--no-audit"]))?;
    // npm keeps the time of an unchanged hidden lock file, which must be newer than the manifest.
    if let Ok(hidden) = fs::File::options().append(true).open(web.join("node_modules/.package-lock.json")) {
        hidden.set_modified(std::time::SystemTime::now()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The time of the last change of a file.
pub fn modified(file: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}
