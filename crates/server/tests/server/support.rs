//! `Server` starts the binary and sends HTTP requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// Timeout of every wait; long enough for a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(30);

pub struct Server {
    process: Child,
    pub address: SocketAddr,
    /// Temporary data directory; `None` when the test supplies the directory.
    _own_data: Option<tempfile::TempDir>,
}

pub fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    // The environment of the test run must not configure the server.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("QUADRILLE_")) {
        command.env_remove(name);
    }
    command
}

impl Server {
    /// Starts a server on a new data directory.
    pub fn start() -> Server {
        let data = tempfile::tempdir().expect("a temporary directory");
        let mut server = Server::start_on(data.path(), &[]);
        server._own_data = Some(data);
        server
    }

    /// Starts a server on the directory, with `more` arguments.
    pub fn start_on(data: &Path, more: &[&str]) -> Server {
        Server::start_logging_to(Stdio::inherit(), data, more)
    }

    /// Like [`start_on`](Server::start_on), with the log written to `log`.
    pub fn start_logging_to(log: Stdio, data: &Path, more: &[&str]) -> Server {
        Server::start_by(binary(), log, data, more)
    }

    /// Like [`start_logging_to`](Server::start_logging_to), by a command with an environment of its own.
    pub fn start_by(mut command: Command, log: Stdio, data: &Path, more: &[&str]) -> Server {
        let mut process = command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(if more.contains(&"--log") { &[][..] } else { &["--log", "error"] })
            .args(more)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("readable");
        let address = line.split_whitespace().find_map(|word| word.trim_end_matches(':').parse().ok());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}"));
        Server { process, address, _own_data: None }
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill().expect("running");
        self.process.wait().expect("a child");
    }

    /// Process ID.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &pid]).status().expect("kill runs");
        assert!(status.success());
    }

    /// Stops the process as a paused virtual machine is, until `signal("CONT")`. Returns when no thread
    /// runs: the kernel stops a process thread by thread, so on a busy machine some still run for a while
    /// after `kill` has returned.
    pub fn pause(&self) {
        self.signal("STOP");
        let deadline = Instant::now() + TIMEOUT;
        while !self.is_stopped() {
            assert!(Instant::now() < deadline, "the server is not stopped");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether every thread has the state `T` (proc(5)). True where there is no `/proc`.
    fn is_stopped(&self) -> bool {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{}/task", self.process.id())) else { return true };
        threads.flatten().all(|thread| {
            let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('T'))
        })
    }

    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.process.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not stop");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub fn put(&self, path: &str, media_type: &str, body: impl AsRef<[u8]>) -> Reply {
        self.send("PUT", path, &[("content-type", media_type)], body.as_ref())
    }

    pub fn put_json(&self, path: &str, body: &str) -> Reply {
        self.put(path, "application/json", body)
    }

    pub fn post_json(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("content-type", "application/json")], body.as_bytes())
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, &[], b"")
    }

    /// Sends a request on a new connection.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.try_send(method, path, headers, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Reply, String> {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(TIMEOUT))
            .build()
            .into();
        let mut request = ureq::http::Request::builder().method(method).uri(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.to_vec()).map_err(|error| error.to_string())?;
        let mut response = agent.run(request).map_err(|error| error.to_string())?;
        let body = response.body_mut().with_config().limit(1 << 30).read_to_vec();
        Ok(Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: body.map_err(|error| error.to_string())?,
        })
    }

    /// Sends the bytes and returns the bytes received until the server closes the connection.
    pub fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server can answer and close the connection before it has read the whole request.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        stream
    }

    /// Sum of the samples of a metric, such as `quadrille_rooms` or
    /// `quadrille_limits_hit_total{limit="room"}`. Needs a server started with `--metrics true`.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let text = self.get("/metrics").text();
        let samples = text.lines().filter_map(|line| {
            let rest = line.strip_prefix(name)?;
            (rest.starts_with(' ') || rest.starts_with('{'))
                .then(|| rest.rsplit(' ').next()?.parse::<f64>().ok())?
        });
        samples.fold(None, |sum, sample| Some(sum.unwrap_or(0.0) + sample))
    }

    /// Creates or replaces a room with the cells of a CSV file.
    pub fn make_room(&self, room: &str, csv: &str) {
        let reply = self.put(&format!("/api/v1/rooms/{room}"), "text/csv", csv);
        assert!(matches!(reply.status, 200 | 201), "{reply:?}");
    }

    pub fn csv(&self, room: &str) -> String {
        let reply = self.get(&format!("/api/v1/rooms/{room}?format=csv"));
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.text()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails when the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// Error code of an error response of `/api/v1`.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A port that nothing listens on, for another program.
pub fn free_port() -> u16 {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    address.expect("a free port").port()
}

/// Writes a file into a temporary directory, which lives as long as the returned guard.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join(name);
    std::fs::write(&path, content).expect("writable");
    (directory, path)
}
