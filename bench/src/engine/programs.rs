//! The engines as programs: a process per task, with a time limit.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::setting::{Outcome, Setting};

pub struct Program {
    pub name: &'static str,
    /// Program and first arguments.
    words: Vec<String>,
}

pub enum Answer {
    Figures(BTreeMap<String, f64>),
    /// The time limit was exceeded.
    Stopped,
    Failed(String),
}

/// The path in an environment variable, which `cargo xtask bench` sets.
fn from_environment(name: &str) -> Outcome<PathBuf> {
    let path = std::env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("{name} is not set"))?;
    if path.exists() { Ok(path) } else { Err(format!("{name}: there is no {}", path.display())) }
}

pub fn ours() -> Outcome<Program> {
    let program = from_environment("QUADRILLE_BENCH_ENGINE")?;
    Ok(Program { name: "Quadrille", words: vec![text(&program)] })
}

pub fn peers(setting: &Setting) -> Outcome<Vec<Program>> {
    let folder = from_environment("QUADRILLE_BENCH_PEERS")?;
    let script = setting.root.join("bench/peers/hyperformula/rows.mjs");
    let node = ["node", "--expose-gc", "--max-old-space-size=8192"].map(str::to_owned);
    Ok(vec![
        Program { name: "IronCalc 0.9.1", words: vec![text(&folder.join("peer-ironcalc"))] },
        Program { name: "Formualizer 0.13", words: vec![text(&folder.join("peer-formualizer"))] },
        Program { name: "HyperFormula 3.5", words: [&node[..], &[text(&script)]].concat() },
    ])
}

pub fn module(setting: &Setting) -> Outcome<Program> {
    let module = from_environment("QUADRILLE_BENCH_MODULE")?;
    let script = setting.root.join("bench/engine/module.mjs");
    Ok(Program { name: "WebAssembly", words: vec!["node".to_owned(), text(&script), text(&module)] })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Program {
    pub fn perform(&self, arguments: &[&str], limit: Duration) -> Answer {
        let mut child = match self.start(arguments) {
            Ok(child) => child,
            Err(reason) => return Answer::Failed(reason),
        };
        let started = Instant::now();
        // The output is one line and fits into the pipe, so the program does not block.
        loop {
            match child.try_wait() {
                Ok(Some(_)) => break,
                Ok(None) if started.elapsed() > limit => {
                    // The process may have exited already.
                    let _ended = child.kill();
                    let _status = child.wait();
                    return Answer::Stopped;
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => return Answer::Failed(error.to_string()),
            }
        }
        let mut output = String::new();
        match child.stdout.take().map(|mut stdout| stdout.read_to_string(&mut output)) {
            Some(Ok(_)) => read(&output),
            _ => Answer::Failed("its output cannot be read".to_owned()),
        }
    }

    /// The output of the program.
    ///
    /// Fails when it exits with an error.
    pub fn text(&self, arguments: &[&str]) -> Outcome<String> {
        let output = Command::new(&self.words[0]).args(&self.words[1..]).args(arguments).output();
        let output = output.map_err(|error| format!("cannot start {}: {error}", self.words[0]))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    /// Starts the program on one core if `taskset` (util-linux) is installed.
    fn start(&self, arguments: &[&str]) -> Outcome<Child> {
        let core = std::thread::available_parallelism().map_or(1, usize::from) - 1;
        let pinned = ["taskset".to_owned(), "--cpu-list".to_owned(), core.to_string()];
        let mut last = String::new();
        for words in [[&pinned[..], &self.words].concat(), self.words.clone()] {
            let started = Command::new(&words[0])
                .args(&words[1..])
                .args(arguments)
                .env("RAYON_NUM_THREADS", "1")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn();
            match started {
                Ok(child) => return Ok(child),
                Err(error) => last = format!("cannot start {}: {error}", words[0]),
            }
        }
        Err(last)
    }
}

fn read(output: &str) -> Answer {
    let Ok(Value::Object(answer)) = serde_json::from_str(output) else {
        return Answer::Failed("ended without an answer".to_owned());
    };
    if let Some(trouble) = answer.get("trouble") {
        return Answer::Failed(trouble.as_str().unwrap_or_default().to_owned());
    }
    Answer::Figures(answer.into_iter().filter_map(|(row, value)| Some((row, value.as_f64()?))).collect())
}
