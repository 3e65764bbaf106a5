//! The replica in WebAssembly: a dozen exported functions, no logic.
//!
//! The page's worker writes bytes into memory that [`allocate`] gave it, calls a function, and reads what it
//! answers from the one output buffer, whose address [`output`] tells and whose length the function returned. One
//! instance holds one engine; it has a single thread. The glue is `web/engine`.
//!
//! `engine.rs` holds the replica between calls, `queries.rs` answers what the page asks, `messages.rs` has the JSON both sides
//! speak. What the grid draws is laid out by the crate `viewport`.

use crate::json::to_json;

mod cells;
mod column_statistics;
mod engine;
mod error_messages;
mod json;
mod message_reader;
mod messages;
mod persistence;
mod queries;
mod search;
#[cfg(test)]
mod search_tests;
mod selection_statistics;
#[cfg(test)]
mod test_documents;
mod trace;

use std::cell::RefCell;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_json::{Json, JsonError};

pub use engine::Engine;
pub use messages::*;

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Memory for `length` bytes of input; given back by [`release`].
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    let mut bytes = vec![0_u8; length].into_boxed_slice();
    let pointer = bytes.as_mut_ptr();
    std::mem::forget(bytes);
    pointer
}

/// # Safety
/// `pointer` and `length` are those of one call of [`allocate`], and this is the first call for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(pointer: *mut u8, length: usize) {
    // SAFETY: `allocate` leaked a boxed slice of exactly this address and length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) });
}

/// Where the output buffer is now. Valid until the next call of anything else.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// Starts the engine; input: [`Opening`].
///
/// # Safety
/// As for [`input`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(pointer: *const u8, length: usize) {
    // Without the place in the sources, which the shipped module does not know (xtask/src/places.rs).
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or_default().to_owned();
        LAST_PANIC.set(message);
    }));
    // SAFETY: passed on from the caller.
    let opening = from_json(unsafe { input(pointer, length) }, Opening::from_json);
    ENGINE.set(Some(Engine::new(&opening)));
}

/// Input: [`PageEvent`]. `time_ms`: Unix time.
///
/// # Safety
/// As for [`input`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn event(pointer: *const u8, length: usize, time_ms: f64) {
    // SAFETY: passed on from the caller.
    let event = from_json(unsafe { input(pointer, length) }, PageEvent::from_json);
    with_engine(|engine| engine.event(event, time_ms as i64));
}

/// Input: one message from the socket.
///
/// # Safety
/// As for [`input`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frame(pointer: *const u8, length: usize, time_ms: f64) {
    // SAFETY: passed on from the caller.
    let bytes = unsafe { input(pointer, length) };
    with_engine(|engine| engine.frame(bytes, time_ms as i64));
}

/// Calculates for about `steps`. Bits: 1 finished, and then 2 cells in view changed, 4 the shape of the
/// sheet in view changed, 8 anything changed.
#[unsafe(no_mangle)]
pub extern "C" fn evaluate(steps: u32) -> u32 {
    with_engine(|engine| engine.evaluate(u64::from(steps)))
}

/// Input: [`Question`]; output: its answer.
///
/// # Safety
/// As for [`input`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ask(pointer: *const u8, length: usize) -> usize {
    // SAFETY: passed on from the caller.
    let question = from_json(unsafe { input(pointer, length) }, Query::from_json);
    put(with_engine(|engine| queries::answer(engine, question)))
}

/// Output: the cells of a rectangle, laid out as `cell_window.rs` of `viewport` says. From now on it is in view: it alone when
/// `is_first` is not zero, otherwise beside those before it.
#[unsafe(no_mangle)]
pub extern "C" fn window(sheet: u32, top: u32, left: u32, bottom: u32, right: u32, is_first: u32) -> usize {
    let range = Range::new(CellAddress::clamped(top, left), CellAddress::clamped(bottom, right));
    put(with_engine(|engine| engine.window(SheetId(sheet), range, is_first != 0)))
}

/// Output: the cells of a rectangle as for [`window`], without its being in view: for printing and copying.
#[unsafe(no_mangle)]
pub extern "C" fn look(sheet: u32, top: u32, left: u32, bottom: u32, right: u32) -> usize {
    let range = Range::new(CellAddress::clamped(top, left), CellAddress::clamped(bottom, right));
    put(with_engine(|engine| engine.look_at(SheetId(sheet), range)))
}

/// Output: extent and sizes of a sheet, laid out as `sheet_dimensions.rs` of `viewport` says.
#[unsafe(no_mangle)]
pub extern "C" fn shape(sheet: u32) -> usize {
    put(with_engine(|engine| engine.shape(SheetId(sheet))))
}

/// Whether something is to be written down: 1 something, 2 before anything is sent.
#[unsafe(no_mangle)]
pub extern "C" fn persist_due() -> u32 {
    let (is_due, is_urgent) = with_engine(|engine| engine.persist_is_due());
    u32::from(is_due) | u32::from(is_urgent) << 1
}

/// Output: what changed since the last call, laid out as `persistence.rs` says; of length zero when nothing did.
#[unsafe(no_mangle)]
pub extern "C" fn keep() -> usize {
    put(with_engine(|engine| engine.take_persisted()))
}

/// Puts the engine where a kept one stood, before it connects. Input: everything that was kept. Output: why
/// that is not possible; of length zero when it was.
///
/// # Safety
/// As for [`input`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn restore(pointer: *const u8, length: usize, is_copy: u32) -> usize {
    // SAFETY: passed on from the caller.
    let bytes = unsafe { input(pointer, length) };
    let failure = with_engine(|engine| engine.restore(bytes, is_copy != 0)).err().unwrap_or_default();
    put(failure.into_bytes())
}

/// Output: the next message for the socket; of length zero when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn next_frame() -> usize {
    put(with_engine(Engine::next_frame).unwrap_or_default())
}

/// Output: a list of [`Notice`].
#[unsafe(no_mangle)]
pub extern "C" fn notices() -> usize {
    put(to_json(&with_engine(Engine::take_notices)))
}

/// Output: what the engine said when it stopped.
#[unsafe(no_mangle)]
pub extern "C" fn panic_message() -> usize {
    put(LAST_PANIC.take().into_bytes())
}

/// # Safety
/// `pointer` and `length` are those of one living block of [`allocate`].
unsafe fn input<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: the caller's promise; the page writes to the block before the call and releases it after.
    unsafe { std::slice::from_raw_parts(pointer, length) }
}

fn put(bytes: Vec<u8>) -> usize {
    let length = bytes.len();
    OUTPUT.set(bytes);
    length
}

fn with_engine<T>(work: impl FnOnce(&mut Engine) -> T) -> T {
    ENGINE
        .with_borrow_mut(|engine| work(engine.as_mut().expect("the page opens the engine before it uses it")))
}

/// What was read by `read`, one of `message_reader.rs`.
fn from_json<T>(bytes: &[u8], read: fn(&Json) -> Result<T, JsonError>) -> T {
    match Json::parse(bytes).and_then(|json| read(&json)) {
        Ok(message) => message,
        Err(error) => panic!("the page's messages have the generated types: {error}"),
    }
}
