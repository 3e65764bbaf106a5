//! The replica in WebAssembly: about ten exported functions, no logic.
