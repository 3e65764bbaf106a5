//! What was typed into a form, as values of cells. The page checks the same rules with the same
//! sentences (`web/form/src/form.ts`).

use std::collections::BTreeMap;

use quadrille_access::QuestionKind;
use quadrille_cell::{DateSystem, Value};
use quadrille_document::{is_email, is_url};
use quadrille_number_format::date::{Civil, serial_from_civil};

use super::file_texts::file_texts;
use super::files::SentFile;
use super::html::filled;
use super::open_form::{Limits, OpenForm, Question};
use super::texts::{FormTexts, texts};
use crate::limits;
use crate::mail::MailLanguage;

/// The texts of a response, by the number of the question; several for multiple choice.
pub type Answers = BTreeMap<u64, Vec<String>>;

/// The files of a response, by the number of the question.
pub type Files = BTreeMap<u64, Vec<SentFile>>;

/// An answer that is not accepted.
#[derive(Clone, PartialEq, Debug)]
pub struct BadAnswer {
    pub question: u64,
    pub message: String,
}

/// Returns the values of the answers, by the number of the question. That of a file is its name.
///
/// # Errors
/// Fails with every answer that is missing or does not fit its question.
pub fn check_answers(
    form: &OpenForm<'_>,
    answers: &Answers,
    files: &Files,
    language: MailLanguage,
) -> Result<BTreeMap<u64, Value>, Vec<BadAnswer>> {
    let texts = texts(language);
    let mut values = BTreeMap::new();
    let mut bad = Vec::new();
    let mut files_left = limits::FORM_FILES_MAX;
    for question in &form.questions {
        let value = match question.kind {
            QuestionKind::File => {
                let given = files.get(&question.id).map_or(&[][..], Vec::as_slice);
                value_of_file(question, given, &mut files_left, language)
            }
            _ => {
                let given = answers.get(&question.id).map_or(&[][..], Vec::as_slice);
                value_of(question, given, form.dates, texts)
            }
        };
        match value {
            Ok(Value::Blank) => {}
            Ok(value) => _ = values.insert(question.id, value),
            Err(message) => bad.push(BadAnswer { question: question.id, message }),
        }
    }
    match bad.is_empty() {
        true => Ok(values),
        false => Err(bad),
    }
}

/// The name of the file of a question. A question takes one.
fn value_of_file(
    question: &Question,
    given: &[SentFile],
    files_left: &mut usize,
    language: MailLanguage,
) -> Result<Value, String> {
    let Some(file) = given.first() else {
        return if question.is_required {
            Err(texts(language).required.to_owned())
        } else {
            Ok(Value::Blank)
        };
    };
    let sentences = file_texts(language);
    if given.len() > 1 {
        return Err(filled(sentences.too_many, &["1"]));
    }
    if *files_left == 0 {
        return Err(filled(sentences.too_many, &[&limits::FORM_FILES_MAX.to_string()]));
    }
    *files_left -= 1;
    question.file.check(file, sentences)?;
    Ok(Value::text(&*file.name))
}

fn value_of(
    question: &Question,
    given: &[String],
    dates: DateSystem,
    texts: &FormTexts,
) -> Result<Value, String> {
    let texts_given = given.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let given: Vec<&str> = texts_given.collect();
    if question.kind == QuestionKind::Checkbox {
        let is_checked = given.iter().any(|text| !matches!(*text, "false" | "0" | "off"));
        return match (is_checked, question.is_required) {
            (false, true) => Err(texts.required.to_owned()),
            (true, _) => Ok(question.checked.clone()),
            (false, false) => Ok(question.unchecked.clone()),
        };
    }
    let Some(text) = given.first().copied() else {
        return if question.is_required { Err(texts.required.to_owned()) } else { Ok(Value::Blank) };
    };
    if text.chars().count() > limits::FORM_ANSWER_CHARACTERS_MAX {
        return Err(filled(texts.too_long, &[&limits::FORM_ANSWER_CHARACTERS_MAX.to_string()]));
    }
    let number =
        |value: Option<f64>, message: &str| value.map(Value::number).ok_or_else(|| message.to_owned());
    let own = |message: &'static str| question.message.clone().unwrap_or_else(|| message.to_owned());
    let value = match question.kind {
        QuestionKind::ShortText => Value::text(&*one_line(text)),
        QuestionKind::Paragraph => Value::text(&*text.replace("\r\n", "\n")),
        QuestionKind::Number => number(number_of(text), texts.number)?,
        QuestionKind::Date => number(date_of(text, dates), texts.date)?,
        QuestionKind::Time => number(time_of(text), texts.time)?,
        QuestionKind::DateTime => {
            let both = text.split_once(['T', ' ']);
            let both = both.and_then(|(day, time)| Some(date_of(day, dates)? + time_of(time)?));
            number(both, texts.date)?
        }
        QuestionKind::Checkbox => unreachable!("a checkbox is answered above"),
        QuestionKind::File => unreachable!("a file is no text"),
        QuestionKind::Email if !is_email(text) => return Err(own(texts.email)),
        QuestionKind::Url if !is_url(text) => return Err(own(texts.url)),
        QuestionKind::Email | QuestionKind::Url => Value::text(&*one_line(text)),
        QuestionKind::Choice | QuestionKind::Dropdown => {
            let choice = question.choices.iter().find(|choice| choice.text.trim() == text);
            return choice.map(|choice| choice.value.clone()).ok_or_else(|| own(texts.choice));
        }
        QuestionKind::MultipleChoice => {
            let is_choice = |text: &&str| question.choices.iter().any(|choice| choice.text.trim() == *text);
            if !given.iter().all(is_choice) {
                return Err(own(texts.choice));
            }
            // In the order of the form and once each, however they were sent.
            let chosen = question.choices.iter().map(|choice| choice.text.trim());
            let chosen: Vec<&str> = chosen.filter(|text| given.contains(text)).collect();
            return Ok(Value::text(&*chosen.join(", ")));
        }
        QuestionKind::Rating => {
            let stars = text.parse().ok().filter(|stars| (1..=5).contains(stars));
            return stars
                .map(|stars: u32| Value::number(stars.into()))
                .ok_or_else(|| texts.choice.to_owned());
        }
    };
    match &question.limits {
        Some(limits) if !is_within(limits, &value) => {
            let stated = question.message.clone();
            Err(stated.unwrap_or_else(|| limit_message(limits, question.kind, dates, texts)))
        }
        _ => Ok(value),
    }
}

/// A text of one line: line breaks and other control characters become spaces.
fn one_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

fn number_of(text: &str) -> Option<f64> {
    let is_plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    text.parse().ok().filter(|number: &f64| is_plain && number.is_finite())
}

/// The serial number of `2026-11-26`.
fn date_of(text: &str, dates: DateSystem) -> Option<f64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let civil = Civil { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
    let serial = serial_from_civil(civil).filter(|_| parts.next().is_none())?;
    Some((serial - dates.offset_from_1900()) as f64)
}

/// The part of a day of `13:45` or `13:45:30`.
fn time_of(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    let is_time = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    is_time.then(|| f64::from(hour * 3_600 + minute * 60 + second) / 86_400.0)
}

/// Whether a value is within the limits; a limit that is not given does not restrict.
fn is_within(limits: &Limits, value: &Value) -> bool {
    let number = match value {
        Value::Text(text) if limits.is_length => text.chars().count() as f64,
        Value::Number(number) if !limits.is_length => *number,
        // A rule about numbers does not fit an answer of another kind: the cell is marked.
        _ => return true,
    };
    if limits.is_whole && number.fract() != 0.0 {
        return false;
    }
    let first = |meets: fn(f64, f64) -> bool| limits.first.is_none_or(|limit| meets(number, limit));
    let between = || first(|a, b| a >= b) && limits.second.is_none_or(|limit| number <= limit);
    match limits.operator.as_str() {
        "equal" => first(|a, b| a == b),
        "notEqual" => first(|a, b| a != b),
        "greater" => first(|a, b| a > b),
        "greaterOrEqual" => first(|a, b| a >= b),
        "less" => first(|a, b| a < b),
        "lessOrEqual" => first(|a, b| a <= b),
        "notBetween" => !between(),
        _ => between(),
    }
}

/// The sentence for a value beyond its limits.
pub fn limit_message(limits: &Limits, kind: QuestionKind, dates: DateSystem, texts: &FormTexts) -> String {
    if limits.first.is_none() && limits.second.is_none() {
        return texts.whole.to_owned();
    }
    let shown =
        |limit: Option<f64>| limit.map_or(String::new(), |limit| shown_limit(limit, limits, kind, dates));
    let sentence = match (limits.operator.as_str(), limits.first, limits.second) {
        ("equal", ..) => texts.equal,
        ("notEqual", ..) => texts.not_equal,
        ("greater", ..) => texts.greater,
        ("greaterOrEqual", ..) => texts.greater_or_equal,
        ("less", ..) => texts.less,
        ("lessOrEqual", ..) => texts.less_or_equal,
        ("notBetween", ..) => texts.not_between,
        (_, Some(_), None) => texts.greater_or_equal,
        (_, None, Some(_)) => return filled(texts.less_or_equal, &[&shown(limits.second)]),
        _ => texts.between,
    };
    let sentence = filled(sentence, &[&shown(limits.first), &shown(limits.second)]);
    match limits.is_length {
        true => format!("{}: {sentence}", texts.characters),
        false => sentence,
    }
}

/// A limit as the field of its kind has it, which is also how it compares as a text.
pub fn shown_limit(limit: f64, limits: &Limits, kind: QuestionKind, dates: DateSystem) -> String {
    use quadrille_number_format::NumberFormat;
    let code = match kind {
        _ if limits.is_length => "General",
        QuestionKind::Date => "yyyy-mm-dd",
        QuestionKind::Time => "hh:mm",
        QuestionKind::DateTime => "yyyy-mm-dd\\Thh:mm",
        _ => "General",
    };
    NumberFormat::parse(code).with_date_system(dates).format(&Value::number(limit)).text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use quadrille_access::FileKind;

    use crate::forms::files::FileRules;

    fn question(kind: QuestionKind) -> Question {
        let choices = ["Red", "Green"]
            .map(|text| crate::forms::open_form::Choice { text: text.into(), value: Value::text(text) });
        Question {
            id: 1,
            column: 0,
            label: "Q".into(),
            help: String::new(),
            is_required: false,
            kind,
            choices: choices.into(),
            limits: None,
            checked: Value::Boolean(true),
            unchecked: Value::Boolean(false),
            message: None,
            needs_calculation: false,
            file: FileRules { kinds: FileKind::ALL.to_vec(), bytes_max: 4 },
        }
    }

    fn value(question: &Question, given: &[&str]) -> Result<Value, String> {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        value_of(question, &given, DateSystem::From1900, texts(MailLanguage::En))
    }

    #[test]
    fn answers_become_values_of_their_kind() {
        use QuestionKind::*;
        for (kind, given, expected) in [
            (ShortText, &["=1+1"][..], Value::text("=1+1")),
            (ShortText, &["a\nb"], Value::text("a b")),
            (Paragraph, &["a\r\nb"], Value::text("a\nb")),
            (ShortText, &["  "], Value::Blank),
            (Number, &["-1.5e3"], Value::number(-1500.0)),
            // =DATEVALUE("2026-11-26") and =TIMEVALUE("18:00") in LibreOffice.
            (Date, &["2026-11-26"], Value::number(46_352.0)),
            (Time, &["18:00"], Value::number(0.75)),
            (DateTime, &["2026-11-26T18:00"], Value::number(46_352.75)),
            (Checkbox, &[], Value::Boolean(false)),
            (Checkbox, &["on"], Value::Boolean(true)),
            (Choice, &["Green"], Value::text("Green")),
            (MultipleChoice, &["Green", "Red", "Red"], Value::text("Red, Green")),
            (Rating, &["5"], Value::number(5.0)),
            (Email, &["ada@example.org"], Value::text("ada@example.org")),
            (Url, &["http://localhost:8000"], Value::text("http://localhost:8000")),
        ] {
            assert_eq!(value(&question(kind), given), Ok(expected), "{kind:?} {given:?}");
        }
    }

    #[test]
    fn answers_that_do_not_fit_get_the_sentence_of_their_kind() {
        use QuestionKind::*;
        for (kind, given, expected) in [
            (Number, "1e999", "Enter a number."),
            (Number, "NaN", "Enter a number."),
            (Number, "1,5", "Enter a number."),
            (Date, "2026-02-30", "Enter a date."),
            (Date, "26.11.2026", "Enter a date."),
            (Time, "24:00", "Enter a time."),
            (Email, "ada@", "Enter an email address, such as name@example.org."),
            (Url, "javascript://x", "Enter a web address, such as https://example.org."),
            (Choice, "Blue", "Choose one of the options."),
            (MultipleChoice, "Blue", "Choose one of the options."),
            (Rating, "6", "Choose one of the options."),
        ] {
            assert_eq!(value(&question(kind), &[given]), Err(expected.into()), "{kind:?} {given:?}");
        }
        let required = Question { is_required: true, ..question(Checkbox) };
        assert_eq!(value(&required, &[]), Err("Answer this question.".into()));
    }

    #[test]
    fn a_question_takes_one_file_and_a_response_a_few() {
        let file = |name: &str, bytes| SentFile { name: name.into(), bytes: Bytes::from_static(bytes) };
        let question = question(QuestionKind::File);
        let mut files_left = 1;
        let mut value =
            |given: &[SentFile]| value_of_file(&question, given, &mut files_left, MailLanguage::En);
        assert_eq!(value(&[]), Ok(Value::Blank));
        let two = [file("a.txt", b"a"), file("b.txt", b"b")];
        assert_eq!(value(&two), Err("Send at most 1 files.".into()));
        assert_eq!(value(&two[..1]), Ok(Value::text("a.txt")));
        assert_eq!(value(&two[..1]), Err("Send at most 10 files.".into()));
        files_left = 1;
        let long = value_of_file(&question, &[file("a.txt", b"abcde")], &mut files_left, MailLanguage::En);
        assert_eq!(long, Err("Choose a file of at most 1 KB.".into()));
    }

    #[test]
    fn limits_are_those_of_data_validation() {
        let limited = |operator: &str, first, second, is_length| Question {
            limits: Some(Limits { is_length, is_whole: false, operator: operator.into(), first, second }),
            ..question(if is_length { QuestionKind::ShortText } else { QuestionKind::Number })
        };
        for (question, good, bad, message) in [
            (limited("between", Some(1.0), Some(5.0), false), "5", "6", "Must be between 1 and 5."),
            (limited("less", Some(0.5), None, false), "0.4", "0.5", "Must be less than 0.5."),
            (limited("notEqual", Some(3.0), None, false), "4", "3", "Must not be 3."),
            (
                limited("lessOrEqual", Some(3.0), None, true),
                "abc",
                "abcd",
                "Number of characters: Must be 3 or less.",
            ),
        ] {
            assert!(value(&question, &[good]).is_ok(), "{good}");
            assert_eq!(value(&question, &[bad]), Err(message.into()));
        }
        let limits = Limits {
            is_length: false,
            is_whole: false,
            operator: "greaterOrEqual".into(),
            first: Some(46_352.0),
            second: None,
        };
        let date = Question { limits: Some(limits), ..question(QuestionKind::Date) };
        assert_eq!(value(&date, &["2026-11-25"]), Err("Must be 2026-11-26 or greater.".into()));
    }
}
