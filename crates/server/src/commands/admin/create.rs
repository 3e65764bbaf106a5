//! `quadrille admin create`: the first admin, and others.

use quadrille_access::{Account, Actor, AuditEvent, Email, Secret, Version, Versioned};
use serde_json::json;

use super::connection::{failed, open_store, send};
use super::typed_password::read_password;
use crate::access::{NewAccount, Passwords, Visitor, audit_entry, check_account_name, new_sign_in_link};
use crate::cli::AdminCreateArguments;
use crate::commands::CommandError;
use crate::storage_location::StorageLocation;

/// Creates the account of an admin, and prints a link that signs in once if no password is set.
///
/// # Errors
///
/// Fails when the address or the name is invalid, or the account cannot be stored.
pub fn create(arguments: &AdminCreateArguments) -> Result<(), CommandError> {
    let invalid = || CommandError::Failed(format!("not an e-mail address: {}", arguments.email));
    let email = Email::parse(&arguments.email).ok_or_else(invalid)?;
    let before_at = email.as_str().split('@').next().unwrap_or_default();
    let name = check_account_name(arguments.name.as_deref().unwrap_or(before_at));
    let name = name.map_err(|error| CommandError::Failed(error.message))?;
    let password = if arguments.password { Some(read_password()?) } else { None };
    let (id, link) = match &arguments.location.server {
        Some(server) => create_on_server(arguments, server, &email, &name, password)?,
        None => create_in_directory(arguments, &email, &name, password)?,
    };
    println!("admin\t{email}\t{id}");
    if let Some(link) = link {
        let base = arguments.public_url.first().or(arguments.location.server.as_ref());
        let base = base.map_or("http://localhost:8000", String::as_str).trim_end_matches('/');
        println!("sign in\t{base}{link}");
    }
    Ok(())
}

/// Returns the account's identifier and the path of the sign-in link.
fn create_on_server(
    arguments: &AdminCreateArguments,
    server: &str,
    email: &Email,
    name: &str,
    password: Option<String>,
) -> Result<(String, Option<String>), CommandError> {
    let mut body = json!({ "email": email.as_str(), "name": name, "isAdmin": true });
    if let Some(password) = password {
        body["password"] = password.into();
    }
    let made = send(&arguments.location, server, "POST", "/api/v1/admin/accounts", Some(&body))?;
    let id = made["account"]["id"].as_str().unwrap_or_default().to_owned();
    // The path only: the caller puts the address before it by which the server is reached.
    let link = made["invitation"]["url"].as_str();
    let path = link.and_then(|link| link.find("/_sign-in").map(|from| link[from..].to_owned()));
    Ok((id, path))
}

/// Returns the account's identifier and the path of the sign-in link.
fn create_in_directory(
    arguments: &AdminCreateArguments,
    email: &Email,
    name: &str,
    password: Option<String>,
) -> Result<(String, Option<String>), CommandError> {
    // Before the directory is locked, because it takes a moment.
    let hash = |password| hash(name, email, password);
    let password_hash = password.map(hash).transpose()?;
    let location = &arguments.location;
    let storage = StorageLocation::of_command(&location.database, &location.data);
    let mut opened = open_store(&storage.map_err(CommandError::Misconfigured)?)?;
    let found = opened.store.account_by_email(email).map_err(failed)?;
    let (version, mut account, event) = match found {
        Some(Versioned { version, value }) => (version, value, AuditEvent::AccountChanged),
        None => {
            let new = NewAccount {
                name: name.to_owned(),
                email: Some(email.clone()),
                // The operator says so.
                is_email_verified: true,
                ..NewAccount::default()
            };
            (Version(0), new.into_account(), AuditEvent::AccountCreated)
        }
    };
    account.is_admin = true;
    account.is_disabled = false;
    let link = set_sign_in(&mut account, password_hash);
    let target = format!("{}: admin", account.id);
    let entry = audit_entry(&Actor::Operator, event, None, target, &Visitor::default());
    opened.store.put_account(version, &account, &[entry]).map_err(failed)?;
    Ok((account.id.to_string(), link.map(|link| sign_in_path(&link))))
}

/// Sets the password of an account, or creates a link that signs in once.
fn set_sign_in(account: &mut Account, password_hash: Option<String>) -> Option<Secret> {
    match password_hash {
        Some(hash) => {
            account.password_hash = Some(hash);
            None
        }
        None => {
            let (secret, link) = new_sign_in_link(account.id);
            account.sign_in_link = Some(link);
            Some(secret)
        }
    }
}

/// The path of a sign-in link. The secret is in the fragment, which browsers do not send.
fn sign_in_path(link: &Secret) -> String {
    format!("/_sign-in#once={}", link.reveal())
}

fn hash(name: &str, email: &Email, password: String) -> Result<String, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| CommandError::Failed(format!("cannot start: {error}")))?;
    // The settings, with the words of the server, are not known here.
    let hashed = runtime.block_on(Passwords::default().hash_for(name, Some(email), password));
    hashed.map_err(|error| CommandError::Failed(error.to_string()))
}
