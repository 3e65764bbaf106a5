//! [`Mailer`]: sends messages over SMTP, each in a task of its own, with retries.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use quadrille_access::Email;
use tokio::sync::{Semaphore, watch};

use super::comment_letter::CommentLetter;
use super::letter::{self, Letter};
use super::texts::MailLanguage;
use crate::config::Settings;
use crate::limits;
use crate::room_name::percent_encoded;

/// Waits before the second and later attempts. A mail server that defers unknown senders
/// (greylisting, RFC 6647) accepts after some minutes.
const RETRY_AFTER: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(300),
    Duration::from_secs(1_200),
];
/// Connections to the mail server at a time.
const SENDING_MAX: usize = 4;
/// Time for one attempt, from the connection to the server's answer.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(60);

/// Sends mail. Cheap to clone.
#[derive(Clone)]
pub struct Mailer {
    inner: Arc<Inner>,
}

struct Inner {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    language: MailLanguage,
    /// One permit for each message that is not sent yet.
    waiting: Arc<Semaphore>,
    sending: Semaphore,
    stop: watch::Receiver<bool>,
}

impl Mailer {
    /// The mailer of these settings; `None` without `smtp_url`. `stop` becomes `true` when the
    /// server stops: deferred messages are given up then.
    ///
    /// # Errors
    ///
    /// Fails with a message when a setting is missing or invalid, or the password cannot be read.
    pub fn new(settings: &Settings, stop: watch::Receiver<bool>) -> Result<Option<Mailer>, String> {
        if settings.smtp_url.is_empty() {
            return Ok(None);
        }
        if settings.public_url.is_empty() {
            return Err("mail needs the setting `public_url`, for the links in messages".to_owned());
        }
        let from = settings.mail_from.parse::<Mailbox>();
        let from = from.map_err(|error| {
            format!("mail_from must be an e-mail address, such as `Sheets <sheets@example.org>`: {error}")
        })?;
        check_encryption(&settings.smtp_url)?;
        let url = match settings.smtp_password_file.as_os_str().is_empty() {
            true => settings.smtp_url.clone(),
            false => with_password(&settings.smtp_url, &read_password(&settings.smtp_password_file)?)?,
        };
        // The error could repeat the URL with its password.
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(&url)
            .map_err(|_| "smtp_url must be like smtps://user@mail.example.org".to_owned())?;
        let inner = Inner {
            transport: builder.timeout(Some(ATTEMPT_TIMEOUT)).build(),
            from,
            language: settings.mail_language,
            waiting: Arc::new(Semaphore::new(limits::MAILS_WAITING_MAX)),
            sending: Semaphore::new(SENDING_MAX),
            stop,
        };
        Ok(Some(Mailer { inner: Arc::new(inner) }))
    }

    /// Sends a letter in the background. Returns whether it was accepted for that: a full queue
    /// does not accept, and neither does an address to which no mail can be sent.
    pub fn send(&self, letter: &Letter) -> bool {
        self.send_made(|| letter.message(&self.inner.from, self.inner.language))
    }

    /// As [`send`](Mailer::send), for what concerns somebody in comments.
    pub fn send_about_comments(&self, letter: &CommentLetter) -> bool {
        self.send_made(|| letter.message(&self.inner.from, self.inner.language))
    }

    /// As [`send`](Mailer::send), for a text that a workbook sends.
    pub fn send_text(&self, to: &Email, subject: &str, body: &str) -> bool {
        self.send_made(|| letter::plain(&self.inner.from, to, subject, body))
    }

    fn send_made(&self, message: impl FnOnce() -> Result<lettre::Message, String>) -> bool {
        let Ok(waiting) = Arc::clone(&self.inner.waiting).try_acquire_owned() else {
            tracing::warn!("a message was not sent: too many wait for the mail server");
            return false;
        };
        let message = match message() {
            Ok(message) => message,
            Err(reason) => {
                tracing::warn!("a message was not sent: {reason}");
                return false;
            }
        };
        let mailer = self.clone();
        tokio::spawn(async move {
            mailer.deliver(message).await;
            drop(waiting);
        });
        true
    }

    /// Waits until no message is being sent.
    pub async fn finish(&self) {
        // Never closed.
        _ = self.inner.waiting.acquire_many(limits::MAILS_WAITING_MAX as u32).await;
    }

    async fn deliver(&self, message: lettre::Message) {
        let mut stop = self.inner.stop.clone();
        let mut waits = RETRY_AFTER.into_iter();
        loop {
            let sending = self.inner.sending.acquire().await.expect("never closed");
            let sent = self.inner.transport.send(message.clone()).await;
            drop(sending);
            let Err(error) = sent else { return };
            let wait = waits.next().filter(|_| !error.is_permanent() && !*stop.borrow());
            let Some(wait) = wait else {
                // Without the address: it is a person's.
                tracing::warn!("a message was given up: {error}");
                return;
            };
            tracing::info!("a message is sent again in {} seconds: {error}", wait.as_secs());
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = stop.wait_for(|is_stopping| *is_stopping) => {
                    tracing::warn!("a message was given up, because the server stops: {error}");
                    return;
                }
            }
        }
    }
}

/// Messages have links that are as good as a key, and the password of the account: they are sent in
/// the clear only to this machine.
fn check_encryption(url: &str) -> Result<(), String> {
    let is_encrypted = url.starts_with("smtps://")
        || url.starts_with("smtp://")
            && url.split_once('?').is_some_and(|(_, query)| query == "tls=required");
    let host = url.strip_prefix("smtp://").map(|rest| rest.rsplit_once('@').map_or(rest, |(_, host)| host));
    let host = host.map(|host| host.split(['/', '?']).next().expect("splitting gives a first part"));
    let name = host.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    match is_encrypted || matches!(name, Some("localhost" | "127.0.0.1" | "[::1]")) {
        true => Ok(()),
        false => Err("smtp_url must be encrypted: smtps://HOST, or smtp://HOST?tls=required for STARTTLS; \
                      smtp://localhost is allowed too"
            .into()),
    }
}

fn read_password(path: &Path) -> Result<String, String> {
    let password = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read smtp_password_file {}: {error}", path.display()))?;
    Ok(password.trim_end_matches(['\r', '\n']).to_owned())
}

fn with_password(url: &str, password: &str) -> Result<String, String> {
    let needs_user =
        || "smtp_password_file needs a user in smtp_url: smtps://user@mail.example.org".to_owned();
    let (scheme, rest) = url.split_once("://").ok_or_else(needs_user)?;
    let (user, host) =
        rest.rsplit_once('@').filter(|(user, _)| !user.contains(':')).ok_or_else(needs_user)?;
    Ok(format!("{scheme}://{user}:{}@{host}", percent_encoded(password)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_this_machine_encrypted_only() {
        for (url, is_allowed) in [
            ("smtps://ada@mail.example.org", true),
            ("smtp://ada@mail.example.org:587?tls=required", true),
            ("smtp://localhost", true),
            ("smtp://localhost:2525", true),
            ("smtp://127.0.0.1:2525", true),
            ("smtp://[::1]:2525", true),
            ("smtp://mail.example.org", false),
            ("smtp://mail.example.org?tls=opportunistic", false),
            ("smtp://localhost@mail.example.org", false),
            ("smtp://localhost.example.org", false),
            ("http://localhost", false),
        ] {
            assert_eq!(check_encryption(url).is_ok(), is_allowed, "{url}");
        }
    }

    #[test]
    fn the_password_of_a_file_is_encoded_for_the_url() {
        let with = |url| with_password(url, "p@ss:w/ö");
        assert_eq!(
            with("smtps://ada@example.org").as_deref(),
            Ok("smtps://ada:p%40ss%3Aw%2F%C3%B6@example.org")
        );
        assert!(with("smtps://example.org").is_err());
        assert!(with("smtps://ada:other@example.org").is_err());
    }
}
