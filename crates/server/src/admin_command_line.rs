//! The subcommands of `quadrille admin` that ask a running server. The comments are the texts of
//! `quadrille admin --help`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Which server, and who asks.
#[derive(Args)]
pub struct AdminServer {
    /// URL of the running server [default: http://localhost:8000]
    #[arg(long, value_name = "URL", value_parser = server_url, global = true)]
    pub server: Option<String>,
    /// File with the API token of an admin; without it the variable QUADRILLE_TOKEN is used
    #[arg(long, value_name = "FILE", global = true)]
    pub token_file: Option<PathBuf>,
}

/// A request to the admin API. Lists are printed as JSON lines.
#[derive(Subcommand)]
pub enum AdminRequest {
    /// Print counts of accounts, workbooks and sessions, and the stored bytes
    Overview,
    /// List accounts
    Accounts {
        /// Only accounts whose name, address or identifier contains this text
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Change an account
    ChangeAccount(ChangeAccount),
    /// Print a link that signs in to an account once
    Invite {
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// End all sessions of an account
    EndSessions {
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Delete an account with everything stored about the person
    DeleteAccount {
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Account that gets the workbooks; without it they are deleted
        #[arg(long, value_name = "ACCOUNT")]
        transfer_to: Option<String>,
    },
    /// Print everything stored about a person as JSON
    ExportAccount {
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// List workbooks
    Workbooks {
        /// Only workbooks whose name contains this text
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
        /// Only workbooks of this account; "none" for those that nobody owns
        #[arg(long, value_name = "ACCOUNT")]
        owner: Option<String>,
        /// Only workbooks in the trash
        #[arg(long)]
        trash: bool,
    },
    /// Make an account the owner of a workbook
    Transfer {
        #[arg(value_name = "ROOM")]
        room: String,
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Take a workbook out of the trash
    Restore {
        #[arg(value_name = "ROOM")]
        room: String,
    },
    /// Delete a workbook with its history
    DeleteWorkbook {
        #[arg(value_name = "ROOM")]
        room: String,
    },
    /// List who is signed in
    Sessions,
    /// End a session
    EndSession {
        #[arg(value_name = "SESSION")]
        session: String,
    },
    /// List the workbooks in memory with their sessions
    Rooms,
    /// End the sessions of a workbook
    EndRoomSessions {
        #[arg(value_name = "ROOM")]
        room: String,
    },
    /// List API tokens
    Tokens,
    /// Revoke an API token
    RevokeToken {
        #[arg(value_name = "TOKEN")]
        token: String,
    },
    /// List tenants with their use and limits
    Tenants,
    /// Set the quota of an account or a tenant; limits that are not given are those of the settings
    Quota(QuotaChange),
    /// Empty the trash and forget old audit entries now, as the settings say
    Maintenance,
}

#[derive(Args)]
pub struct ChangeAccount {
    #[arg(value_name = "ACCOUNT")]
    pub account: String,
    /// Name that others see
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// E-mail address
    #[arg(long, value_name = "ADDRESS")]
    pub email: Option<String>,
    /// Whether the account is an admin
    #[arg(long, value_name = "BOOLEAN")]
    pub admin: Option<bool>,
    /// Whether the account is disabled
    #[arg(long, value_name = "BOOLEAN")]
    pub disabled: Option<bool>,
    /// File with a new password in its first line; the sessions of the account end
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
}

#[derive(Args)]
pub struct QuotaChange {
    /// Account whose quota is set
    #[arg(long, value_name = "ACCOUNT", required_unless_present = "tenant", conflicts_with = "tenant")]
    pub account: Option<String>,
    /// Host name of the tenant whose quota is set
    #[arg(long, value_name = "HOST")]
    pub tenant: Option<String>,
    /// Workbooks; 0 is no limit
    #[arg(long, value_name = "COUNT")]
    pub workbooks: Option<u64>,
    /// Bytes of these workbooks; 0 is no limit
    #[arg(long, value_name = "BYTES")]
    pub bytes: Option<u64>,
    /// Open sessions; 0 is no limit
    #[arg(long, value_name = "COUNT")]
    pub sessions: Option<u64>,
    /// Transactions per second; 0 is no limit
    #[arg(long, value_name = "COUNT")]
    pub operations_per_second: Option<u64>,
    /// Exports per hour; 0 is no limit
    #[arg(long, value_name = "COUNT")]
    pub exports_per_hour: Option<u64>,
}

/// `quadrille admin audit`: from a running server, or from a data directory.
#[derive(Args)]
pub struct AuditArguments {
    /// Read a data directory instead; no server may be running on it
    #[arg(long, value_name = "DIRECTORY")]
    pub data: Option<PathBuf>,
    /// Only this event, such as account_deleted
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
    /// Only what an account did, and what is about it
    #[arg(long, value_name = "ACCOUNT")]
    pub account: Option<String>,
    /// Only this workbook
    #[arg(long, value_name = "ROOM")]
    pub room: Option<String>,
    /// Only entries at or after this time, in milliseconds since 1970 UTC
    #[arg(long, value_name = "MILLISECONDS")]
    pub since_ms: Option<i64>,
    /// Only entries before this time
    #[arg(long, value_name = "MILLISECONDS")]
    pub until_ms: Option<i64>,
}

/// Reads the URL of a running server.
pub fn server_url(text: &str) -> Result<String, String> {
    match text.starts_with("http://") || text.starts_with("https://") {
        true => Ok(text.to_owned()),
        false => Err(format!("write http:// or https:// before it, such as http://{text}")),
    }
}
