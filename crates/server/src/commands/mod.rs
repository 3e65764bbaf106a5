//! The subcommands of `quadrille`.

mod admin;
mod backup;
mod check_repair;
mod command_error;
mod copy_ends;
mod data_files;
mod database_backup;
mod doctor;
mod ethercalc_import;
mod import_export;
mod manual;
mod mcp;
mod migrate;
mod move_room;
mod opened_backup;
mod record_restore;
mod restore;
mod restore_into_server;
mod serve;
mod top;
mod whole_backup;

pub use admin::admin;
pub use backup::backup;
pub use check_repair::{check, repair};
pub use command_error::CommandError;
pub use doctor::doctor;
pub use import_export::{convert, export, import};
pub use manual::{completions, man};
pub use mcp::mcp;
pub use migrate::migrate;
pub use move_room::move_room;
pub use restore::restore;
pub use serve::serve;
pub use top::top;
