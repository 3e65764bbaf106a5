//! `quadrille mcp`: the Model Context Protocol over standard input and output, for agents that start
//! their servers as programs. Each line is one message, which is passed on to `/mcp` of a server.

use std::io::{BufRead, Write};

use serde_json::{Value as Json, json};

use super::command_error::CommandError;
use super::import_export::read_token;
use crate::cli::McpArguments;
use crate::limits;
use crate::room_name::percent_encoded;

/// JSON-RPC's code for an error of the server (JSON-RPC 2.0, 5.1).
const SERVER_ERROR: i64 = -32_000;

/// Passes messages on until the standard input ends.
///
/// # Errors
///
/// Fails when the token cannot be read, or standard input or output fails.
pub fn mcp(arguments: &McpArguments) -> Result<(), CommandError> {
    let token = read_token(arguments.token_file.as_deref())?;
    let mut url = format!("{}/mcp", arguments.server.trim_end_matches('/'));
    if let Some(name) = &arguments.name {
        url = format!("{url}?agent={}", percent_encoded(name));
    }
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(concat!("quadrille/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let failed = |error: std::io::Error| CommandError::Failed(format!("standard input or output: {error}"));
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        if let Some(answer) = pass_on(&agent, &url, token.as_deref(), &line) {
            writeln!(output, "{answer}").and_then(|()| output.flush()).map_err(failed)?;
        }
    }
    Ok(())
}

/// The answer to a message in one line; `None` for a notification.
fn pass_on(agent: &ureq::Agent, url: &str, token: Option<&str>, message: &str) -> Option<String> {
    let parsed: Option<Json> = serde_json::from_str(message).ok();
    let id = parsed.as_ref().and_then(|message| message.get("id").cloned());
    let error = |text: String| {
        let error = json!({ "code": SERVER_ERROR, "message": text });
        id.is_some().then(|| json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string())
    };
    let mut request = agent
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    // From 2026-07-28 on, the version and the method are also in headers.
    let version = parsed
        .as_ref()
        .and_then(|message| message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str());
    if let Some(version) = version {
        let method = parsed.as_ref().and_then(|message| message["method"].as_str()).unwrap_or_default();
        request = request.header("mcp-protocol-version", version).header("mcp-method", method);
        if let Some(name) = parsed.as_ref().and_then(|message| message["params"]["name"].as_str()) {
            request = request.header("mcp-name", name);
        }
    }
    let mut response = match request.send(message) {
        Ok(response) => response,
        Err(failure) => return error(format!("{url}: {failure}")),
    };
    let status = response.status();
    let body = response.body_mut().with_config().limit(limits::BODY_BYTES_MAX as u64).read_to_string();
    let body = match body {
        Ok(body) => body,
        Err(failure) => return error(format!("{url}: {failure}")),
    };
    match serde_json::from_str::<Json>(&body) {
        Ok(answer) if answer.get("jsonrpc").is_some() => Some(answer.to_string()),
        _ if status.is_success() => None,
        _ => error(format!("{url} answered {status}: {}", body.trim())),
    }
}
