//! The command line. The comments of fields are the texts of `quadrille --help`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::admin_command_line::{AdminRequest, AdminServer, AuditArguments, server_url};
use crate::config::SettingsSource;
use crate::secret_setting::SecretSetting;
use crate::storage_location::DatabaseArguments;

/// Self-hosted collaborative spreadsheet
#[derive(Parser)]
#[command(
    name = "quadrille",
    version,
    arg_required_else_help = true,
    after_help = "Run `quadrille serve` and open http://localhost:8000 in a browser.\n\n\
                  Exit codes: 0 success, 1 failure, 2 invalid command line or configuration, \
                  3 storage failure while serving, 4 damaged data."
)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run the server
    Serve(Box<ServeArguments>),
    /// Import files into rooms, one room per file, or all rooms of EtherCalc
    ///
    /// --from-ethercalc takes the rooms of a running or dumped EtherCalc, with commands, chat messages,
    /// times of mail formulas and the times of last changes, into a data directory or a database. An
    /// interrupted import goes on when the command is run again; rooms that were changed here since are
    /// kept. Standard output is a report with one JSON object a line.
    Import(ImportArguments),
    /// Export a room to a file in the format of the file's extension
    Export(ExportArguments),
    /// Convert a file to another format, with all formulas recalculated
    ///
    /// Needs no server and no data directory. The extensions of the files determine the formats.
    Convert(ConvertArguments),
    /// Back up a data directory, or one or several databases, which servers may be using
    ///
    /// The first backup in a place has everything as of one moment, later ones only what is new since.
    /// A new full backup is made when the increments have become larger than the last one. With
    /// --follow, the backup is never more than a second behind.
    Backup(BackupArguments),
    /// Restore a backup into an empty data directory or empty databases, or one room of it beside others
    ///
    /// Everything can be restored as it was at any moment. Browsers load the workbooks anew, since they
    /// may know later changes than the backup has.
    Restore(RestoreArguments),
    /// Move everything between a data directory and one or several PostgreSQL databases
    ///
    /// Copies all workbooks with their history, accounts, access and the audit log, then reads both
    /// again and compares their digests. The servers have to be stopped; --live copies most of it
    /// beforehand. An interrupted migration goes on when the command is run again. The source stays
    /// unchanged.
    Migrate(MigrateArguments),
    /// Move a room to another database of several, while it is edited
    ///
    /// The server that runs the room moves it, or this command if no server does. An interrupted move goes
    /// on by itself as soon as a server or this command runs.
    MoveRoom(MoveRoomArguments),
    /// Check a data directory for damage
    ///
    /// Reads all stored data and verifies checksums, records and snapshots. Changes nothing.
    Check(CheckArguments),
    /// Repair damage in a data directory
    ///
    /// Without options, prints what can be repaired and changes nothing. --write makes the repairs
    /// that lose no data; --cut also drops records that can no longer be used. Before the first
    /// change, the files are copied to before-repair-N in the directory.
    Repair(RepairArguments),
    /// Look at the settings and the machine of a server, and say what is wrong with them
    ///
    /// Takes the same flags, variables and file as `quadrille serve`, and works beside a running
    /// server. Changes nothing. Exits with 1 when there is a problem; warnings are no failure.
    Doctor(Box<DoctorArguments>),
    /// Show what a running server does: people, rates, delays, and the rooms that take most time
    ///
    /// The server needs the setting `metrics`. With the API token of an admin, rooms are listed too.
    Top(TopArguments),
    /// Let an agent use workbooks of a server: the Model Context Protocol over standard input and
    /// output
    Mcp(McpArguments),
    /// Manage accounts
    Admin(AdminArguments),
    /// Print a script that completes commands and flags in a shell
    ///
    /// For example: quadrille completions bash > /etc/bash_completion.d/quadrille
    Completions(CompletionsArguments),
    /// Write the man pages of all commands
    #[command(hide = true)]
    Man(ManArguments),
    /// Print the version
    Version,
}

#[derive(Args)]
pub struct AdminArguments {
    #[command(flatten)]
    pub server: AdminServer,
    #[command(subcommand)]
    pub command: AdminCommand,
}

#[derive(Subcommand)]
pub enum AdminCommand {
    /// Create an admin, or make an account one
    ///
    /// Prints a link that signs in once, or with --password sets a password. An account with this
    /// e-mail address becomes an admin and keeps its workbooks.
    Create(AdminCreateArguments),
    /// Print the audit log as JSON lines
    Audit(AuditArguments),
    #[command(flatten)]
    Request(AdminRequest),
}

/// Where an administrative command works: on a data directory, or on a running server.
#[derive(Args)]
pub struct AdminLocation {
    /// URL of a running server, such as http://localhost:8000
    #[arg(long, value_name = "URL", value_parser = server_url, conflicts_with = "data")]
    pub server: Option<String>,
    /// API token of an admin with the scope `admin`, for --server
    #[arg(long, env = "QUADRILLE_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Data directory to use without a server; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArguments,
}

#[derive(Args)]
pub struct AdminCreateArguments {
    /// E-mail address of the account
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
    /// Name that others see; by default the part of the address before the @
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Set a password, which is read from the terminal or from standard input
    #[arg(long)]
    pub password: bool,
    /// URL by which browsers reach the server, for the link
    #[arg(long, env = "QUADRILLE_PUBLIC_URL", value_name = "URL", value_delimiter = ',')]
    pub public_url: Vec<String>,
    #[command(flatten)]
    pub location: AdminLocation,
}

#[derive(Args)]
pub struct ServeArguments {
    /// TOML file with settings; flags and QUADRILLE_* variables override it
    #[arg(long, env = "QUADRILLE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingsSource,
}

#[derive(Args)]
pub struct DoctorArguments {
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub serve: ServeArguments,
}

#[derive(Args)]
pub struct TopArguments {
    #[command(flatten)]
    pub server: AdminServer,
    /// Seconds between two updates
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub interval: u64,
    /// Print once, after one interval, and end
    #[arg(long)]
    pub once: bool,
}

#[derive(Args)]
pub struct CompletionsArguments {
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArguments {
    /// Directory to write to; it has to exist
    #[arg(value_name = "DIRECTORY")]
    pub directory: PathBuf,
}

/// The location of rooms: a running server, or a data directory.
#[derive(Args)]
pub struct RoomsLocation {
    /// URL of a running server, such as http://localhost:8000
    #[arg(long, value_name = "URL", value_parser = server_url, conflicts_with = "data")]
    pub server: Option<String>,
    /// File with an owner key, share link or API token for the server; the variable QUADRILLE_TOKEN
    /// can hold it instead
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_file: Option<PathBuf>,
    /// Data directory to use without a server; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArguments,
}

#[derive(Args)]
pub struct ImportArguments {
    /// Files to import: .xlsx .xls .xlsb .ods .csv .tsv .json and the other formats that `quadrille convert`
    /// reads
    #[arg(required_unless_present = "from_ethercalc", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Room whose contents the file replaces; by default a new room with a random name
    #[arg(long, value_name = "NAME")]
    pub room: Option<String>,
    #[command(flatten)]
    pub ethercalc: EtherCalcArguments,
    #[command(flatten)]
    pub location: RoomsLocation,
}

/// An import from EtherCalc.
#[derive(Args)]
pub struct EtherCalcArguments {
    /// EtherCalc's Redis, such as redis://localhost:6379/0, its file dump.json, or its directory dump
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["files", "room", "server"])]
    pub from_ethercalc: Option<String>,
    /// File with the password of that Redis
    #[arg(long, value_name = "FILE", requires = "from_ethercalc")]
    pub from_password_file: Option<PathBuf>,
    /// Report what an import would do, and write nothing
    #[arg(long, requires = "from_ethercalc")]
    pub dry_run: bool,
    /// Replace also rooms that were changed here, or are not of EtherCalc
    #[arg(long, requires = "from_ethercalc")]
    pub replace: bool,
    /// Import the room OLD of EtherCalc under another name; may be given several times
    #[arg(long, value_name = "OLD=NEW", requires = "from_ethercalc")]
    pub rename: Vec<String>,
    /// File to which the report is appended, instead of standard output
    #[arg(long, value_name = "FILE", requires = "from_ethercalc")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub struct ExportArguments {
    /// Name of the room
    #[arg(value_name = "ROOM")]
    pub room: String,
    /// File to write: .xlsx .ods .csv .tsv .json .html .md
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub location: RoomsLocation,
}

#[derive(Args)]
pub struct ConvertArguments {
    /// File to read
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Write numbers with full precision instead of as displayed
    #[arg(long)]
    pub raw: bool,
}

#[derive(Args)]
pub struct McpArguments {
    /// URL of a running server
    #[arg(long, value_name = "URL", value_parser = server_url, default_value = "http://localhost:8000")]
    pub server: String,
    /// File with an owner key, share link or API token for the server; the variable QUADRILLE_TOKEN
    /// can hold it instead
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Name under which others see the agent; by default the name of its program
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Args)]
pub struct MigrateArguments {
    /// Data directory, or database such as postgres://user@host/database, to copy; several databases with
    /// spaces
    #[arg(value_name = "FROM")]
    pub from: String,
    /// Empty data directory or database to fill; several databases with spaces
    #[arg(value_name = "TO")]
    pub to: String,
    /// Copy while servers use FROM. TO is complete only after the command was run again without it
    #[arg(long)]
    pub live: bool,
    /// File with the password of the user in FROM
    #[arg(long, value_name = "FILE")]
    pub from_password_file: Option<PathBuf>,
    /// File with the password of the user in TO
    #[arg(long, value_name = "FILE")]
    pub to_password_file: Option<PathBuf>,
}

#[derive(Args)]
pub struct BackupArguments {
    /// Directory, or s3://bucket/prefix, in which backups are collected. A directory is created if missing
    #[arg(value_name = "PLACE")]
    pub place: String,
    /// Data directory to back up
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
    /// Number of full backups to keep: afterwards, older ones are removed with their increments
    #[arg(long, value_name = "NUMBER", conflicts_with = "verify")]
    pub keep: Option<NonZeroU32>,
    /// Make a full backup, even if an increment would do
    #[arg(long, conflicts_with_all = ["whole", "verify"])]
    pub full: bool,
    /// Keep running, and back up every change within a second. SIGTERM ends it
    #[arg(long, conflicts_with_all = ["whole", "verify"])]
    pub follow: bool,
    /// Copy everything into a data directory named by the time, which `quadrille check` and `quadrille
    /// export` can read
    #[arg(long, conflicts_with = "verify")]
    pub whole: bool,
    /// Encrypt to this public key of age, such as age1…; may be given several times. Who restores needs
    /// the key that belongs to it
    #[arg(long, value_name = "RECIPIENT", conflicts_with_all = ["whole", "verify"])]
    pub encrypt_to: Vec<String>,
    /// File of age-keygen with the key of encrypted backups, to look into them with --verify
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub identity: Option<PathBuf>,
    /// Read the backups of PLACE completely and compare them with their digests. Changes nothing
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub database: DatabaseArguments,
}

#[derive(Args)]
pub struct RestoreArguments {
    /// Place in which `quadrille backup` has collected backups, or one of the backups in it
    #[arg(value_name = "BACKUP")]
    pub backup: String,
    /// File of age-keygen with the key of an encrypted backup
    #[arg(long, value_name = "FILE")]
    pub identity: Option<PathBuf>,
    /// Copy only this room, beside those that exist
    #[arg(long, value_name = "NAME")]
    pub room: Option<String>,
    /// Name of the copied room, if it shall have another than in the backup
    #[arg(long = "as", value_name = "NAME", requires = "room")]
    pub new_name: Option<String>,
    /// URL of a running server, such as http://localhost:8000, whose room gets the contents of --room
    #[arg(long, value_name = "URL", value_parser = server_url, requires = "room", conflicts_with = "storage")]
    pub server: Option<String>,
    /// File with an owner key, share link or API token for the server; the variable QUADRILLE_TOKEN
    /// can hold it instead
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_file: Option<PathBuf>,
    /// Restore the workbooks as they were at this moment, with a time zone: 2026-11-25T14:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment_ms)]
    pub at: Option<i64>,
    /// Data directory to fill; without --room it must be empty or missing
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArguments,
}

#[derive(Args)]
pub struct MoveRoomArguments {
    /// Room to move
    #[arg(value_name = "NAME")]
    pub room: String,
    /// Database to move it to: its URL, as in --storage
    #[arg(value_name = "DATABASE")]
    pub to: SecretSetting,
    #[command(flatten)]
    pub database: DatabaseArguments,
}

#[derive(Args)]
pub struct CheckArguments {
    /// Data directory; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
}

#[derive(Args)]
pub struct RepairArguments {
    /// Data directory; no server may be running on it
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY", default_value = "data")]
    pub data: PathBuf,
    /// Make the repairs that lose no data
    #[arg(long)]
    pub write: bool,
    /// Make all repairs; a room whose records are damaged is cut back to its last readable revision
    #[arg(long)]
    pub cut: bool,
}

/// Reads a moment in the format of RFC 3339. Returns milliseconds since 1970-01-01 UTC.
fn moment_ms(text: &str) -> Result<i64, String> {
    let moment = chrono::DateTime::parse_from_rfc3339(text);
    moment.map(|moment| moment.timestamp_millis()).map_err(|error| {
        format!("{error}; write date, time and time zone, such as 2026-11-25T14:30:00Z or 2026-11-25T15:30:00+01:00")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        CommandLine::command().debug_assert();
    }
}
