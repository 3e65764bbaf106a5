//! `quadrille doctor`: looks at the settings and the machine of a server, and says what is wrong with them.
//!
//! It changes nothing but a small file in the data directory, which it removes, and works beside a running
//! server. Each check gives findings in words that say what to do.

mod findings;
mod machine;
mod network;
mod storage;

use std::sync::Arc;

use findings::{Finding, Findings, Status};

use super::command_error::CommandError;
use crate::cli::DoctorArguments;
use crate::config::{Settings, SettingsSource};
use crate::http::{FixedHeaders, Hosts};
use crate::mail::Mailer;
use crate::openid::OpenId;
use crate::rate_limits::RateLimiter;
use crate::tls::Tls;

/// Makes all checks and prints what they find.
///
/// # Errors
/// Fails when there is a problem; warnings are no failure.
pub fn doctor(arguments: &DoctorArguments) -> Result<(), CommandError> {
    let mut findings = Findings::default();
    if let Some(settings) = read_settings(arguments, &mut findings) {
        storage::check(&settings, &mut findings);
        machine::check(&settings, &mut findings);
        network::check(&settings, &mut findings);
    }
    print(findings.list(), arguments.json)?;
    match findings.list().iter().filter(|finding| finding.status == Status::Problem).count() {
        0 => Ok(()),
        1 => Err(CommandError::Failed("1 problem".to_owned())),
        count => Err(CommandError::Failed(format!("{count} problems"))),
    }
}

/// Reads the settings as `quadrille serve` does, and checks what can be checked without using them.
fn read_settings(arguments: &DoctorArguments, findings: &mut Findings) -> Option<Arc<Settings>> {
    let file = match &arguments.serve.config {
        Some(path) => SettingsSource::from_file(path),
        None => Ok(SettingsSource::default()),
    };
    let file = match file {
        Ok(file) => file,
        Err(error) => {
            findings.problem("settings", error, "correct the file; docs/configuration.md has all keys");
            return None;
        }
    };
    let settings = Arc::new(arguments.serve.settings.clone().or(file));
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let errors: Vec<String> = [
        settings.check_tenants(),
        settings.check_node_url(),
        RateLimiter::new(&settings).map(drop),
        FixedHeaders::new(&settings).map(drop),
        Tls::new(&settings).map(drop),
        Hosts::new(&settings.own_urls(), None, None).map(drop),
        OpenId::new(&settings.openid).map(drop),
        Mailer::new(&settings, stopping).map(drop),
    ]
    .into_iter()
    .filter_map(Result::err)
    .collect();
    drop(stop);
    for error in &errors {
        findings.problem("settings", error, "the server does not start with it");
    }
    if errors.is_empty() {
        let source = arguments.serve.config.as_ref();
        let source = source.map_or("no configuration file".to_owned(), |path| path.display().to_string());
        findings.ok("settings", format!("can be used ({source})"));
    }
    Some(settings)
}

fn print(findings: &[Finding], as_json: bool) -> Result<(), CommandError> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    let mut write = || {
        if as_json {
            return writeln!(out, "{}", serde_json::to_string_pretty(findings)?);
        }
        for Finding { status, check, message, advice } in findings {
            writeln!(out, "{status:8} {check:12} {message}")?;
            if !advice.is_empty() {
                writeln!(out, "{:22}{advice}", "")?;
            }
        }
        Ok(())
    };
    write().map_err(|error| CommandError::Failed(format!("cannot print: {error}")))
}
