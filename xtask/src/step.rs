//! [`Steps`]: runs commands one after another or in lanes beside each other, and prints their titles and
//! durations.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use crate::outcome::Outcome;

/// The steps of one command of this program.
pub struct Steps {
    started: Instant,
    /// Titles and durations in seconds.
    done: Arc<Mutex<Vec<(String, f64)>>>,
    /// What this machine cannot run, with the reason.
    skipped: Arc<Mutex<Vec<String>>>,
    /// The name of the lane, with which each line of output begins.
    lane: Option<&'static str>,
    /// A step of a lane failed: the other lanes begin no further step.
    has_failed: Arc<AtomicBool>,
}

/// Steps that run beside others; they must not need what the others make.
pub struct Lane<'a> {
    /// Begins each line of its output; a lane without a name prints as if it were alone.
    pub name: Option<&'static str>,
    pub work: Box<dyn FnOnce(&mut Steps) -> Outcome + Send + 'a>,
}

impl Steps {
    /// No steps yet; the clock starts.
    pub fn new() -> Steps {
        Steps {
            started: Instant::now(),
            done: Arc::default(),
            skipped: Arc::default(),
            lane: None,
            has_failed: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Prints the title and runs `command`, whose output goes to the terminal.
    pub fn run(&mut self, title: &str, command: &mut Command) -> Outcome {
        match self.lane {
            Some(lane) => self.perform(title, || execute_with_prefix(command, lane)),
            None => self.perform(title, || execute(command)),
        }
    }

    /// Prints the title and calls `work`; an error is prefixed with the title.
    pub fn perform(&mut self, title: &str, work: impl FnOnce() -> Outcome) -> Outcome {
        if self.has_failed.load(Ordering::Relaxed) {
            return Err(format!("{title}: not begun, since another step failed"));
        }
        let lane = self.lane.map(|lane| format!("[{lane}] ")).unwrap_or_default();
        println!("\n==> {lane}{title}");
        let started = Instant::now();
        work().map_err(|reason| format!("{title}: {reason}"))?;
        let seconds = started.elapsed().as_secs_f64();
        println!("    {lane}{title}: {seconds:.1} s");
        self.done.lock().expect("no step panics").push((title.to_owned(), seconds));
        Ok(())
    }

    /// Leaves out what this machine cannot run. The summary names it, so that nobody takes it for passed.
    pub fn skip(&mut self, title: &str, reason: &str) {
        let lane = self.lane.map(|lane| format!("[{lane}] ")).unwrap_or_default();
        println!("\n==> {lane}{title}: skipped: {reason}");
        self.skipped.lock().expect("no step panics").push(format!("{title}: {reason}"));
    }

    /// Runs lanes of steps beside each other: what waits for the network or uses one core leaves the
    /// rest of the machine to the others.
    ///
    /// # Errors
    /// The first error in the order of the lanes; the lanes that go on end with their current step.
    pub fn run_lanes(&mut self, lanes: Vec<Lane>) -> Outcome {
        let has_failed = Arc::new(AtomicBool::new(false));
        let mut errors: Vec<(bool, String)> = thread::scope(|scope| {
            let running: Vec<_> = lanes
                .into_iter()
                .map(|Lane { name, work }| {
                    let mut steps = Steps {
                        started: self.started,
                        done: Arc::clone(&self.done),
                        skipped: Arc::clone(&self.skipped),
                        lane: name,
                        has_failed: Arc::clone(&has_failed),
                    };
                    let has_failed = Arc::clone(&has_failed);
                    scope.spawn(move || {
                        work(&mut steps).map_err(|reason| {
                            let was_stopped = has_failed.swap(true, Ordering::Relaxed);
                            (was_stopped, reason)
                        })
                    })
                })
                .collect();
            let end = |lane: thread::ScopedJoinHandle<_>| {
                lane.join().unwrap_or_else(|_| Err((false, "a step panicked".to_owned())))
            };
            running.into_iter().filter_map(|lane| end(lane).err()).collect()
        });
        // What failed by itself comes before what was not begun because of it.
        errors.sort_by_key(|(was_stopped, _)| *was_stopped);
        errors.into_iter().next().map_or(Ok(()), |(_, reason)| Err(reason))
    }

    /// Prints the duration of each step, longest first, and what was skipped.
    pub fn print_summary(&mut self) {
        let mut done = self.done.lock().expect("no step panics");
        done.sort_by(|a, b| b.1.total_cmp(&a.1));
        println!();
        for (title, seconds) in done.iter() {
            println!("{seconds:8.1} s  {title}");
        }
        for skipped in self.skipped.lock().expect("no step panics").iter() {
            println!("   skipped  {skipped}");
        }
        println!("{:8.1} s  total", self.started.elapsed().as_secs_f64());
    }
}

/// Runs `command` to completion; the error of a failure contains the command line.
pub fn execute(command: &mut Command) -> Outcome {
    let line = command_line(command);
    let status = command.status().map_err(|error| format!("cannot start {line}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line} ended with {status}")) }
}

/// As [`execute`], with the name of a lane before each line of output.
fn execute_with_prefix(command: &mut Command, lane: &str) -> Outcome {
    let line = command_line(command);
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| format!("cannot start {line}: {error}"))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(|| print_with_prefix(output, lane));
        scope.spawn(|| print_with_prefix(errors, lane));
    });
    let status = child.wait().map_err(|error| format!("{line}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line} ended with {status}")) }
}

/// Prints each line of `output` until its end. Bytes that are not UTF-8 are replaced.
fn print_with_prefix(output: Option<impl Read>, lane: &str) {
    let Some(output) = output else { return };
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(length) if length > 0) {
        println!("[{lane}] {}", String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
}

/// Whether `command` can be started and succeeds; its output is discarded.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// A command that runs in `folder`.
pub fn command_in(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    command
}

fn command_line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_lane_skips_is_in_the_summary_of_all_lanes() {
        let mut steps = Steps::new();
        let work = |steps: &mut Steps| {
            steps.skip("ARM64", "qemu-aarch64 is missing");
            Ok(())
        };
        let lanes = vec![Lane { name: Some("others"), work: Box::new(work) }];
        assert_eq!(steps.run_lanes(lanes), Ok(()));
        let skipped = steps.skipped.lock().expect("no step panics");
        assert_eq!(*skipped, ["ARM64: qemu-aarch64 is missing"]);
    }
}
