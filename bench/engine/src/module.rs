//! The tasks in WebAssembly. Node supplies a clock and the name of the task and reads the figures as JSON.

use std::cell::RefCell;

use quadrille_bench_tasks::{Probe, run};

use crate::Ours;

#[link(wasm_import_module = "bench")]
unsafe extern "C" {
    /// Milliseconds of a monotonic clock.
    safe fn now() -> f64;
}

struct Host;

impl Probe for Host {
    fn nanoseconds(&self) -> u64 {
        (now() * 1e6) as u64
    }

    fn resident_bytes(&self) -> Option<u64> {
        None
    }
}

/// Maximum length of the name of a task.
const NAME_BYTES_MAX: usize = 64;

thread_local! {
    static NAME: RefCell<[u8; NAME_BYTES_MAX]> = const { RefCell::new([0; NAME_BYTES_MAX]) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The buffer for the name of the task.
#[unsafe(no_mangle)]
pub extern "C" fn name() -> *mut u8 {
    NAME.with_borrow_mut(|name| name.as_mut_ptr())
}

/// Runs the task whose name has `length` bytes; returns the length of the output.
#[unsafe(no_mangle)]
pub extern "C" fn task(length: usize) -> usize {
    let task =
        NAME.with_borrow(|name| String::from_utf8_lossy(&name[..length.min(NAME_BYTES_MAX)]).into_owned());
    let answer = match run::<Ours>(&task, &Host) {
        Ok(figures) => {
            let pairs = figures.iter().map(|figure| (figure.row.to_owned(), figure.value.into()));
            serde_json::Value::Object(pairs.collect())
        }
        Err(trouble) => serde_json::json!({ "trouble": trouble.to_string() }),
    };
    OUTPUT.set(answer.to_string());
    OUTPUT.with_borrow(String::len)
}

#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}
