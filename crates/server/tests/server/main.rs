//! The real binary, started on a free port with a data directory of its own, and talked to from outside.
//!
//! `support` starts it and speaks HTTP; `person` is someone who edits over a WebSocket with the real client half.

mod bad_input;
mod chat;
mod commands;
mod crowd;
mod digests;
mod durability;
mod ethercalc;
mod fairness;
mod history;
mod images;
mod items;
mod joining;
mod lifecycle;
mod openapi;
mod person;
mod rates;
mod rest;
mod sessions;
mod support;
mod traces;
