//! Telling people by mail that they can open a workbook, and its owner that somebody would like to.

use std::time::Instant;

use quadrille_access::{AccessRequest, Email, Person, Secret, SecretKind, ShareLink};
use quadrille_protocol::{Role, RoomName};

use super::app::App;
use crate::access::{Attempt, Identity, Visitor, now_ms};
use crate::config::AccessMode;
use crate::mail::{Letter, Subject};
use crate::room_name::percent_encoded;
use crate::workbook_files::title_or_name;

/// What an invitation has come to.
pub struct Invitation {
    /// A message was handed to the mail server's queue.
    pub is_sent: bool,
    /// The link to be sent by hand otherwise: absolute if the server knows its public URL.
    pub url: String,
}

/// The link by which somebody without an account proves an invitation by e-mail: `None` where
/// people sign in and prove their address so.
pub fn personal_link(app: &App, person: &Person, role: Role) -> Option<(Secret, ShareLink)> {
    let Person::Email(email) = person else { return None };
    if app.settings.access == AccessMode::Accounts {
        return None;
    }
    let secret = super::access_input::new_secret(SecretKind::ShareLink);
    let link = ShareLink {
        id: secret.id(),
        hash: secret.hash(),
        role,
        label: email.as_str().chars().take(quadrille_access::LABEL_CHARACTERS_MAX).collect(),
        person: Some(email.clone()),
        expires_ms: None,
        password_hash: None,
        created_ms: now_ms(),
        uses: 0,
        last_used_ms: 0,
    };
    Some((secret, link))
}

/// Tells a person of a role, by mail if the server can and `should_send`.
pub async fn invite(
    app: &App,
    room: &RoomName,
    (visitor, identity): (&Visitor, &Identity),
    (person, role): (&Person, Role),
    link: Option<&Secret>,
    should_send: bool,
) -> Invitation {
    // In the fragment, which browsers send to no server.
    let fragment = link.map_or(String::new(), |link| format!("#link={}", link.reveal()));
    let path = format!("/{}{fragment}", percent_encoded(room.as_str()));
    let url = format!("{}{path}", app.settings.public_base(visitor.tenant.as_deref()));
    let is_sent = should_send && {
        let to = address_of(app, person).await;
        let subject = Subject::Invitation(role);
        let author = identity.author.as_ref().map_or("", |author| &author.name);
        match to.filter(|_| may_cause_mail(app, visitor, identity)) {
            Some(to) => send(app, room, to, subject, author, &url).await,
            None => false,
        }
    };
    Invitation { is_sent, url }
}

/// Tells the owner of a workbook, in open pages and by mail, that somebody asks for access. Runs in
/// the background: whoever asks learns nothing from the time that it takes.
pub fn notify_owner(app: &App, room: &RoomName, request: &AccessRequest) {
    let (app, room, name) = (app.clone(), room.clone(), request.name.clone());
    app.rooms.access_requested(&room);
    if app.mailer.is_none() {
        return;
    }
    tokio::spawn(async move {
        let Ok(Some(document)) = app.access.document(&room).await else { return };
        let Some(owner) = document.value.owner else { return };
        let Some(to) = address_of(&app, &Person::Account(owner)).await else { return };
        let path = format!("/{}", percent_encoded(room.as_str()));
        let url = format!("{}{path}", app.settings.public_base(document.value.tenant.as_deref()));
        send(&app, &room, to, Subject::Request, &name, &url).await;
    });
}

/// The verified address of an account, or the address that was invited.
async fn address_of(app: &App, person: &Person) -> Option<Email> {
    let id = match person {
        Person::Email(email) => return Some(email.clone()),
        Person::Account(id) => *id,
    };
    let account = app.access.run(move |store| store.account(id)).await.ok()??.value;
    account.email.filter(|_| account.is_email_verified && !account.is_disabled)
}

/// Counts a message towards those that an account, or a client without one, can cause.
fn may_cause_mail(app: &App, visitor: &Visitor, identity: &Identity) -> bool {
    let sender = match &identity.credentials.account {
        Some(account) => format!("account:{}", account.id),
        None => visitor.address.map_or(String::new(), |address| address.to_string()),
    };
    app.mailer.is_some() && app.attempts.take(Attempt::MailBy(sender), Instant::now()).is_ok()
}

async fn send(app: &App, room: &RoomName, to: Email, subject: Subject, person: &str, url: &str) -> bool {
    let Some(mailer) = &app.mailer else { return false };
    if app.attempts.take(Attempt::MailTo(to.clone()), Instant::now()).is_err() {
        return false;
    }
    let title = match app.rooms.read_inputs(room).await {
        Ok(reading) => title_or_name(reading.workbook.title(), room).to_owned(),
        // Not stored yet: nobody has typed anything.
        Err(_) => title_or_name(None, room).to_owned(),
    };
    mailer.send(&Letter { to, subject, title, person: person.to_owned(), url: url.to_owned() })
}
