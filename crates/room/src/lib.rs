//! The server half of a session: order, rebase, presence, fan-out; events in, effects out.
