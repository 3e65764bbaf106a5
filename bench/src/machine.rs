//! Description of the machine for the results.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::setting::Setting;

/// Commit, processor, memory, system, load and scheduling policy.
pub fn describe(setting: &Setting) -> Value {
    json!({
        "processor": first_value("/proc/cpuinfo", "model name"),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "memory": first_value("/proc/meminfo", "MemTotal"),
        "system": fs::read_to_string("/proc/version").unwrap_or_default().split(" (").next(),
        "load": fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next(),
        "scheduling": scheduling(),
        "commit": commit(setting),
    })
}

/// The scheduling policy. With a real-time policy (`chrt -r 10 cargo xtask bench …`) the measured
/// processes have priority over all others, as on an idle machine.
fn scheduling() -> &'static str {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The policy is the 39th field after the name in parentheses.
    let numbers = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    match numbers.split_whitespace().nth(38) {
        Some("1" | "2") => "real time",
        _ => "like every other process",
    }
}

/// The value of the first line `key : value`.
fn first_value(file: &str, key: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key));
    line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn commit(setting: &Setting) -> String {
    let mut git = Command::new("git");
    let output = git.current_dir(&setting.root).args(["describe", "--always", "--dirty"]).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}
