//! [`Server`]: the server under test, the release binary on a free port with a data directory of its
//! own.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::setting::{Outcome, Setting};

/// A running server; dropping it kills the process.
pub struct Server {
    pub address: SocketAddr,
    process: Child,
    /// Removed with the server; `None` when the caller owns the data directory.
    _data: Option<TempDir>,
}

/// A server that does not reply within this time is considered broken.
const START_MAX: Duration = Duration::from_secs(30);

impl Server {
    /// Starts a server with an empty data directory and waits for its first reply.
    pub fn start(setting: &Setting) -> Outcome<Server> {
        Server::start_with(setting, &[])
    }

    /// Like [`start`](Server::start), with more arguments for `quadrille serve`.
    pub fn start_with(setting: &Setting, arguments: &[&str]) -> Outcome<Server> {
        let data = TempDir::new().map_err(|error| format!("no data directory: {error}"))?;
        let (process, address) = spawn(setting, data.path(), arguments)?;
        wait_until_ready(address)?;
        Ok(Server { address, process, _data: Some(data) })
    }

    /// Like [`start_with`](Server::start_with), with data in `/dev/shm`, where syncs are free. `None` when
    /// there is no such file system.
    pub fn start_in_memory(setting: &Setting, arguments: &[&str]) -> Option<Outcome<Server>> {
        let data = TempDir::new_in("/dev/shm").ok()?;
        let started = spawn(setting, data.path(), arguments).and_then(|(process, address)| {
            wait_until_ready(address)?;
            Ok(Server { address, process, _data: Some(data) })
        });
        Some(started)
    }

    /// Starts a server on a data directory of the caller, without waiting for its first reply.
    pub fn spawn_on(setting: &Setting, data: &TempDir) -> Outcome<Server> {
        let (process, address) = spawn(setting, data.path(), &[])?;
        Ok(Server { address, process, _data: None })
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&mut self) {
        // It may have ended already.
        let _killed = self.process.kill();
        let _status = self.process.wait();
    }

    /// Asks the process to stop, with SIGTERM.
    pub fn terminate(&self) -> Outcome<()> {
        let status = Command::new("kill").arg(self.process.id().to_string()).status();
        match status.map_err(|error| format!("kill: {error}"))?.success() {
            true => Ok(()),
            false => Err("kill has failed".to_owned()),
        }
    }

    /// Whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Resident memory in bytes.
    pub fn memory(&self) -> Outcome<u64> {
        self.status_kilobytes("VmRSS:").map(|kilobytes| kilobytes * 1024)
    }

    /// Peak of the resident memory in bytes.
    pub fn memory_peak(&self) -> Outcome<u64> {
        self.status_kilobytes("VmHWM:").map(|kilobytes| kilobytes * 1024)
    }

    /// Processor time of all threads since the start, in seconds.
    pub fn processor_seconds(&self) -> Outcome<f64> {
        processor_seconds(self.process.id())
    }

    /// Sum of the samples of a metric; `None` when the server has no metric of this name.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let text = ureq::get(self.url("/metrics")).call().ok()?.body_mut().read_to_string().ok()?;
        let samples = text.lines().filter_map(|line| {
            let rest = line.strip_prefix(name)?;
            (rest.starts_with(' ') || rest.starts_with('{'))
                .then(|| rest.rsplit(' ').next()?.parse::<f64>().ok())?
        });
        samples.fold(None, |sum, sample| Some(sum.unwrap_or(0.0) + sample))
    }

    /// Upper bound of a quantile of a histogram metric, in the unit of the metric.
    pub fn quantile(&self, name: &str, share: f64) -> Option<f64> {
        let buckets = self.buckets(name)?;
        let wanted = buckets.last()?.1 * share;
        buckets.iter().find(|(_, count)| *count >= wanted).map(|(bound, _)| *bound)
    }

    /// The buckets of a histogram metric: upper bounds and cumulative counts.
    pub fn buckets(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let text = ureq::get(self.url("/metrics")).call().ok()?.body_mut().read_to_string().ok()?;
        let prefix = format!("{name}_bucket{{le=\"");
        let buckets = text
            .lines()
            .filter_map(|line| {
                let (bound, count) = line.strip_prefix(&prefix)?.split_once("\"} ")?;
                let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().ok()? };
                Some((bound, count.split(' ').next()?.parse().ok()?))
            })
            .collect();
        Some(buckets)
    }

    fn status_kilobytes(&self, key: &str) -> Outcome<u64> {
        let file = format!("/proc/{}/status", self.process.id());
        let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).ok_or(format!("{file}: no {key}"))
    }
}

/// Processor time of a process, in seconds.
pub fn processor_seconds(process: u32) -> Outcome<f64> {
    /// `USER_HZ` of Linux, which is 100 on all supported architectures.
    const TICKS_PER_SECOND: f64 = 100.0;
    let file = format!("/proc/{process}/stat");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    // The name in parentheses may contain spaces; user and system time are the 12th and 13th fields after
    // it.
    let numbers = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        |index: usize| numbers.split_whitespace().nth(index).and_then(|word| word.parse::<f64>().ok());
    let ticks = ticks(11).zip(ticks(12)).ok_or_else(|| format!("{file}: no times"))?;
    Ok((ticks.0 + ticks.1) / TICKS_PER_SECOND)
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have exited already; the workload has reported this then.
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}

fn spawn(setting: &Setting, data: &std::path::Path, arguments: &[&str]) -> Outcome<(Child, SocketAddr)> {
    // The port may be taken between this call and the start of the server, which is unlikely here.
    let probe = TcpListener::bind("127.0.0.1:0").map_err(|error| format!("no free port: {error}"))?;
    let address = probe.local_addr().map_err(|error| error.to_string())?;
    drop(probe);
    let process = Command::new(&setting.binary)
        .args(["serve", "--listen", &address.to_string(), "--log", "error", "--data"])
        .arg(data)
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", setting.binary.display()))?;
    Ok((process, address))
}

/// Polls until the first reply. The polling interval is the error of the measurement.
pub fn wait_until_ready(address: SocketAddr) -> Outcome<()> {
    let started = Instant::now();
    loop {
        if TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok()
            && ureq::get(format!("http://{address}/readyz")).call().is_ok()
        {
            return Ok(());
        }
        if started.elapsed() > START_MAX {
            return Err(format!("no reply within {} s", START_MAX.as_secs()));
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}
