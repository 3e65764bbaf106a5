//! The page of a form. It works without scripts; `web/form/src/form.ts` adds checks while filling in,
//! and keeps responses while there is no network.

use std::fmt::Write;

use quadrille_access::{Form, QuestionKind};
use quadrille_cell::DateSystem;

use super::answers::{Answers, BadAnswer, limit_message, shown_limit};
use super::file_texts::{FileTexts, file_texts};
use super::html::{escaped, filled};
use super::open_form::{OpenForm, Question};
use super::texts::{FormTexts, texts};
use crate::limits;
use crate::mail::MailLanguage;

/// What the page shows beside the questions.
#[derive(Default)]
pub struct FormState<'a> {
    /// Identifies the response, so that it is recorded once.
    pub submission: String,
    /// The revision of the workbook before the response.
    pub revision: u64,
    pub answers: Answers,
    /// Questions whose files were sent: the browser does not keep what was chosen.
    pub had_files: Vec<u64>,
    pub errors: &'a [BadAnswer],
    /// A sentence about the whole form.
    pub alert: Option<String>,
}

/// The page with the questions.
pub fn form_page(form: &Form, open: &OpenForm<'_>, state: &FormState<'_>, language: MailLanguage) -> String {
    let texts = texts(language);
    let mut body = String::new();
    heading(&mut body, form);
    let alert = match (&state.alert, state.errors.is_empty()) {
        (Some(alert), _) => escaped(alert),
        (None, false) => escaped(texts.errors),
        (None, true) => String::new(),
    };
    let hidden = if alert.is_empty() { " hidden" } else { "" };
    _ = write!(
        body,
        "<div class=\"alert\" id=\"alert\" role=\"alert\" tabindex=\"-1\"{hidden}>{alert}</div>"
    );
    let has_files = open.questions.iter().any(|question| question.kind == QuestionKind::File);
    let encoding = if has_files { " enctype=\"multipart/form-data\"" } else { "" };
    _ = write!(
        body,
        "<form id=\"form\" method=\"post\"{encoding} accept-charset=\"utf-8\" data-required=\"{}\" data-offline=\"{}\" \
         data-later=\"{}\" data-errors=\"{}\" data-submitting=\"{}\" data-another=\"{}\" data-recorded=\"{}\">",
        escaped(texts.required),
        escaped(texts.offline),
        escaped(texts.try_later),
        escaped(texts.errors),
        escaped(texts.submitting),
        escaped(texts.another),
        escaped(confirmation(form, texts)),
    );
    _ = write!(
        body,
        "<input type=\"hidden\" name=\"submission\" value=\"{}\"><input type=\"hidden\" name=\"revision\" value=\"{}\">",
        escaped(&state.submission),
        state.revision
    );
    // People do not see this field; programs that fill in every field do.
    body.push_str(
        "<div class=\"away\" aria-hidden=\"true\"><label>Website<input name=\"website\" tabindex=\"-1\" \
         autocomplete=\"off\"></label></div>",
    );
    if open.questions.iter().any(|question| question.is_required) {
        _ = write!(body, "<p class=\"note\">{}</p>", escaped(texts.required_note));
    }
    for question in &open.questions {
        let given = state.answers.get(&question.id).map_or(&[][..], Vec::as_slice);
        let error = state.errors.iter().find(|error| error.question == question.id);
        let error = error.map(|error| error.message.as_str());
        let files = file_texts(language);
        let again = state.had_files.contains(&question.id).then_some(files.choose_again);
        let error = error.or(again);
        QuestionWriter { question, given, error, texts, files, dates: open.dates }.write(&mut body);
    }
    _ = write!(
        body,
        "<div class=\"buttons\"><button type=\"submit\" class=\"button\">{}</button></div></form>",
        escaped(texts.submit)
    );
    document(&form.title, &body, language)
}

/// The page after a response.
pub fn sent_page(form: &Form, language: MailLanguage) -> String {
    let texts = texts(language);
    let mut body = String::new();
    heading(&mut body, form);
    _ = write!(
        body,
        "<div class=\"done\" role=\"status\"><p>{}</p></div><p><a href=\"?\">{}</a></p>",
        escaped(confirmation(form, texts)),
        escaped(texts.another)
    );
    document(&form.title, &body, language)
}

/// The page of a form that accepts no responses.
pub fn closed_page(form: &Form, language: MailLanguage) -> String {
    let body =
        format!("<h1 dir=\"auto\">{}</h1><p>{}</p>", escaped(&form.title), escaped(texts(language).closed));
    document(&form.title, &body, language)
}

/// The page when there is no such form.
pub fn missing_page(language: MailLanguage) -> String {
    let texts = texts(language);
    let body = format!("<h1>{}</h1><p>{}</p>", escaped(texts.missing), escaped(texts.missing_hint));
    document(texts.missing, &body, language)
}

fn confirmation<'a>(form: &'a Form, texts: &'a FormTexts) -> &'a str {
    if form.confirmation.is_empty() { texts.recorded } else { &form.confirmation }
}

fn heading(body: &mut String, form: &Form) {
    _ = write!(body, "<h1 dir=\"auto\">{}</h1>", escaped(&form.title));
    if !form.description.is_empty() {
        _ = write!(body, "<p class=\"description\" dir=\"auto\">{}</p>", escaped(&form.description));
    }
}

fn document(title: &str, body: &str, language: MailLanguage) -> String {
    let direction = if language.is_right_to_left() { "rtl" } else { "ltr" };
    format!(
        "<!doctype html>\n<html lang=\"{}\" dir=\"{direction}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><meta name=\"robots\" content=\"noindex\">\
         <title>{}</title><link rel=\"icon\" href=\"../logo.svg\"><link rel=\"stylesheet\" href=\"../form.css\">\
         <script src=\"../form.js\" defer></script></head><body><main>{body}</main></body></html>\n",
        language.tag(),
        escaped(title)
    )
}

/// Writes one question with its label, help and error.
struct QuestionWriter<'a> {
    question: &'a Question,
    given: &'a [String],
    error: Option<&'a str>,
    texts: &'a FormTexts,
    files: &'a FileTexts,
    dates: DateSystem,
}

impl QuestionWriter<'_> {
    fn write(&self, body: &mut String) {
        let question = self.question;
        let id = question.id;
        let label = escaped(&question.label);
        let star =
            if question.is_required { "<span class=\"star\" aria-hidden=\"true\"> *</span>" } else { "" };
        let is_group = matches!(
            question.kind,
            QuestionKind::Choice | QuestionKind::MultipleChoice | QuestionKind::Rating
        );
        let (open, close) = if is_group { ("fieldset", "fieldset") } else { ("div", "div") };
        let group = match (is_group, question.kind) {
            (true, QuestionKind::MultipleChoice) => self.described(),
            (true, _) => format!(" role=\"radiogroup\"{}", self.described()),
            (false, _) => String::new(),
        };
        _ = write!(body, "<{open} class=\"question\" data-question=\"{id}\"{}{group}>", self.rules());
        let help = match question.help.is_empty() {
            true => String::new(),
            false => format!("<p class=\"help\" id=\"h{id}\" dir=\"auto\">{}</p>", escaped(&question.help)),
        };
        let hidden = if self.error.is_none() { " hidden" } else { "" };
        let error =
            format!("<p class=\"error\" id=\"e{id}\"{hidden}>{}</p>", escaped(self.error.unwrap_or("")));
        match question.kind {
            QuestionKind::Checkbox => {
                _ = write!(
                    body,
                    "<label class=\"option\">{}<span dir=\"auto\">{label}{star}</span></label>",
                    self.control()
                );
                _ = write!(body, "{help}{error}");
            }
            _ if is_group => {
                _ = write!(body, "<legend dir=\"auto\">{label}{star}</legend>{help}");
                self.options(body);
                body.push_str(&error);
            }
            _ => {
                _ = write!(
                    body,
                    "<label class=\"label\" for=\"q{id}\" dir=\"auto\">{label}{star}</label>{help}"
                );
                _ = write!(body, "{}{error}", self.control());
            }
        }
        _ = write!(body, "</{close}>");
    }

    /// The rules that the script checks, with their sentences.
    fn rules(&self) -> String {
        let question = self.question;
        let texts = self.texts;
        let own = |message: &'static str| question.message.clone().unwrap_or_else(|| message.to_owned());
        let (kind, invalid) = match question.kind {
            QuestionKind::Number => ("number", texts.number.to_owned()),
            QuestionKind::Date | QuestionKind::DateTime => ("date", texts.date.to_owned()),
            QuestionKind::Time => ("time", texts.time.to_owned()),
            QuestionKind::Email => ("email", own(texts.email)),
            QuestionKind::Url => ("url", own(texts.url)),
            QuestionKind::File => ("file", question.file.kind_message(self.files)),
            _ => ("text", String::new()),
        };
        let mut rules = format!(" data-kind=\"{kind}\" data-invalid=\"{}\"", escaped(&invalid));
        if question.is_required {
            rules.push_str(" data-must");
        }
        if question.kind == QuestionKind::File {
            let (bytes, message) = (question.file.bytes_max, question.file.size_message(self.files));
            let empty = escaped(self.files.empty);
            _ = write!(
                rules,
                " data-bytes=\"{bytes}\" data-limit=\"{}\" data-empty=\"{empty}\"",
                escaped(&message)
            );
            return rules;
        }
        if let Some(limits) = &question.limits {
            let message = question.message.clone();
            let message = message.unwrap_or_else(|| limit_message(limits, question.kind, self.dates, texts));
            let shown =
                |limit: Option<f64>| limit.map(|limit| shown_limit(limit, limits, question.kind, self.dates));
            _ = write!(
                rules,
                " data-operator=\"{}\" data-limit=\"{}\"",
                escaped(&limits.operator),
                escaped(&message)
            );
            for (name, limit) in [("first", shown(limits.first)), ("second", shown(limits.second))] {
                if let Some(limit) = limit {
                    _ = write!(rules, " data-{name}=\"{}\"", escaped(&limit));
                }
            }
            for (name, is_set) in [("length", limits.is_length), ("whole", limits.is_whole)] {
                if is_set {
                    _ = write!(rules, " data-{name}");
                }
            }
        }
        rules
    }

    fn described(&self) -> String {
        let id = self.question.id;
        let help = if self.question.help.is_empty() { String::new() } else { format!("h{id} ") };
        let hint = if self.question.kind == QuestionKind::File { format!("f{id} ") } else { String::new() };
        let invalid = if self.error.is_some() { " aria-invalid=\"true\"" } else { "" };
        format!(" aria-describedby=\"{help}{hint}e{id}\"{invalid}")
    }

    fn first(&self) -> &str {
        self.given.first().map_or("", String::as_str)
    }

    fn control(&self) -> String {
        let question = self.question;
        let required = if question.is_required { " required" } else { "" };
        let attributes = format!("id=\"q{0}\" name=\"q{0}\"{required}{1}", question.id, self.described());
        let value = format!("value=\"{}\"", escaped(self.first()));
        let max = limits::FORM_ANSWER_CHARACTERS_MAX;
        match question.kind {
            QuestionKind::Paragraph => {
                let text = escaped(self.first());
                format!(
                    "<textarea class=\"field\" rows=\"4\" dir=\"auto\" maxlength=\"{max}\" {attributes}>\n{text}</textarea>"
                )
            }
            QuestionKind::Dropdown => {
                let mut select = format!(
                    "<select class=\"field\" {attributes}><option value=\"\">{}</option>",
                    escaped(self.texts.choose)
                );
                for choice in &question.choices {
                    let is_chosen = choice.text.trim() == self.first().trim();
                    let selected = if is_chosen { " selected" } else { "" };
                    _ = write!(select, "<option{selected}>{}</option>", escaped(&choice.text));
                }
                select + "</select>"
            }
            QuestionKind::Checkbox => {
                let checked = if self.given.is_empty() { "" } else { " checked" };
                format!("<input type=\"checkbox\" value=\"true\" {attributes}{checked}>")
            }
            QuestionKind::Number => format!(
                "<input class=\"field\" type=\"number\" step=\"any\" dir=\"ltr\" {attributes} {value}>"
            ),
            QuestionKind::Date => format!("<input class=\"field\" type=\"date\" {attributes} {value}>"),
            QuestionKind::Time => format!("<input class=\"field\" type=\"time\" {attributes} {value}>"),
            QuestionKind::DateTime => {
                format!("<input class=\"field\" type=\"datetime-local\" {attributes} {value}>")
            }
            QuestionKind::File => format!(
                "<input class=\"field\" type=\"file\" accept=\"{}\" {attributes}>\
                 <p class=\"help\" id=\"f{}\">{}</p>",
                escaped(&question.file.extensions()),
                question.id,
                escaped(&question.file.hint(self.files))
            ),
            QuestionKind::Email => {
                format!(
                    "<input class=\"field\" type=\"email\" dir=\"ltr\" autocomplete=\"email\" {attributes} {value}>"
                )
            }
            QuestionKind::Url => {
                format!(
                    "<input class=\"field\" type=\"text\" inputmode=\"url\" dir=\"ltr\" {attributes} {value}>"
                )
            }
            _ => format!(
                "<input class=\"field\" type=\"text\" dir=\"auto\" maxlength=\"{max}\" {attributes} {value}>"
            ),
        }
    }

    /// The options of a group, each with its label.
    fn options(&self, body: &mut String) {
        let question = self.question;
        let is_rating = question.kind == QuestionKind::Rating;
        let kind = if question.kind == QuestionKind::MultipleChoice { "checkbox" } else { "radio" };
        let required = if question.is_required && kind == "radio" { " required" } else { "" };
        let class = if is_rating { "options stars" } else { "options" };
        _ = write!(body, "<div class=\"{class}\">");
        let stars =
            (1..=5).map(|stars: u32| (stars.to_string(), filled(self.texts.stars, &[&stars.to_string()])));
        let choices = question.choices.iter().map(|choice| (choice.text.clone(), choice.text.clone()));
        let options: Vec<(String, String)> = if is_rating { stars.collect() } else { choices.collect() };
        for (index, (value, label)) in options.iter().enumerate() {
            let is_chosen = self.given.iter().any(|given| given.trim() == value.trim());
            let checked = if is_chosen { " checked" } else { "" };
            let shown = match is_rating {
                true => format!(
                    "<span class=\"star-label\" title=\"{0}\"><span class=\"hidden\">{0}</span>{1}</span>",
                    escaped(label),
                    index + 1
                ),
                false => format!("<span dir=\"auto\">{}</span>", escaped(label)),
            };
            _ = write!(
                body,
                "<label class=\"option\"><input type=\"{kind}\" name=\"q{}\" value=\"{}\"{required}{checked}>{shown}</label>",
                question.id,
                escaped(value)
            );
        }
        body.push_str("</div>");
    }
}
