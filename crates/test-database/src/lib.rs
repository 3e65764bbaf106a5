//! [`TestDatabase`]: a PostgreSQL server for tests and benchmarks, in a temporary directory, on a free
//! port of 127.0.0.1. It uses the programs of the system: Debian's package `postgresql`.
//!
//! The server ends with the process that started it, whatever ends that process: a shell waits for the
//! end of its standard input, stops the server and removes the directory.
//!
//! PostgreSQL refuses to run as root. As root, the server runs as the user `postgres`, which Debian's
//! package creates.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long the server may take to start or stop on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);
/// Enough for many tests at a time, each with several Quadrille servers.
const CONNECTIONS_MAX: u32 = 300;

/// The user that the databases belong to; not a superuser, as in production.
pub const USER: &str = "quadrille";
pub const PASSWORD: &str = "secret";
/// The password as PostgreSQL stores it (RFC 5803), with 16 iterations instead of 4,096: each of them takes the
/// unoptimized client of the tests as long as many of an optimized one, and tests open hundreds of connections.
const PASSWORD_VERIFIER: &str = "SCRAM-SHA-256$16:cXVhZHJpbGxlIHRlc3RzLg==$7T//vJGHbnRD+r1EeduYh7gU+UmYYXh/\
                                 mHIKfFJoDEU=:xFhsY3NOofABMUIy/6T6S1XaHXxLcwLcZGuaJUK2HXQ=";

/// Whether the server syncs its writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// As in production, for benchmarks and for tests that kill the server.
    Synced,
    /// Loses data when the machine crashes, which tests do not do.
    Unsynced,
}

/// A running server.
pub struct TestDatabase {
    directory: PathBuf,
    programs: PathBuf,
    port: u16,
    durability: Durability,
    /// The shell that runs the server; `None` while the server is stopped.
    shell: Option<Child>,
    databases: Arc<AtomicU32>,
}

impl TestDatabase {
    /// The server of all tests of this process that only need databases of their own. A server for each test
    /// took as much processor time as all other parts of the tests of the server together.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub fn shared() -> &'static TestDatabase {
        static SHARED: OnceLock<TestDatabase> = OnceLock::new();
        // Never dropped: the server ends with the process.
        SHARED.get_or_init(|| TestDatabase::start(Durability::Unsynced))
    }

    /// Creates a cluster and starts its server.
    ///
    /// # Panics
    /// When PostgreSQL is not installed or does not start.
    pub fn start(durability: Durability) -> TestDatabase {
        let programs = programs().expect(
            "PostgreSQL is not installed; `make test` installs it on Debian, elsewhere put `initdb`, \
             `postgres` and `psql` on the PATH",
        );
        let directory =
            tempfile::Builder::new().prefix("quadrille-pg-").tempdir().expect("a directory").keep();
        if let Some((user, group)) = other_user() {
            chown(&directory, Some(user), Some(group)).expect("root may change the owner");
        }
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).expect("the directory is ours");
        let password = directory.join("password");
        fs::write(&password, PASSWORD).expect("writable");
        fs::set_permissions(&password, fs::Permissions::from_mode(0o644)).expect("the file is ours");
        let data = directory.join("data");
        let initialized = as_server_user(&programs.join("initdb"))
            .args(["--username=admin", "--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "--no-sync"])
            .arg(format!("--pwfile={}", password.display()))
            .arg("-D")
            .arg(&data)
            .output()
            .expect("initdb starts");
        assert!(initialized.status.success(), "initdb: {}", String::from_utf8_lossy(&initialized.stderr));
        let mut database =
            TestDatabase { directory, programs, port: 0, durability, shell: None, databases: Arc::default() };
        database.run();
        database.admin(&format!("CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD_VERIFIER}'"));
        database
    }

    /// Starts the server again after [`stop`](Self::stop), on the same port.
    ///
    /// # Panics
    /// When it does not start.
    pub fn run(&mut self) {
        assert!(self.shell.is_none(), "the server is running");
        if self.port == 0 {
            let free = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
            self.port = free.local_addr().expect("bound").port();
        }
        let synced = if self.durability == Durability::Synced { "on" } else { "off" };
        // Fast shutdown, as the end of the process that started the server has to stop it at once.
        let script = "\"$0\" \"$@\" >>\"$LOG\" 2>&1 & server=$!; cat >/dev/null; kill -INT $server 2>/dev/null; \
                      wait $server; test -e \"$KEEP\" || rm -rf \"$ROOT\"";
        let mut shell = as_server_user(Path::new("/bin/sh"));
        shell
            .args(["-c", script])
            .arg(self.programs.join("postgres"))
            .arg("-D")
            .arg(self.directory.join("data"))
            .args(["-p", &self.port.to_string(), "-h", "127.0.0.1", "-k"])
            .arg(&self.directory)
            .arg("-c")
            .arg(format!("fsync={synced}"))
            .args(["-c", &format!("max_connections={CONNECTIONS_MAX}"), "-c", "shared_buffers=64MB"])
            .env("LOG", self.directory.join("log"))
            .env("ROOT", &self.directory)
            .env("KEEP", self.directory.join("keep"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // A group of its own: an interrupt at the terminal ends the tests, which then end the server.
        shell.process_group(0);
        self.shell = Some(shell.spawn().expect("the shell starts"));
        let began = Instant::now();
        while let Err(reason) = self.try_sql("postgres", "SELECT 1") {
            let log = || fs::read_to_string(self.directory.join("log")).unwrap_or_default();
            assert!(began.elapsed() < START_TIMEOUT, "PostgreSQL does not start: {reason}\n{}", log());
            std::thread::sleep(POLL);
        }
    }

    /// Stops the server, by `kill -9` if told so; its data stays.
    ///
    /// # Panics
    /// When it does not stop.
    pub fn stop(&mut self, by_kill: bool) {
        let mut shell = self.shell.take().expect("the server is running");
        fs::write(self.directory.join("keep"), "").expect("writable");
        if by_kill {
            let file = fs::read_to_string(self.directory.join("data/postmaster.pid")).expect("it is running");
            let server = file.lines().next().expect("the first line is the process").to_owned();
            let killed = Command::new("kill").args(["-9", &server]).status().expect("kill starts");
            assert!(killed.success(), "the server was running");
        }
        drop(shell.stdin.take());
        shell.wait().expect("the shell ends");
        fs::remove_file(self.directory.join("keep")).expect("written above");
        if by_kill {
            self.wait_for_sessions();
        }
    }

    /// Waits until the processes of sessions have noticed the end of the server. As long as one of them is
    /// attached to its shared memory, the server does not start again. They work in the data directory, as
    /// Linux tells; elsewhere nothing is waited for.
    fn wait_for_sessions(&self) {
        let began = Instant::now();
        while !self.processes().is_empty() {
            assert!(began.elapsed() < START_TIMEOUT, "sessions of the killed PostgreSQL go on");
            std::thread::sleep(POLL);
        }
    }

    /// The processes of the server, which work in its data directory, as Linux tells.
    fn processes(&self) -> Vec<String> {
        let data = self.directory.join("data");
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter(|process| {
                fs::read_link(process.path().join("cwd")).is_ok_and(|directory| directory == data)
            })
            .map(|process| process.file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// Suspends the processes of the server, or lets them go on: connections stay, and nothing is answered.
    ///
    /// # Panics
    /// When the server does not run, or not on Linux.
    pub fn pause(&self, is_paused: bool) {
        assert!(self.signal(if is_paused { "-STOP" } else { "-CONT" }), "the server is running");
    }

    /// Sends a signal to the processes of the server. Returns whether there are any.
    fn signal(&self, signal: &str) -> bool {
        let processes = self.processes();
        if processes.is_empty() {
            return false;
        }
        // One that has ended meanwhile makes the command fail.
        let sent = Command::new("kill").arg(signal).args(processes).stderr(Stdio::null()).status();
        sent.is_ok()
    }

    /// Creates an empty database that belongs to [`USER`]. Returns its address with user and password.
    pub fn create(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.admin(&format!("CREATE DATABASE {name} OWNER {USER}"));
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{name}", self.port)
    }

    /// Makes the running server accept TLS with a certificate and its key, in PEM.
    ///
    /// # Panics
    /// When the server does not take them.
    pub fn enable_tls(&self, certificate: &str, key: &str) {
        for (name, pem) in [("server.crt", certificate), ("server.key", key)] {
            let file = self.directory.join("data").join(name);
            fs::write(&file, pem).expect("writable");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("the file is ours");
            if let Some((user, group)) = other_user() {
                chown(&file, Some(user), Some(group)).expect("root may change the owner");
            }
        }
        self.admin("ALTER SYSTEM SET ssl = on");
        self.admin("SELECT pg_reload_conf()");
        let began = Instant::now();
        while self.sql("postgres", "SHOW ssl") != "on" {
            assert!(began.elapsed() < START_TIMEOUT, "the certificate is not accepted");
            std::thread::sleep(POLL);
        }
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs SQL as the superuser in the database `postgres`.
    ///
    /// # Panics
    /// When a statement fails.
    pub fn admin(&self, sql: &str) {
        self.sql("postgres", sql);
    }

    /// Runs SQL as the superuser in a database, given by its address or name. Returns the rows, with
    /// columns separated by `|`.
    ///
    /// # Panics
    /// When a statement fails.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        self.try_sql(database, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    fn try_sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let name = database.rsplit('/').next().expect("split gives one part at least");
        let output = self.psql(name).args(["-c", sql]).output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "admin"])
            .args(["-p", &self.port.to_string(), "-d", database])
            .env("PGPASSWORD", PASSWORD);
        psql
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        match self.shell.take() {
            Some(mut shell) => {
                // One that a failed test has left suspended would not end.
                self.signal("-CONT");
                drop(shell.stdin.take());
                _ = shell.wait();
            }
            None => _ = fs::remove_dir_all(&self.directory),
        }
    }
}

/// The directory of PostgreSQL's programs: on the `PATH`, or the newest of Debian's packages.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = debian
        .filter_map(|version| {
            let number = version.file_name().to_string_lossy().parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .collect();
    versions.sort();
    let folders = std::env::split_paths(&path).chain(versions.into_iter().rev().map(|(_, folder)| folder));
    let has_all =
        |folder: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file());
    folders.into_iter().find(has_all)
}

/// A command that runs as the user of the server.
fn as_server_user(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((user, group)) = other_user() {
        command.uid(user).gid(group);
    }
    command
}

/// As root: user and group `postgres`. Otherwise `None`.
fn other_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    // The owner of a process's directory in /proc is its effective user.
    if fs::metadata("/proc/self").map_or(1, |process| process.uid()) != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let fields: Vec<&str> = users.lines().find(|line| line.starts_with("postgres:"))?.split(':').collect();
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}
