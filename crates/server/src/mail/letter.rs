//! [`Letter`]: what is said to whom, and its form as a message with plain text and HTML.

use lettre::Message;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MultiPart};
use quadrille_access::Email;
use quadrille_protocol::Role;

use super::texts::{MailLanguage, Texts};

/// Characters of a title or name in a message. Both are chosen by people whom the reader may not
/// know.
const NAME_CHARACTERS_MAX: usize = 100;

/// A message to one person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    pub to: Email,
    pub subject: Subject,
    /// Title of the workbook.
    pub title: String,
    /// Who invites or asks; may be blank.
    pub person: String,
    /// Where the link of the message leads.
    pub url: String,
}

/// What a letter is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// An invitation with this role.
    Invitation(Role),
    /// Somebody asks for access.
    Request,
    /// A link to replace a forgotten password.
    Recovery,
}

impl Letter {
    /// A letter with a link to replace the forgotten password of the account with this address.
    pub fn recovery(to: Email, url: String) -> Letter {
        Letter { to, subject: Subject::Recovery, title: String::new(), person: String::new(), url }
    }

    /// Makes the message.
    ///
    /// # Errors
    ///
    /// Fails with a message when the address cannot be used in mail.
    pub(super) fn message(&self, from: &Mailbox, language: MailLanguage) -> Result<Message, String> {
        let texts = language.texts();
        let to = self.to.as_str().parse().map_err(|error| format!("the address is invalid: {error}"))?;
        let (subject, sentence) = self.subject_and_sentence(texts);
        let (open, why) = match self.subject {
            Subject::Recovery => (texts.choose_password, texts.why_recovery),
            Subject::Invitation(_) | Subject::Request => (texts.open, texts.why),
        };
        let plain = format!("{sentence}\n\n{open}: {}\n\n{why}\n", self.url);
        let html = self.html((&sentence, open, why), language);
        Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .multipart(MultiPart::alternative_plain_html(plain, html))
            .map_err(|error| format!("the message cannot be made: {error}"))
    }

    fn subject_and_sentence(&self, texts: &Texts) -> (String, String) {
        let title = single_line(&self.title);
        let person = match single_line(&self.person) {
            blank if blank.is_empty() => texts.somebody.to_owned(),
            person => person,
        };
        let (subject, sentence) = match self.subject {
            Subject::Invitation(role) => {
                let sentence = match role {
                    Role::Owner | Role::Edit => texts.invited_to_edit,
                    Role::Comment => texts.invited_to_comment,
                    Role::View => texts.invited_to_view,
                };
                (texts.invitation, sentence)
            }
            Subject::Request => (texts.request, texts.asks),
            Subject::Recovery => (texts.recovery, texts.recovers),
        };
        // One pass: placeholders in a title or name are text.
        let fill = |text: &str| {
            let parts = text.split("{title}").map(|part| part.replace("{person}", &person));
            parts.collect::<Vec<_>>().join(&title)
        };
        (fill(subject), fill(sentence))
    }

    fn html(&self, (sentence, open, why): (&str, &str, &str), language: MailLanguage) -> String {
        let direction = if language.is_right_to_left() { "rtl" } else { "ltr" };
        format!(
            "<!doctype html>\n<html lang=\"{}\" dir=\"{direction}\"><body>\n<p>{}</p>\n\
             <p><a href=\"{}\">{}</a></p>\n<p><small>{}</small></p>\n</body></html>\n",
            language.tag(),
            escaped(sentence),
            escaped(&self.url),
            escaped(open),
            escaped(why),
        )
    }
}

/// Makes a message with a text that a workbook sends.
///
/// # Errors
///
/// Fails with a message when the address cannot be used in mail.
pub(super) fn plain(from: &Mailbox, to: &Email, subject: &str, body: &str) -> Result<Message, String> {
    let to = to.as_str().parse().map_err(|error| format!("the address is invalid: {error}"))?;
    Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(single_line(subject))
        .header(ContentType::TEXT_PLAIN)
        .body(body.to_owned())
        .map_err(|error| format!("the message cannot be made: {error}"))
}

/// The text on one line: no header can be added by a title, and no paragraph.
pub(super) fn single_line(text: &str) -> String {
    single_line_of(text, NAME_CHARACTERS_MAX)
}

/// As [`single_line`], with at most so many characters.
pub(super) fn single_line_of(text: &str, characters_max: usize) -> String {
    let is_invisible = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let words: String = text.chars().map(|c| if is_invisible(c) { ' ' } else { c }).collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(characters_max) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(title: &str, person: &str) -> String {
        let letter = Letter {
            to: Email::parse("ada@example.org").expect("an address"),
            subject: Subject::Invitation(Role::Edit),
            title: title.into(),
            person: person.into(),
            url: "https://sheets.example.org/plan?a=1&b=2".into(),
        };
        let from = "Sheets <sheets@example.org>".parse().expect("an address");
        let message = letter.message(&from, MailLanguage::En).expect("valid");
        String::from_utf8(message.formatted()).expect("ASCII")
    }

    /// Names of the header fields of the message itself.
    fn header_names(message: &str) -> Vec<&str> {
        let head = message.split("\r\n\r\n").next().expect("a head");
        let first_lines = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        first_lines.map(|line| line.split(':').next().expect("a name")).collect()
    }

    #[test]
    fn an_invitation_names_the_workbook_the_person_the_role_and_the_link() {
        let message = sent("Budget 2026", "Grace");
        assert!(message.contains("Subject: Workbook shared with you: \"Budget 2026\"\r\n"), "{message}");
        assert!(message.contains("Grace has invited you to edit the workbook"), "{message}");
        assert!(message.contains("multipart/alternative"), "{message}");
        assert!(message.contains("https://sheets.example.org/plan"), "{message}");
    }

    #[test]
    fn no_title_or_name_adds_a_header() {
        let plain = sent("Budget", "Grace");
        for evil in [
            "x\r\nBcc: victim@example.org",
            "x\nBcc: victim@example.org\n\nanother body",
            "x\r\n\r\n<script>alert(1)</script>",
            "x\u{2028}Bcc: victim@example.org",
            "=?utf-8?q?x=0D=0ABcc:_victim@example.org?=",
        ] {
            for message in [sent(evil, "Grace"), sent("Budget", evil)] {
                assert_eq!(header_names(&message), header_names(&plain), "{message}");
                let html = message.rsplit("text/html").next().expect("the last part");
                assert!(!html.contains("<script>"), "{message}");
            }
        }
    }

    #[test]
    fn long_titles_are_cut_and_markup_is_text() {
        assert_eq!(single_line(&"ä".repeat(200)).chars().count(), NAME_CHARACTERS_MAX + 1);
        assert_eq!(single_line(" a\t\r\n b\u{202e} "), "a b");
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }

    #[test]
    fn placeholders_in_a_title_are_text() {
        let message = sent("{person} and {title}", "Grace");
        assert!(message.contains("{person} and {title}"), "{message}");
    }

    #[test]
    fn every_language_has_its_placeholders() {
        for language in MailLanguage::ALL {
            let texts = language.texts();
            assert!(texts.invitation.contains("{title}") && texts.request.contains("{title}"));
            let sentences =
                [texts.invited_to_edit, texts.invited_to_comment, texts.invited_to_view, texts.asks];
            for sentence in sentences {
                assert!(sentence.contains("{title}") && sentence.contains("{person}"), "{sentence}");
            }
        }
    }
}
