//! Rate limits per connection, room and client address. `docs/configuration.md` lists them.
//!
//! Frames beyond a rate are read more slowly, so that nothing is lost and nothing has to be resent
//! (`R1`). When the pause would exceed `PAUSE_SECONDS_MAX`, the session is closed with the time to
//! wait (`R2`); a REST request is answered with
//! 429. Presence beyond its rate is dropped (`R3`).

mod client_address;
mod limit;
mod limiter;
mod token_bucket;

pub use client_address::client_address;
pub use limit::{LimitExceeded, LimitHit};
pub use limiter::{RateLimiter, SessionLimits};
pub use token_bucket::{Rate, TokenBucket};
