//! The subcommands of `quadrille admin` that send a request to the admin API of a running server.

use std::io::{Read, Write};
use std::path::Path;

use quadrille_access::Quota;
use serde_json::{Value as Json, json};

use crate::admin_command_line::{AdminRequest, AdminServer, AuditArguments, ChangeAccount, QuotaChange};
use crate::commands::CommandError;
use crate::room_name::percent_encoded;

/// A request: method, path below `/api/v1/admin`, and body.
struct Call {
    method: &'static str,
    path: String,
    body: Option<Json>,
    /// The member with the rows, if the answer is a list in pages.
    rows: Option<&'static str>,
}

impl Call {
    fn get(path: impl Into<String>) -> Call {
        Call { method: "GET", path: path.into(), body: None, rows: None }
    }

    fn list(path: impl Into<String>, rows: &'static str) -> Call {
        Call { rows: Some(rows), ..Call::get(path) }
    }

    fn send(method: &'static str, path: impl Into<String>, body: Option<Json>) -> Call {
        Call { method, path: path.into(), body, rows: None }
    }
}

/// Sends the request and prints the answer: rows of a list as JSON lines, anything else as JSON.
///
/// # Errors
/// Fails when there is no token, the server cannot be reached, or it refuses.
pub fn request(server: &AdminServer, request: &AdminRequest) -> Result<(), CommandError> {
    let call = call_of(request)?;
    let client = Client::new(server)?;
    let mut out = std::io::stdout().lock();
    let Some(rows) = call.rows else {
        let answer = client.send(&call, &call.path)?;
        return print(&mut out, answer.trim_ascii_end());
    };
    let mut after: Option<String> = None;
    loop {
        let separator = if call.path.contains('?') { '&' } else { '?' };
        let path = match &after {
            Some(after) => format!("{}{separator}after={}", call.path, percent_encoded(after)),
            None => call.path.clone(),
        };
        let answer: Json = serde_json::from_slice(&client.send(&call, &path)?)
            .map_err(|error| CommandError::Failed(format!("unexpected answer: {error}")))?;
        for row in answer[rows].as_array().into_iter().flatten() {
            print(&mut out, row.to_string().as_bytes())?;
        }
        match answer["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => return Ok(()),
        }
    }
}

/// Prints the audit log of a running server as JSON lines.
///
/// # Errors
/// As for [`request`].
pub fn audit(server: &AdminServer, arguments: &AuditArguments) -> Result<(), CommandError> {
    let mut path = "/audit?format=jsonl".to_owned();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            path.push_str(&format!("&{name}={}", percent_encoded(&value)));
        }
    };
    add("event", arguments.event.clone());
    add("account", arguments.account.clone());
    add("room", arguments.room.clone());
    add("sinceMs", arguments.since_ms.map(|time_ms| time_ms.to_string()));
    add("untilMs", arguments.until_ms.map(|time_ms| time_ms.to_string()));
    let client = Client::new(server)?;
    let mut answer = client.open(&Call::get(path.clone()), &path)?;
    let mut reader = answer.body_mut().with_config().limit(u64::MAX).reader();
    std::io::copy(&mut reader, &mut std::io::stdout().lock())
        .map_err(|error| CommandError::Failed(format!("reading the audit log failed: {error}")))?;
    Ok(())
}

fn call_of(request: &AdminRequest) -> Result<Call, CommandError> {
    let account = |account: &str, rest: &str| format!("/accounts/{}{rest}", percent_encoded(account));
    let workbook = |room: &str, rest: &str| format!("/workbooks/{}{rest}", percent_encoded(room));
    let search = |path: &str, search: &Option<String>| match search {
        Some(text) => format!("{path}?q={}", percent_encoded(text)),
        None => path.to_owned(),
    };
    Ok(match request {
        AdminRequest::Overview => Call::get("/overview"),
        AdminRequest::Accounts { search: text } => Call::list(search("/accounts", text), "accounts"),
        AdminRequest::ChangeAccount(change) => {
            Call::send("PATCH", account(&change.account, ""), Some(change_body(change)?))
        }
        AdminRequest::Invite { account: id } => Call::send("POST", account(id, "/invitation"), None),
        AdminRequest::EndSessions { account: id } => Call::send("DELETE", account(id, "/sessions"), None),
        AdminRequest::DeleteAccount { account: id, transfer_to } => {
            let query = transfer_to.as_ref().map(|to| format!("?transferTo={}", percent_encoded(to)));
            Call::send("DELETE", account(id, &query.unwrap_or_default()), None)
        }
        AdminRequest::ExportAccount { account: id } => Call::get(account(id, "/export")),
        AdminRequest::Workbooks { search: text, owner, trash } => {
            let given = [
                text.as_ref().map(|text| format!("q={}", percent_encoded(text))),
                owner.as_ref().map(|owner| format!("owner={}", percent_encoded(owner))),
                trash.then(|| "list=trash".to_owned()),
            ];
            let query = given.into_iter().flatten().collect::<Vec<_>>().join("&");
            let path = if query.is_empty() { "/workbooks".to_owned() } else { format!("/workbooks?{query}") };
            Call::list(path, "workbooks")
        }
        AdminRequest::Transfer { room, account } => {
            Call::send("POST", workbook(room, "/owner"), Some(json!({ "account": account })))
        }
        AdminRequest::Restore { room } => Call::send("POST", workbook(room, "/restore"), None),
        AdminRequest::DeleteWorkbook { room } => Call::send("DELETE", workbook(room, ""), None),
        AdminRequest::Sessions => Call::list("/sessions", "sessions"),
        AdminRequest::EndSession { session } => {
            Call::send("DELETE", format!("/sessions/{}", percent_encoded(session)), None)
        }
        AdminRequest::Rooms => Call::list("/rooms", "rooms"),
        AdminRequest::EndRoomSessions { room } => {
            Call::send("DELETE", format!("/rooms/{}/sessions", percent_encoded(room)), None)
        }
        AdminRequest::Tokens => Call::list("/tokens", "tokens"),
        AdminRequest::RevokeToken { token } => {
            Call::send("DELETE", format!("/tokens/{}", percent_encoded(token)), None)
        }
        AdminRequest::Tenants => Call::list("/tenants", "tenants"),
        AdminRequest::Quota(change) => quota_call(change),
        AdminRequest::Maintenance => Call::send("POST", "/maintenance", None),
    })
}

fn change_body(change: &ChangeAccount) -> Result<Json, CommandError> {
    let mut body = serde_json::Map::new();
    let mut set = |name: &str, value: Option<Json>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("name", change.name.clone().map(Json::from));
    set("email", change.email.clone().map(Json::from));
    set("isAdmin", change.admin.map(Json::from));
    set("isDisabled", change.disabled.map(Json::from));
    if let Some(path) = &change.password_file {
        set("password", Some(first_line(path)?.into()));
    }
    Ok(Json::Object(body))
}

fn quota_call(change: &QuotaChange) -> Call {
    let subject = match (&change.account, &change.tenant) {
        (Some(account), _) => format!("/accounts/{}", percent_encoded(account)),
        (None, tenant) => format!("/tenants/{}", percent_encoded(tenant.as_deref().unwrap_or_default())),
    };
    let quota = Quota {
        workbooks: change.workbooks,
        bytes: change.bytes,
        sessions: change.sessions,
        operations_per_second: change.operations_per_second,
        exports_per_hour: change.exports_per_hour,
    };
    Call::send("PUT", format!("{subject}/quota"), Some(json!(quota)))
}

/// Sends requests with the token of an admin.
struct Client {
    url: String,
    authorization: String,
    agent: ureq::Agent,
}

impl Client {
    fn new(server: &AdminServer) -> Result<Client, CommandError> {
        let token = match &server.token_file {
            Some(path) => first_line(path)?,
            None => std::env::var("QUADRILLE_TOKEN").map_err(|_| {
                CommandError::Failed(
                    "this needs the API token of an admin: set QUADRILLE_TOKEN or give --token-file".into(),
                )
            })?,
        };
        // Error responses have a message to be shown.
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let base = server.server.as_deref().unwrap_or("http://localhost:8000");
        let url = format!("{}/api/v1/admin", base.trim_end_matches('/'));
        Ok(Client { url, authorization: format!("Bearer {}", token.trim()), agent })
    }

    /// Sends a request and returns the body of a successful answer.
    fn send(&self, call: &Call, path: &str) -> Result<Vec<u8>, CommandError> {
        let mut response = self.open(call, path)?;
        let body = response.body_mut().with_config().limit(1 << 30).read_to_vec();
        body.map_err(|error| CommandError::Failed(format!("reading the answer failed: {error}")))
    }

    fn open(&self, call: &Call, path: &str) -> Result<ureq::http::Response<ureq::Body>, CommandError> {
        let url = format!("{}{path}", self.url);
        let request = ureq::http::Request::builder()
            .method(call.method)
            .uri(&url)
            .header("authorization", &self.authorization);
        let request = match &call.body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request.body(String::new()),
        };
        let request = request.map_err(|error| CommandError::Failed(format!("{url}: {error}")))?;
        let mut response = self
            .agent
            .run(request)
            .map_err(|error| CommandError::Failed(format!("cannot reach {}: {error}", self.url)))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let body = response.body_mut().read_to_vec().unwrap_or_default();
        let answer: Option<Json> = serde_json::from_slice(&body).ok();
        let message = answer.as_ref().and_then(|json| json["error"]["message"].as_str());
        let status = response.status();
        Err(CommandError::Failed(message.map_or_else(|| format!("{url}: {status}"), str::to_owned)))
    }
}

fn first_line(path: &Path) -> Result<String, CommandError> {
    let failed = |error| CommandError::Failed(format!("{}: {error}", path.display()));
    let mut text = String::new();
    // Secrets are short: a wrong file is not read into memory whole.
    std::fs::File::open(path).map_err(failed)?.take(4_096).read_to_string(&mut text).map_err(failed)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

fn print(out: &mut impl Write, line: &[u8]) -> Result<(), CommandError> {
    if line.is_empty() {
        return Ok(());
    }
    let written = out.write_all(line).and_then(|()| out.write_all(b"\n"));
    written.map_err(|error| CommandError::Failed(format!("cannot write: {error}")))
}
