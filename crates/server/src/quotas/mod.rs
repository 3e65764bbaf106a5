//! Quotas: how much an account and a tenant may have and do.
//!
//! A *tenant* is a host name of the server with an entry in the setting `tenants`. Its workbooks are
//! found at its host name only, see `quadrille_access::decide`.
//!
//! Use is counted in memory, so that an edit costs no query: a [`Subject`](subject::Subject) is read
//! from the stores when it is first needed, then kept up to date by what passes through this server,
//! and read anew every hour. Subjects without a limit are not counted.
//!
//! | file | contents |
//! |---|---|
//! | `subject` | the limits and the use of one account or tenant |
//! | `registry` | [`Quotas`]: all subjects, and the checks |
//! | `hourly` | how much one network address exports and creates within an hour |

mod hourly;
mod registry;
mod subject;

pub use registry::{MEASURED_AT_ONCE, Quotas, SessionQuota, Upload};
