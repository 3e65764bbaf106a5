//! The subcommands of `quadrille`.

mod admin;
mod backup;
mod check_repair;
mod command_error;
mod import_export;
mod mcp;
mod serve;

pub use admin::admin;
pub use backup::{backup, restore};
pub use check_repair::{check, repair};
pub use command_error::CommandError;
pub use import_export::{convert, export, import};
pub use mcp::mcp;
pub use serve::serve;
