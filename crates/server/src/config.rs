//! Settings of `quadrille serve`. Flags override `QUADRILLE_*` variables, which override a TOML
//! file, which overrides the defaults.
//!
//! One struct describes all three sources: a field `listen` is the flag `--listen`, the variable
//! `QUADRILLE_LISTEN` and the key `listen` of the file. `docs/configuration.md` has the table; a
//! test compares it with this file.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use quadrille_access::Quota;
use quadrille_access::SessionTimes;
use quadrille_journal::Retention;
use quadrille_protocol::Role;
use quadrille_room::limits as room;
use serde::{Deserialize, Serialize};

use crate::host_tokens::TokenIssuers;
use crate::limits;
use crate::mail::MailLanguage;
use crate::openid::OpenIdProviders;
use crate::secret_setting::SecretSetting;
use crate::tenant_settings::{self, TenantSettings};

const HOUR_MS: i64 = 3_600_000;

/// The role of everybody who knows the address of a room, unless its owner has changed that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DefaultRole {
    Owner,
    Edit,
    Comment,
    View,
}

impl From<DefaultRole> for Role {
    fn from(role: DefaultRole) -> Role {
        match role {
            DefaultRole::Owner => Role::Owner,
            DefaultRole::Edit => Role::Edit,
            DefaultRole::Comment => Role::Comment,
            DefaultRole::View => Role::View,
        }
    }
}

/// Who may become the owner of a workbook that nobody owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimPolicy {
    /// Whoever creates it: only a workbook without any revision can be claimed.
    New,
    /// Whoever may edit it.
    Editors,
    Nobody,
}

/// Who has the default role in workbooks that their owners have not restricted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// Everybody who knows the address.
    Open,
    /// Everybody who knows the address and is signed in.
    Accounts,
}

/// The general access of workbooks that accounts create.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NewWorkbookAccess {
    /// Only the owner, until others are invited.
    Restricted,
    /// Whoever has the default role.
    Default,
}

/// Who may create workbooks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CreationPolicy {
    Anyone,
    /// Whoever is signed in.
    Accounts,
    /// Nobody over the network.
    Nobody,
}

/// Which rooms EtherCalc's lists have, of those that the requester may open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EtherCalcLists {
    All,
    /// Not those with a random name, which only who has been told it knows.
    Named,
    /// There are no lists.
    Off,
}

/// The format of log lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// Settings of one source; `None` when the source does not set it.
#[derive(Args, Clone, Default, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsSource {
    /// Address and port to listen on [default: 127.0.0.1:8000]; port 0 chooses a free port, which
    /// is printed
    #[arg(long, env = "QUADRILLE_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Directory of the stored rooms [default: data]; created if it does not exist
    #[arg(long, env = "QUADRILLE_DATA", value_name = "DIRECTORY")]
    pub data: Option<PathBuf>,
    /// PostgreSQL database of the rooms and of accounts, such as
    /// `postgres://user@host/database`, or several with spaces; empty stores them in the data directory
    #[arg(long, env = "QUADRILLE_STORAGE", value_name = "URL", hide_env_values = true)]
    #[serde(default, deserialize_with = "crate::secret_setting::one_or_list")]
    pub storage: Option<SecretSetting>,
    /// File with the password of the user in `storage`
    #[arg(long, env = "QUADRILLE_STORAGE_PASSWORD_FILE", value_name = "FILE")]
    pub storage_password_file: Option<PathBuf>,
    /// Bucket for large snapshots and images, such as `s3://bucket/prefix`; empty keeps them in the storage
    #[arg(long, env = "QUADRILLE_OBJECT_STORAGE", value_name = "URL")]
    pub object_storage: Option<String>,
    /// Bytes from which a snapshot or image is stored in `object_storage`
    #[arg(long, env = "QUADRILLE_OBJECT_STORAGE_BYTES_MIN", value_name = "BYTES")]
    pub object_storage_bytes_min: Option<usize>,
    /// URL of this server for others with the same database; empty means the address in `listen`
    #[arg(long, env = "QUADRILLE_NODE_URL", value_name = "URL")]
    pub node_url: Option<String>,
    /// Role of everyone who knows the address of a room
    #[arg(long, env = "QUADRILLE_DEFAULT_ROLE", value_name = "ROLE")]
    pub default_role: Option<DefaultRole>,
    /// Who may become the owner of a workbook that nobody owns
    #[arg(long, env = "QUADRILLE_CLAIM", value_name = "WHO")]
    pub claim: Option<ClaimPolicy>,
    /// Who has the default role: everyone who knows the address of a room, or only accounts
    #[arg(long, env = "QUADRILLE_ACCESS", value_name = "WHO")]
    pub access: Option<AccessMode>,
    /// Who may create rooms
    #[arg(long, env = "QUADRILLE_CREATE_WORKBOOKS", value_name = "WHO")]
    pub create_workbooks: Option<CreationPolicy>,
    /// Who can open a workbook that an account creates, with `access = "accounts"`
    #[arg(long, env = "QUADRILLE_NEW_WORKBOOK_ACCESS", value_name = "WHO")]
    pub new_workbook_access: Option<NewWorkbookAccess>,
    /// Accounts can sign in with an e-mail address and a password
    #[arg(long, env = "QUADRILLE_PASSWORD_SIGN_IN", value_name = "BOOLEAN")]
    pub password_sign_in: Option<bool>,
    /// File with SHA-1 hashes of breached passwords, which are refused; sorted, one in each line
    #[arg(long, env = "QUADRILLE_BREACHED_PASSWORDS", value_name = "FILE")]
    pub breached_passwords: Option<PathBuf>,
    /// Hours without a request after which somebody has to sign in again
    #[arg(long, env = "QUADRILLE_SESSION_IDLE_HOURS", value_name = "HOURS")]
    pub session_idle_hours: Option<u32>,
    /// Hours after a sign-in after which somebody has to sign in again in any case
    #[arg(long, env = "QUADRILLE_SESSION_HOURS_MAX", value_name = "HOURS")]
    pub session_hours_max: Option<u32>,
    /// OpenID Connect providers by which people sign in, as a JSON array; in the file, tables
    /// `[[openid]]`
    #[arg(long, env = "QUADRILLE_OPENID", value_name = "JSON", hide_env_values = true)]
    pub openid: Option<OpenIdProviders>,
    /// URLs by which browsers reach this server, such as `https://sheets.example.org`; other host
    /// names are refused
    #[arg(long, env = "QUADRILLE_PUBLIC_URL", value_name = "URL", value_delimiter = ',')]
    pub public_url: Option<Vec<String>>,
    /// PEM file with the certificate and its chain; serves TLS
    #[arg(long, env = "QUADRILLE_TLS_CERTIFICATE", value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    /// PEM file with the private key of the certificate
    #[arg(long, env = "QUADRILLE_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Host names for which the server gets certificates by ACME
    #[arg(long, env = "QUADRILLE_ACME_DOMAINS", value_name = "NAME", value_delimiter = ',')]
    pub acme_domains: Option<Vec<String>>,
    /// E-mail address that the ACME authority can write to
    #[arg(long, env = "QUADRILLE_ACME_EMAIL", value_name = "ADDRESS")]
    pub acme_email: Option<String>,
    /// The ACME authority [default: Let's Encrypt]
    #[arg(long, env = "QUADRILLE_ACME_DIRECTORY", value_name = "URL")]
    pub acme_directory: Option<String>,
    /// Second address and port that redirects pages to the port with TLS
    #[arg(long, env = "QUADRILLE_REDIRECT_LISTEN", value_name = "ADDRESS")]
    pub redirect_listen: Option<String>,
    /// Value of Strict-Transport-Security [default: max-age=31536000; includeSubDomains]; empty
    /// sends none
    #[arg(long, env = "QUADRILLE_HSTS", value_name = "VALUE")]
    pub hsts: Option<String>,
    /// Other origins whose pages can use this server, such as `https://example.org`; "*" allows any
    #[arg(long, env = "QUADRILLE_ORIGINS", value_name = "ORIGIN", value_delimiter = ',')]
    pub origins: Option<Vec<String>>,
    /// Origins whose pages can embed pages of this server in a frame
    #[arg(long, env = "QUADRILLE_FRAME_ANCESTORS", value_name = "ORIGIN", value_delimiter = ',')]
    pub frame_ancestors: Option<Vec<String>>,
    /// Threads that run rooms; 0 is one per processor
    #[arg(long, env = "QUADRILLE_ROOM_THREADS", value_name = "COUNT")]
    pub room_threads: Option<usize>,
    /// Seconds after which an unused room is unloaded from memory
    #[arg(long, env = "QUADRILLE_ROOM_IDLE_SECONDS", value_name = "SECONDS")]
    pub room_idle_seconds: Option<u64>,
    /// Seconds between two comparisons of the numbers of rooms of several servers; 0 gives none to others
    #[arg(long, env = "QUADRILLE_BALANCE_SECONDS", value_name = "SECONDS")]
    pub balance_seconds: Option<u64>,
    /// Store a snapshot of a room after this many transactions; opening the room replays at most
    /// about this many
    #[arg(long, env = "QUADRILLE_SNAPSHOT_AFTER_RECORDS", value_name = "COUNT")]
    pub snapshot_after_records: Option<u64>,
    /// Store a snapshot after this many bytes of transactions, or after as many as the last
    /// snapshot has
    #[arg(long, env = "QUADRILLE_SNAPSHOT_AFTER_BYTES", value_name = "BYTES")]
    pub snapshot_after_bytes: Option<usize>,
    /// Store a snapshot this many seconds after the first transaction without one, if that speeds
    /// up opening; 0 is never
    #[arg(long, env = "QUADRILLE_SNAPSHOT_AFTER_SECONDS", value_name = "SECONDS")]
    pub snapshot_after_seconds: Option<u64>,
    /// Bytes of a snapshot written between two commits of the journal
    #[arg(long, env = "QUADRILLE_SNAPSHOT_PIECE_BYTES", value_name = "BYTES")]
    pub snapshot_piece_bytes: Option<usize>,
    /// Minimum days for which a room's history is kept; 0 keeps all of it
    #[arg(long, env = "QUADRILLE_HISTORY_DAYS", value_name = "DAYS")]
    pub history_days: Option<u32>,
    /// Minimum number of revisions of a room's history that are kept; 0 keeps all of them
    #[arg(long, env = "QUADRILLE_HISTORY_REVISIONS_MAX", value_name = "COUNT")]
    pub history_revisions_max: Option<u64>,
    /// Days after which a workbook in the trash is deleted; 0 keeps it
    #[arg(long, env = "QUADRILLE_TRASH_DAYS", value_name = "DAYS")]
    pub trash_days: Option<u32>,
    /// Days for which entries of the audit log are kept; 0 keeps all of them
    #[arg(long, env = "QUADRILLE_AUDIT_DAYS", value_name = "DAYS")]
    pub audit_days: Option<u32>,
    /// Maximum number of workbooks that one account owns; 0 is no limit
    #[arg(long, env = "QUADRILLE_ACCOUNT_WORKBOOKS_MAX", value_name = "COUNT")]
    pub account_workbooks_max: Option<u64>,
    /// Maximum bytes of the workbooks that one account owns; 0 is no limit
    #[arg(long, env = "QUADRILLE_ACCOUNT_BYTES_MAX", value_name = "BYTES")]
    pub account_bytes_max: Option<u64>,
    /// Maximum number of open sessions of one account; 0 is no limit
    #[arg(long, env = "QUADRILLE_ACCOUNT_SESSIONS_MAX", value_name = "COUNT")]
    pub account_sessions_max: Option<u64>,
    /// Transactions per second of one account, on average; 0 is no limit
    #[arg(long, env = "QUADRILLE_ACCOUNT_OPERATIONS_PER_SECOND", value_name = "COUNT")]
    pub account_operations_per_second: Option<u64>,
    /// Exports per hour of one account; 0 is no limit
    #[arg(long, env = "QUADRILLE_ACCOUNT_EXPORTS_PER_HOUR", value_name = "COUNT")]
    pub account_exports_per_hour: Option<u64>,
    /// New workbooks per hour of one client address; 0 is no limit
    #[arg(long, env = "QUADRILLE_ADDRESS_CREATIONS_PER_HOUR", value_name = "COUNT")]
    pub address_creations_per_hour: Option<u64>,
    /// Exports per hour of one client address; 0 is no limit
    #[arg(long, env = "QUADRILLE_ADDRESS_EXPORTS_PER_HOUR", value_name = "COUNT")]
    pub address_exports_per_hour: Option<u64>,
    /// Host names with workbooks and quotas of their own; in the file only
    #[arg(skip)]
    pub tenants: Option<Vec<TenantSettings>>,
    /// Maximum number of rooms in memory
    #[arg(long, env = "QUADRILLE_ROOMS_OPEN_MAX", value_name = "COUNT")]
    pub rooms_open_max: Option<usize>,
    /// Maximum number of sessions in one room
    #[arg(long, env = "QUADRILLE_SESSIONS_PER_ROOM_MAX", value_name = "COUNT")]
    pub sessions_per_room_max: Option<usize>,
    /// Maximum number of open connections
    #[arg(long, env = "QUADRILLE_CONNECTIONS_MAX", value_name = "COUNT")]
    pub connections_max: Option<usize>,
    /// Maximum bytes of an uploaded file
    #[arg(long, env = "QUADRILLE_BODY_BYTES_MAX", value_name = "BYTES")]
    pub body_bytes_max: Option<usize>,
    /// Maximum bytes queued for a slow client before it has to resume from records
    #[arg(long, env = "QUADRILLE_OUTBOX_BYTES_MAX", value_name = "BYTES")]
    pub outbox_bytes_max: Option<usize>,
    /// Transactions per second of one connection, on average; 0 is no limit
    #[arg(long, env = "QUADRILLE_CONNECTION_OPERATIONS_PER_SECOND", value_name = "COUNT")]
    pub connection_operations_per_second: Option<u64>,
    /// Transactions per second of one room, on average; 0 is no limit
    #[arg(long, env = "QUADRILLE_ROOM_OPERATIONS_PER_SECOND", value_name = "COUNT")]
    pub room_operations_per_second: Option<u64>,
    /// Transactions per second of one client address, on average; 0 is no limit
    #[arg(long, env = "QUADRILLE_ADDRESS_OPERATIONS_PER_SECOND", value_name = "COUNT")]
    pub address_operations_per_second: Option<u64>,
    /// Sessions per second that join one room; 0 is no limit
    #[arg(long, env = "QUADRILLE_ROOM_JOINS_PER_SECOND", value_name = "COUNT")]
    pub room_joins_per_second: Option<u64>,
    /// Sessions per second that one client address starts; 0 is no limit
    #[arg(long, env = "QUADRILLE_ADDRESS_JOINS_PER_SECOND", value_name = "COUNT")]
    pub address_joins_per_second: Option<u64>,
    /// Requests per second of one client address; 0 is no limit
    #[arg(long, env = "QUADRILLE_ADDRESS_REQUESTS_PER_SECOND", value_name = "COUNT")]
    pub address_requests_per_second: Option<u64>,
    /// Maximum number of sessions of one client address
    #[arg(long, env = "QUADRILLE_ADDRESS_CONNECTIONS_MAX", value_name = "COUNT")]
    pub address_connections_max: Option<usize>,
    /// Addresses and networks of proxies whose x-forwarded-for is trusted, besides this machine
    #[arg(long, env = "QUADRILLE_TRUSTED_PROXIES", value_name = "ADDRESS", value_delimiter = ',')]
    pub trusted_proxies: Option<Vec<String>>,
    /// Mail server for invitations, such as `smtps://user@mail.example.org`; empty sends no mail
    #[arg(long, env = "QUADRILLE_SMTP_URL", value_name = "URL")]
    pub smtp_url: Option<String>,
    /// File with the password of the user in `smtp_url`
    #[arg(long, env = "QUADRILLE_SMTP_PASSWORD_FILE", value_name = "FILE")]
    pub smtp_password_file: Option<PathBuf>,
    /// Sender of messages, such as `Sheets <sheets@example.org>`
    #[arg(long, env = "QUADRILLE_MAIL_FROM", value_name = "ADDRESS")]
    pub mail_from: Option<String>,
    /// Language of messages
    #[arg(long, env = "QUADRILLE_MAIL_LANGUAGE", value_name = "LANGUAGE")]
    pub mail_language: Option<MailLanguage>,
    /// Tell people with an account by mail of mentions, replies and tasks
    #[arg(long, env = "QUADRILLE_MAIL_NOTIFICATIONS", value_name = "BOOLEAN")]
    pub mail_notifications: Option<bool>,
    /// Seconds for which these notifications are collected into one message
    #[arg(long, env = "QUADRILLE_MAIL_NOTIFICATION_SECONDS", value_name = "SECONDS")]
    pub mail_notification_seconds: Option<u64>,
    /// Header in which a proxy says who is signed in, such as `X-Forwarded-Email` or `Remote-User`
    #[arg(long, env = "QUADRILLE_SIGN_IN_HEADER", value_name = "HEADER")]
    pub sign_in_header: Option<String>,
    /// Header in which the proxy sends the displayed name
    #[arg(long, env = "QUADRILLE_SIGN_IN_HEADER_NAME", value_name = "HEADER")]
    pub sign_in_header_name: Option<String>,
    /// Header in which the proxy sends the groups, separated by commas
    #[arg(long, env = "QUADRILLE_SIGN_IN_HEADER_GROUPS", value_name = "HEADER")]
    pub sign_in_header_groups: Option<String>,
    /// Groups in that header whose members are admins; others are not
    #[arg(long, env = "QUADRILLE_SIGN_IN_ADMIN_GROUPS", value_name = "GROUP", value_delimiter = ',')]
    pub sign_in_admin_groups: Option<Vec<String>>,
    /// Addresses of the proxies that may send these headers; this machine only if it is listed
    #[arg(long, env = "QUADRILLE_SIGN_IN_PROXIES", value_name = "ADDRESS", value_delimiter = ',')]
    pub sign_in_proxies: Option<Vec<String>>,
    /// Host applications whose signed tokens open workbooks, as a JSON array of objects
    #[arg(long, env = "QUADRILLE_TOKEN_ISSUERS", value_name = "JSON", hide_env_values = true)]
    pub token_issuers: Option<TokenIssuers>,
    /// Secret of EtherCalc's links (EtherCalc's `--key`): without the code of a link, rooms are
    /// view-only
    #[arg(long, env = "QUADRILLE_ETHERCALC_KEY", value_name = "SECRET", hide_env_values = true)]
    pub ethercalc_key: Option<SecretSetting>,
    /// File with the secret of EtherCalc's links
    #[arg(long, env = "QUADRILLE_ETHERCALC_KEY_FILE", value_name = "FILE")]
    pub ethercalc_key_file: Option<PathBuf>,
    /// Which of the rooms that somebody may open are in EtherCalc's lists: GET /_rooms, /_roomlinks and
    /// /_roomtimes
    #[arg(long, env = "QUADRILLE_ETHERCALC_LISTS", value_name = "ROOMS")]
    pub ethercalc_lists: Option<EtherCalcLists>,
    /// Workbooks send mail: EtherCalc's command `sendemail` and its formulas EMAILAT at their time
    #[arg(long, env = "QUADRILLE_ETHERCALC_MAIL", value_name = "BOOLEAN")]
    pub ethercalc_mail: Option<bool>,
    /// Private networks that webhooks can be sent to, such as `10.1.0.0/16`
    #[arg(long, env = "QUADRILLE_WEBHOOK_PRIVATE_NETWORKS", value_name = "NETWORK", value_delimiter = ',')]
    pub webhook_private_networks: Option<Vec<String>>,
    /// The only hosts that webhooks can be sent to, such as `*.example.org`
    #[arg(long, env = "QUADRILLE_WEBHOOK_HOSTS", value_name = "HOST", value_delimiter = ',')]
    pub webhook_hosts: Option<Vec<String>>,
    /// The hosts from which IMPORTDATA, IMPORTCSV, IMPORTJSON, IMPORTHTML and WEBSERVICE can fetch, such as
    /// `*.example.org`; `*` is all
    #[arg(long, env = "QUADRILLE_IMPORT_HOSTS", value_name = "HOST", value_delimiter = ',')]
    pub import_hosts: Option<Vec<String>>,
    /// Private networks from which these functions can fetch, such as `10.1.0.0/16`
    #[arg(long, env = "QUADRILLE_IMPORT_PRIVATE_NETWORKS", value_name = "NETWORK", value_delimiter = ',')]
    pub import_private_networks: Option<Vec<String>>,
    /// Seconds between the attempts to send a webhook
    #[arg(long, env = "QUADRILLE_WEBHOOK_RETRY_SECONDS", value_name = "SECONDS", value_delimiter = ',')]
    pub webhook_retry_seconds: Option<Vec<u64>>,
    /// Serve metrics at GET /metrics
    #[arg(long, env = "QUADRILLE_METRICS", value_name = "BOOLEAN")]
    pub metrics: Option<bool>,
    /// Write a Chrome trace of every transaction to this file; empty is off
    #[arg(long, env = "QUADRILLE_TRACE", value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Seconds that an orderly stop can take before open connections are closed
    #[arg(long, env = "QUADRILLE_DRAIN_SECONDS", value_name = "SECONDS")]
    pub drain_seconds: Option<u64>,
    /// Log level: error, warn, info, debug, trace, or a filter such as quadrille=debug
    #[arg(long, env = "QUADRILLE_LOG", value_name = "FILTER")]
    pub log: Option<String>,
    /// Format of log lines
    #[arg(long, env = "QUADRILLE_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// The effective settings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Settings {
    pub listen: String,
    pub data: PathBuf,
    pub storage: SecretSetting,
    pub storage_password_file: PathBuf,
    pub object_storage: String,
    pub object_storage_bytes_min: usize,
    pub node_url: String,
    pub default_role: DefaultRole,
    pub claim: ClaimPolicy,
    pub access: AccessMode,
    pub create_workbooks: CreationPolicy,
    pub new_workbook_access: NewWorkbookAccess,
    pub password_sign_in: bool,
    pub breached_passwords: PathBuf,
    pub session_idle_hours: u32,
    pub session_hours_max: u32,
    pub openid: OpenIdProviders,
    pub public_url: Vec<String>,
    pub tls_certificate: PathBuf,
    pub tls_key: PathBuf,
    pub acme_domains: Vec<String>,
    pub acme_email: String,
    pub acme_directory: String,
    pub redirect_listen: String,
    pub hsts: String,
    pub origins: Vec<String>,
    pub frame_ancestors: Vec<String>,
    pub room_threads: usize,
    pub room_idle_seconds: u64,
    pub balance_seconds: u64,
    pub snapshot_after_records: u64,
    pub snapshot_after_bytes: usize,
    pub snapshot_after_seconds: u64,
    pub snapshot_piece_bytes: usize,
    pub history_days: u32,
    pub history_revisions_max: u64,
    pub trash_days: u32,
    pub audit_days: u32,
    pub account_workbooks_max: u64,
    pub account_bytes_max: u64,
    pub account_sessions_max: u64,
    pub account_operations_per_second: u64,
    pub account_exports_per_hour: u64,
    pub address_creations_per_hour: u64,
    pub address_exports_per_hour: u64,
    pub tenants: Vec<TenantSettings>,
    pub rooms_open_max: usize,
    pub sessions_per_room_max: usize,
    pub connections_max: usize,
    pub body_bytes_max: usize,
    pub outbox_bytes_max: usize,
    pub connection_operations_per_second: u64,
    pub room_operations_per_second: u64,
    pub address_operations_per_second: u64,
    pub room_joins_per_second: u64,
    pub address_joins_per_second: u64,
    pub address_requests_per_second: u64,
    pub address_connections_max: usize,
    pub trusted_proxies: Vec<String>,
    pub smtp_url: String,
    pub smtp_password_file: PathBuf,
    pub mail_from: String,
    pub mail_language: MailLanguage,
    pub mail_notifications: bool,
    pub mail_notification_seconds: u64,
    pub sign_in_header: String,
    pub sign_in_header_name: String,
    pub sign_in_header_groups: String,
    pub sign_in_admin_groups: Vec<String>,
    pub sign_in_proxies: Vec<String>,
    pub token_issuers: TokenIssuers,
    pub ethercalc_key: SecretSetting,
    pub ethercalc_key_file: PathBuf,
    pub ethercalc_lists: EtherCalcLists,
    pub ethercalc_mail: bool,
    pub webhook_private_networks: Vec<String>,
    pub webhook_hosts: Vec<String>,
    pub import_hosts: Vec<String>,
    pub import_private_networks: Vec<String>,
    pub webhook_retry_seconds: Vec<u64>,
    pub metrics: bool,
    pub trace: PathBuf,
    pub drain_seconds: u64,
    pub log: String,
    pub log_format: LogFormat,
}

impl SettingsSource {
    /// Reads a TOML file.
    ///
    /// # Errors
    ///
    /// Fails with a message when the file cannot be read, is not valid TOML or has an unknown key.
    pub fn from_file(path: &Path) -> Result<SettingsSource, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read the configuration file {}: {error}", path.display()))?;
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let line = line.map_or(String::new(), |line| format!(", line {line}"));
            format!("configuration file {}{line}: {}", path.display(), error.message().replace('\n', " "))
        })
    }

    /// Returns the settings of this source; values not set here come from `fallback`, then from the
    /// defaults.
    pub fn or(self, fallback: SettingsSource) -> Settings {
        macro_rules! first_set {
            ($($field:ident: $default:expr),* $(,)?) => {
                Settings { $($field: self.$field.or(fallback.$field).unwrap_or_else(|| $default)),* }
            };
        }
        first_set! {
            listen: "127.0.0.1:8000".into(),
            data: "data".into(),
            storage: SecretSetting::default(),
            storage_password_file: PathBuf::new(),
            object_storage: String::new(),
            object_storage_bytes_min: limits::OBJECT_BYTES_MIN,
            node_url: String::new(),
            default_role: DefaultRole::Edit,
            claim: ClaimPolicy::New,
            access: AccessMode::Open,
            create_workbooks: CreationPolicy::Anyone,
            new_workbook_access: NewWorkbookAccess::Restricted,
            password_sign_in: true,
            breached_passwords: PathBuf::new(),
            session_idle_hours: 336,
            session_hours_max: 2_160,
            openid: OpenIdProviders::default(),
            public_url: Vec::new(),
            tls_certificate: PathBuf::new(),
            tls_key: PathBuf::new(),
            acme_domains: Vec::new(),
            acme_email: String::new(),
            acme_directory: "https://acme-v02.api.letsencrypt.org/directory".into(),
            redirect_listen: String::new(),
            hsts: "max-age=31536000; includeSubDomains".into(),
            origins: Vec::new(),
            frame_ancestors: Vec::new(),
            room_threads: 0,
            room_idle_seconds: 60,
            balance_seconds: 10,
            snapshot_after_records: room::SNAPSHOT_AFTER_RECORDS,
            snapshot_after_bytes: room::SNAPSHOT_AFTER_BYTES,
            snapshot_after_seconds: room::SNAPSHOT_AFTER_MS / 1_000,
            snapshot_piece_bytes: limits::SNAPSHOT_PIECE_BYTES,
            history_days: 0,
            history_revisions_max: 0,
            trash_days: 30,
            audit_days: 365,
            account_workbooks_max: 0,
            account_bytes_max: 0,
            account_sessions_max: 0,
            account_operations_per_second: 0,
            account_exports_per_hour: 0,
            address_creations_per_hour: 0,
            address_exports_per_hour: 0,
            tenants: Vec::new(),
            rooms_open_max: limits::ROOMS_OPEN_MAX,
            sessions_per_room_max: limits::SESSIONS_PER_ROOM_MAX,
            connections_max: limits::CONNECTIONS_MAX,
            body_bytes_max: limits::BODY_BYTES_MAX,
            outbox_bytes_max: limits::OUTBOX_BYTES_MAX,
            connection_operations_per_second: limits::CONNECTION_OPERATIONS_PER_SECOND,
            room_operations_per_second: limits::ROOM_OPERATIONS_PER_SECOND,
            address_operations_per_second: limits::ADDRESS_OPERATIONS_PER_SECOND,
            room_joins_per_second: limits::ROOM_JOINS_PER_SECOND,
            address_joins_per_second: limits::ADDRESS_JOINS_PER_SECOND,
            address_requests_per_second: limits::ADDRESS_REQUESTS_PER_SECOND,
            address_connections_max: limits::ADDRESS_CONNECTIONS_MAX,
            trusted_proxies: Vec::new(),
            smtp_url: String::new(),
            smtp_password_file: PathBuf::new(),
            mail_from: String::new(),
            mail_language: MailLanguage::En,
            mail_notifications: true,
            mail_notification_seconds: 120,
            sign_in_header: String::new(),
            sign_in_header_name: String::new(),
            sign_in_header_groups: String::new(),
            sign_in_admin_groups: Vec::new(),
            sign_in_proxies: Vec::new(),
            token_issuers: TokenIssuers::default(),
            ethercalc_key: SecretSetting::default(),
            ethercalc_key_file: PathBuf::new(),
            ethercalc_lists: EtherCalcLists::Named,
            ethercalc_mail: false,
            webhook_private_networks: Vec::new(),
            webhook_hosts: Vec::new(),
            import_hosts: Vec::new(),
            import_private_networks: Vec::new(),
            webhook_retry_seconds: vec![5, 30, 120, 600, 3_600, 14_400, 43_200],
            metrics: false,
            trace: PathBuf::new(),
            drain_seconds: 25,
            log: "info".into(),
            log_format: LogFormat::Text,
        }
    }
}

impl Settings {
    /// Whether the port in `listen` speaks TLS.
    pub fn has_own_tls(&self) -> bool {
        !self.tls_certificate.as_os_str().is_empty() || !self.acme_domains.is_empty()
    }

    /// The public URLs, with those of the domains of ACME.
    pub fn own_urls(&self) -> Vec<String> {
        let acme = self.acme_domains.iter().map(|domain| format!("https://{domain}"));
        self.public_url.iter().cloned().chain(acme).collect()
    }

    /// Whether browsers reach this server over HTTPS, here or at a proxy: then cookies are
    /// sent over HTTPS only.
    pub fn is_https(&self) -> bool {
        self.has_own_tls() || self.public_url.iter().any(|url| url.starts_with("https://"))
    }

    /// Returns how long somebody stays signed in.
    pub fn session_times(&self) -> SessionTimes {
        SessionTimes {
            idle_ms: i64::from(self.session_idle_hours.max(1)) * HOUR_MS,
            absolute_ms: i64::from(self.session_hours_max.max(1)) * HOUR_MS,
            renewed_after_ms: limits::SESSION_RENEWED_AFTER_SECONDS as i64 * 1_000,
            grace_ms: limits::SESSION_GRACE_SECONDS as i64 * 1_000,
        }
    }

    /// Returns how much of the rooms' histories is kept.
    pub fn retention(&self) -> Retention {
        Retention {
            days: (self.history_days > 0).then_some(self.history_days),
            revisions_max: (self.history_revisions_max > 0).then_some(self.history_revisions_max),
        }
    }

    /// Returns the limits of rooms, with the snapshot settings.
    pub fn room_bounds(&self) -> room::Bounds {
        room::Bounds {
            snapshot_after_records: self.snapshot_after_records.max(1),
            snapshot_after_bytes: self.snapshot_after_bytes,
            snapshot_after_ms: self.snapshot_after_seconds.saturating_mul(1_000),
            // Settings for more frequent snapshots than the default apply without the pause between
            // snapshots.
            snapshot_pause_factor: match self.snapshot_after_records < room::SNAPSHOT_AFTER_RECORDS
                || self.snapshot_after_bytes < room::SNAPSHOT_AFTER_BYTES
            {
                true => 0,
                false => room::SNAPSHOT_PAUSE_FACTOR,
            },
            ..room::Bounds::default()
        }
    }

    /// Checks the tenants.
    ///
    /// # Errors
    ///
    /// Fails with a message.
    pub fn check_tenants(&self) -> Result<(), String> {
        tenant_settings::check_tenants(&self.tenants, &self.public_url)
    }

    /// Checks that other servers can use `node_url`.
    ///
    /// # Errors
    /// A message when it is not the URL of a server.
    pub fn check_node_url(&self) -> Result<(), String> {
        let url = &self.node_url;
        let is_of_a_server = url.parse().is_ok_and(|url: axum::http::Uri| {
            let host = url.host().unwrap_or_default();
            matches!(url.scheme_str(), Some("http" | "https"))
                && !host.is_empty()
                && url.authority().is_some_and(|authority| !authority.as_str().contains('@'))
                && matches!(url.path_and_query().map(|path| path.as_str()), None | Some("/"))
        });
        match url.is_empty() || is_of_a_server {
            true => Ok(()),
            false => Err(format!(
                "node_url is not the URL of a server, such as http://10.0.0.5:8000 or https://a.example.org: {url}"
            )),
        }
    }

    /// Returns the URL by which browsers reach the server, or a tenant of it, without a slash at its
    /// end. Without a `public_url` it has no host.
    pub fn public_base(&self, tenant: Option<&str>) -> String {
        tenant_settings::public_base(&self.tenants, &self.public_url, tenant)
    }

    /// Returns the limits of an account for which no admin has set others.
    pub fn account_quota(&self) -> Quota {
        Quota {
            workbooks: Some(self.account_workbooks_max),
            bytes: Some(self.account_bytes_max),
            sessions: Some(self.account_sessions_max),
            operations_per_second: Some(self.account_operations_per_second),
            exports_per_hour: Some(self.account_exports_per_hour),
        }
    }

    /// Returns the number of threads that run rooms, at least one.
    pub fn room_thread_count(&self) -> usize {
        match self.room_threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            count => count.min(256),
        }
    }
}

#[cfg(test)]
mod tests;
