//! [`CommentLetter`]: tells a person of mentions, replies and tasks, in one message for a workbook.

use std::fmt::Write;

use lettre::Message;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use quadrille_access::Email;

use super::comment_texts::CommentTexts;
use super::letter::{escaped, single_line, single_line_of};
use super::texts::MailLanguage;
use crate::limits;

/// What has happened in the comments of a workbook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommentLetter {
    pub to: Email,
    /// Title of the workbook.
    pub title: String,
    /// Oldest first.
    pub lines: Vec<CommentLine>,
    /// Further notifications, which are only counted.
    pub further: usize,
    /// Opens the workbook.
    pub url: String,
    /// Switches such messages off, without signing in.
    pub unsubscribe_url: String,
}

/// One comment or task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommentLine {
    pub reason: NotificationReason,
    /// Who has written or assigned it; may be blank.
    pub person: String,
    pub text: String,
    /// Sheet and cell.
    pub place: String,
    /// Opens the workbook at the cell.
    pub url: String,
}

/// Why a person gets a notification. A comment that concerns somebody in several ways has the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotificationReason {
    Task,
    Mention,
    Reply,
}

impl CommentLetter {
    /// Makes the message.
    ///
    /// # Errors
    ///
    /// Fails with a message when the address cannot be used in mail.
    pub(super) fn message(&self, from: &Mailbox, language: MailLanguage) -> Result<Message, String> {
        let texts = language.comment_texts();
        let to = self.to.as_str().parse().map_err(|error| format!("the address is invalid: {error}"))?;
        let subject = texts.subject.replace("{title}", &single_line(&self.title));
        let mut message = Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .multipart(MultiPart::alternative_plain_html(self.plain(language), self.html(language)))
            .map_err(|error| format!("the message cannot be made: {error}"))?;
        // RFC 2369 and RFC 8058, and RFC 3834: nobody's automatic answer is asked for.
        for (name, value) in [
            ("List-Unsubscribe", format!("<{}>", self.unsubscribe_url)),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()),
            ("Auto-Submitted", "auto-generated".to_owned()),
        ] {
            if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(format!("{name} has characters that are not of an address: {value:?}"));
            }
            let name = HeaderName::new_from_ascii_str(name);
            // Not folded or encoded: an address is one word.
            message.headers_mut().insert_raw(HeaderValue::dangerous_new_pre_encoded(
                name,
                value.clone(),
                value,
            ));
        }
        Ok(message)
    }

    fn plain(&self, language: MailLanguage) -> String {
        let texts = language.comment_texts();
        let mut plain = String::new();
        for line in &self.lines {
            _ = writeln!(plain, "{}", line.sentence(texts, language));
            for detail in [line.text(), single_line(&line.place), line.url.clone()] {
                if !detail.is_empty() {
                    _ = writeln!(plain, "    {detail}");
                }
            }
            plain.push('\n');
        }
        if self.further > 0 {
            _ = write!(plain, "{}\n\n", further(texts, self.further));
        }
        _ = writeln!(
            plain,
            "{}: {}\n\n{}\n{}: {}",
            language.texts().open,
            self.url,
            texts.why,
            texts.switch_off,
            self.unsubscribe_url
        );
        plain
    }

    fn html(&self, language: MailLanguage) -> String {
        let texts = language.comment_texts();
        let direction = if language.is_right_to_left() { "rtl" } else { "ltr" };
        let mut html =
            format!("<!doctype html>\n<html lang=\"{}\" dir=\"{direction}\"><body>\n", language.tag());
        for line in &self.lines {
            _ = writeln!(html, "<p>{}</p>", escaped(&line.sentence(texts, language)));
            let text = line.text();
            if !text.is_empty() {
                _ = writeln!(html, "<blockquote dir=\"auto\">{}</blockquote>", escaped(&text));
            }
            let place = match single_line(&line.place) {
                blank if blank.is_empty() => language.texts().open.to_owned(),
                place => place,
            };
            _ = writeln!(
                html,
                "<p><a href=\"{}\" dir=\"auto\">{}</a></p>",
                escaped(&line.url),
                escaped(&place)
            );
        }
        if self.further > 0 {
            _ = writeln!(html, "<p>{}</p>", escaped(&further(texts, self.further)));
        }
        _ = writeln!(
            html,
            "<p><a href=\"{}\">{}</a></p>\n<p><small>{} <a href=\"{}\">{}</a></small></p>\n</body></html>",
            escaped(&self.url),
            escaped(language.texts().open),
            escaped(texts.why),
            escaped(&self.unsubscribe_url),
            escaped(texts.switch_off),
        );
        html
    }
}

impl CommentLine {
    fn sentence(&self, texts: &CommentTexts, language: MailLanguage) -> String {
        let sentence = match self.reason {
            NotificationReason::Mention => texts.mentioned,
            NotificationReason::Reply => texts.replied,
            NotificationReason::Task => texts.assigned,
        };
        let person = match single_line(&self.person) {
            blank if blank.is_empty() => language.texts().somebody.to_owned(),
            person => person,
        };
        sentence.replace("{person}", &person)
    }

    fn text(&self) -> String {
        single_line_of(&self.text, limits::NOTIFIED_TEXT_CHARACTERS_MAX)
    }
}

fn further(texts: &CommentTexts, count: usize) -> String {
    texts.further.replace("{count}", &count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(person: &str, text: &str, place: &str) -> CommentLine {
        CommentLine {
            reason: NotificationReason::Mention,
            person: person.into(),
            text: text.into(),
            place: place.into(),
            url: "https://sheets.example.org/plan#sheet=Costs&range=B7".into(),
        }
    }

    fn sent(title: &str, lines: Vec<CommentLine>, language: MailLanguage) -> String {
        let letter = CommentLetter {
            to: Email::parse("ada@example.org").expect("an address"),
            title: title.into(),
            lines,
            further: 3,
            url: "https://sheets.example.org/plan".into(),
            unsubscribe_url: format!("https://sheets.example.org/_unsubscribe/{}", "x".repeat(64)),
        };
        let from = "Sheets <sheets@example.org>".parse().expect("an address");
        let message = letter.message(&from, language).expect("valid").formatted();
        // The encoding of long lines (RFC 2045, 6.7).
        String::from_utf8(message).expect("ASCII").replace("=\r\n", "").replace("=3D", "=")
    }

    fn header<'a>(message: &'a str, name: &str) -> Vec<&'a str> {
        let head = message.split("\r\n\r\n").next().expect("a head");
        head.split("\r\n").filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).collect()
    }

    #[test]
    fn a_message_tells_who_what_and_where() {
        let message = sent("Budget", vec![line("Grace", "@Ada why?", "Costs · B7")], MailLanguage::En);
        for part in [
            "Subject: Comments for you in \"Budget\"\r\n",
            "Grace mentioned you",
            "@Ada why?",
            "https://sheets.example.org/plan#sheet=Costs&range=B7",
            "Further notifications: 3",
            "multipart/alternative",
        ] {
            assert!(message.contains(part), "{part} in {message}");
        }
    }

    #[test]
    fn mail_programs_find_how_to_unsubscribe_with_one_click() {
        // RFC 8058, 3.1: one address with https, and the header with this value; neither is folded.
        let message = sent("Budget", vec![line("Grace", "x", "A · B")], MailLanguage::De);
        let url = format!("<https://sheets.example.org/_unsubscribe/{}>", "x".repeat(64));
        assert_eq!(header(&message, "List-Unsubscribe"), [url]);
        assert_eq!(header(&message, "List-Unsubscribe-Post"), ["List-Unsubscribe=One-Click"]);
        assert_eq!(header(&message, "Auto-Submitted"), ["auto-generated"]);
    }

    #[test]
    fn no_text_adds_a_header_or_markup() {
        let names = |message: &str| {
            let head = message.split("\r\n\r\n").next().expect("a head").to_owned();
            let lines = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
            lines.map(|line| line.split(':').next().expect("a name").to_owned()).collect::<Vec<_>>()
        };
        let harmless = names(&sent("Budget", vec![line("Grace", "x", "Costs · B7")], MailLanguage::En));
        for evil in [
            "x\r\nBcc: victim@example.org\r\n\r\n",
            "x\u{2028}Bcc: v@example.org",
            "<script>alert(1)</script>",
        ] {
            for (title, line) in [
                (evil, line("Grace", "x", "Costs · B7")),
                ("Budget", line(evil, "x", "Costs · B7")),
                ("Budget", line("Grace", evil, "Costs · B7")),
                ("Budget", line("Grace", "x", evil)),
            ] {
                let message = sent(title, vec![line], MailLanguage::En);
                assert_eq!(names(&message), harmless, "{message}");
                let html = message.rsplit("text/html").next().expect("the last part");
                assert!(!html.contains("<script>"), "{message}");
            }
        }
    }

    #[test]
    fn long_comments_are_cut() {
        let text = "word ".repeat(1_000);
        let line = line("Grace", &text, "Costs · B7");
        assert_eq!(line.text().chars().count(), limits::NOTIFIED_TEXT_CHARACTERS_MAX + 1);
    }

    #[test]
    fn every_language_has_its_placeholders() {
        for language in MailLanguage::ALL {
            let texts = language.comment_texts();
            assert!(texts.subject.contains("{title}") && texts.further.contains("{count}"));
            for sentence in [texts.mentioned, texts.replied, texts.assigned] {
                assert!(sentence.contains("{person}"), "{sentence}");
            }
            let message = sent("Budget", vec![line("Grace", "x", "A · B")], language);
            assert_eq!(header(&message, "List-Unsubscribe").len(), 1, "{message}");
        }
    }
}
