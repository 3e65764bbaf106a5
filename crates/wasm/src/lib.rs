//! The engine of the web client: the replica compiled to WebAssembly, behind a dozen exported
//! functions.
//!
//! The client's worker writes input into memory from [`allocate`], calls a function, and reads the
//! result from the output buffer: the function returns its length, [`output`] its address. An
//! instance holds one engine and has a single thread. The JavaScript side is `web/engine`; the
//! rules of this interface are in decision 0003.
//!
//! - `messages.rs` defines the JSON messages; the client's TypeScript types are generated from
//!   them;
//! - `engine.rs` holds the replica, handles events and reports changes as notices;
//! - `queries.rs` answers queries about cells and items.
//!
//! The crate `viewport` encodes what the grid draws. Neither protocol nor calculation is
//! implemented here. Start reading with `messages.rs` and `engine.rs`.

use crate::json::to_json;

mod analysis_messages;
mod cells;
mod column_statistics;
mod engine;
mod error_messages;
mod filter_messages;
mod json;
mod message_reader;
mod messages;
mod persistence;
mod pivot_messages;
mod pivot_table;
mod queries;
mod row_order;
mod search;
#[cfg(test)]
mod search_tests;
mod selection_statistics;
mod slicer;
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

// The functions have these names in the module only. In a program they would be symbols for everybody, and
// `open` would take the place of the one of a statically linked C library.

/// Allocates `length` bytes for input; [`release`] frees them.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    let mut bytes = vec![0_u8; length].into_boxed_slice();
    let pointer = bytes.as_mut_ptr();
    std::mem::forget(bytes);
    pointer
}

/// Frees memory of [`allocate`].
///
/// # Safety
/// `pointer` and `length` are the result and the argument of one call of [`allocate`], and the
/// memory has not been freed yet.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn release(pointer: *mut u8, length: usize) {
    // SAFETY: `allocate` leaked a boxed slice of exactly this address and length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) });
}

/// The address of the output buffer, valid until the next call of another function.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// Creates the engine. Input: [`Opening`].
///
/// # Safety
/// As for `input`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn open(pointer: *const u8, length: usize) {
    // The message without its source location, which the shipped module does not contain
    // (xtask/src/wasm/panic_locations.rs).
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or_default().to_owned();
        LAST_PANIC.set(message);
    }));
    // SAFETY: passed on from the caller.
    let opening = from_json(unsafe { input(pointer, length) }, Opening::from_json);
    ENGINE.set(Some(Engine::new(&opening)));
}

/// Handles an event of the client. Input: [`ClientEvent`]. `time_ms` is the Unix time.
///
/// # Safety
/// As for `input`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn event(pointer: *const u8, length: usize, time_ms: f64) {
    // SAFETY: passed on from the caller.
    let event = from_json(unsafe { input(pointer, length) }, ClientEvent::from_json);
    with_engine(|engine| engine.event(event, time_ms as i64));
}

/// Handles one message of the WebSocket. Input: the frame. `time_ms` is the Unix time.
///
/// # Safety
/// As for `input`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn frame(pointer: *const u8, length: usize, time_ms: f64) {
    // SAFETY: passed on from the caller.
    let bytes = unsafe { input(pointer, length) };
    with_engine(|engine| engine.frame(bytes, time_ms as i64));
}

/// Evaluates dirty cells for about `steps` evaluation steps.
///
/// Returns bits: 1 the calculation is finished; and then 2 visible cells changed, 4 the dimensions
/// of the visible sheet changed, 8 anything changed.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn evaluate(steps: u32) -> u32 {
    with_engine(|engine| engine.evaluate(u64::from(steps)))
}

/// Answers a query. Input: [`Query`]; output: its answer as JSON.
///
/// # Safety
/// As for `input`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn query(pointer: *const u8, length: usize) -> usize {
    // SAFETY: passed on from the caller.
    let query = from_json(unsafe { input(pointer, length) }, Query::from_json);
    put(with_engine(|engine| queries::answer(engine, query)))
}

/// Encodes the cells of a rectangle and adds it to the viewport. If `is_first` is not zero, it
/// replaces the viewport. Output: a cell window as in `cell_window.rs` of `viewport`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn window(sheet: u32, top: u32, left: u32, bottom: u32, right: u32, is_first: u32) -> usize {
    let range = Range::new(CellAddress::clamped(top, left), CellAddress::clamped(bottom, right));
    put(with_engine(|engine| engine.window(SheetId(sheet), range, &[], is_first != 0)))
}

/// Like [`window`], with the rows of a sorted filter view in their order. Input: their numbers as
/// little-endian `u32`.
///
/// # Safety
/// As for `input`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn window_of_rows(
    pointer: *const u8,
    length: usize,
    sheet: u32,
    top: u32,
    left: u32,
    bottom: u32,
    right: u32,
    is_first: u32,
) -> usize {
    // SAFETY: passed on from the caller.
    let (words, _) = unsafe { input(pointer, length) }.as_chunks();
    let rows: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
    let range = Range::new(CellAddress::clamped(top, left), CellAddress::clamped(bottom, right));
    put(with_engine(|engine| engine.window(SheetId(sheet), range, &rows, is_first != 0)))
}

/// Encodes the cells of a rectangle without changing the viewport, for printing and copying.
/// Output: as for [`window`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn detached_window(sheet: u32, top: u32, left: u32, bottom: u32, right: u32) -> usize {
    let range = Range::new(CellAddress::clamped(top, left), CellAddress::clamped(bottom, right));
    put(with_engine(|engine| engine.detached_window(SheetId(sheet), range)))
}

/// Encodes the used extent and the row and column sizes of a sheet. Output: as in
/// `sheet_dimensions.rs` of `viewport`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn sheet_dimensions(sheet: u32) -> usize {
    put(with_engine(|engine| engine.sheet_dimensions(SheetId(sheet))))
}

/// Tells whether the replica has changes to persist. Returns bits: 1 it has; 2 they must be
/// persisted before a frame is sent.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn persistence_due() -> u32 {
    let (is_due, is_urgent) = with_engine(|engine| engine.persistence_due());
    u32::from(is_due) | u32::from(is_urgent) << 1
}

/// Takes the changes to persist. Output: as in `persistence.rs`; empty when there are none.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn take_persisted() -> usize {
    put(with_engine(|engine| engine.take_persisted()))
}

/// Restores the persisted state of an engine, before the engine connects. Input: all persisted
/// pieces. Output: an error message; empty on success.
///
/// # Safety
/// As for `input`.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn restore(pointer: *const u8, length: usize, is_copy: u32) -> usize {
    // SAFETY: passed on from the caller.
    let bytes = unsafe { input(pointer, length) };
    let failure = with_engine(|engine| engine.restore(bytes, is_copy != 0)).err().unwrap_or_default();
    put(failure.into_bytes())
}

/// Takes the next frame for the WebSocket. Output: the frame; empty when there is none.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn next_frame() -> usize {
    put(with_engine(Engine::next_frame).unwrap_or_default())
}

/// Takes all notices. Output: a list of [`Notice`] as JSON.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn notices() -> usize {
    put(to_json(&with_engine(Engine::take_notices)))
}

/// Takes the message of the panic that stopped the engine. Output: the message.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn panic_message() -> usize {
    put(LAST_PANIC.take().into_bytes())
}

/// The bytes of an input block.
///
/// # Safety
/// `pointer` and `length` are those of a block of [`allocate`] that is not freed during the call.
unsafe fn input<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: by the contract above; the client writes to the block before the call and frees it
    // after.
    unsafe { std::slice::from_raw_parts(pointer, length) }
}

/// Puts `bytes` into the output buffer and returns their length.
fn put(bytes: Vec<u8>) -> usize {
    let length = bytes.len();
    OUTPUT.set(bytes);
    length
}

fn with_engine<T>(work: impl FnOnce(&mut Engine) -> T) -> T {
    ENGINE.with_borrow_mut(|engine| {
        work(engine.as_mut().expect("the client opens the engine before it uses it"))
    })
}

/// Parses a message and reads it with `read`, a function of `message_reader.rs`.
fn from_json<T>(bytes: &[u8], read: fn(&Json) -> Result<T, JsonError>) -> T {
    match Json::parse(bytes).and_then(|json| read(&json)) {
        Ok(message) => message,
        Err(error) => panic!("the client's messages have the generated types: {error}"),
    }
}
