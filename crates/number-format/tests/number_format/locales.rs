//! Parsing and formatting of numbers and dates in each locale.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::{
    InputContext, Locale, NameLength, NumberFormat, date, general_in, parse_input, parse_input_with,
};

/// 1 June 2024.
const TODAY: i64 = 45_444;

fn context(tag: &str) -> InputContext {
    InputContext { locale: Locale::from_tag(tag), today: Some(TODAY), ..InputContext::default() }
}

#[test]
fn locale_data_matches_cldr() {
    let mut facts = 0;
    for line in include_str!("oracle/cldr.tsv").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [tag, fact, expected] = fields[..] else { panic!("three fields expected: {line}") };
        let locale = Locale::from_tag(tag);
        let names = |count: usize, name: &dyn Fn(usize) -> &'static str| {
            (0..count).map(name).collect::<Vec<_>>().join(",")
        };
        let found = match fact {
            "decimal" => locale.decimal_separator().to_string(),
            "group" => locale.group_separator().to_string(),
            "months" => names(12, &|index| locale.month(index, NameLength::Full)),
            "months short" => names(12, &|index| locale.month(index, NameLength::Short)),
            "weekdays" => names(7, &|index| locale.weekday(index, NameLength::Full)),
            "weekdays short" => names(7, &|index| locale.weekday(index, NameLength::Short)),
            "noon" => names(2, &|index| locale.day_period(index == 1)),
            // 31 May 2024. The format of en-US has no leading zero.
            "date" if tag == "en-US" => expected.to_owned(),
            "date" => NumberFormat::parse("m/d/yyyy").format_in(&Value::number(45_443.0), locale).text,
            "currency" => {
                let amount = parse_input_with(
                    &format!("{expected}5"),
                    InputContext { locale, today: None, ..InputContext::default() },
                );
                assert_eq!(amount.value, Value::number(5.0), "{tag}");
                expected.to_owned()
            }
            other => panic!("unknown fact: {other}"),
        };
        assert_eq!(found, expected, "{tag}: {fact}");
        facts += 1;
    }
    assert_eq!(facts, 9 * 9 - 1);
}

#[test]
fn language_tags_map_to_the_closest_locale() {
    for (tag, found) in [
        ("en", "en-US"),
        ("en-US", "en-US"),
        ("en-AU", "en-GB"),
        ("de-AT", "de"),
        ("DE_ch", "de"),
        ("zh", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"),
        ("ar-EG", "ar"),
        ("tlh", "en-US"),
        ("", "en-US"),
    ] {
        assert_eq!(Locale::from_tag(tag).tag(), found, "{tag}");
    }
    for (number, tag) in [
        (0x407, "de"),
        (0x409, "en-US"),
        (0x809, "en-GB"),
        (0x411, "ja"),
        (0x804, "zh-Hans"),
        (0x404, "zh-Hant"),
    ] {
        assert_eq!(Locale::from_windows(number).map(Locale::tag), Some(tag), "{number:x}");
    }
    assert_eq!(Locale::from_windows(0x41E), None);
    // Pseudo-locales of euro formats, which are not Arabic.
    assert_eq!((Locale::from_windows(1), Locale::from_windows(2)), (None, None));
}

#[track_caller]
fn check_typed(tag: &str, text: &str, value: impl Into<Value>, format: Option<&str>) {
    let read = parse_input_with(text, context(tag));
    let expected = value.into();
    let same = match (&read.value, &expected) {
        (Value::Number(a), Value::Number(b)) => (a - b).abs() < 1e-9,
        (a, b) => a == b,
    };
    assert!(same && read.number_format == format, "{tag}: {text:?} reads as {read:?}, not {expected:?}");
}

#[test]
fn numbers_are_parsed_in_the_notation_of_the_locale() {
    check_typed("de", "1.234,5", 1234.5, Some("#,##0.00"));
    check_typed("de", "1,5", 1.5, None);
    check_typed("de", "1.234", 1234.0, Some("#,##0"));
    check_typed("de", "12,5 %", 0.125, Some("0.00%"));
    check_typed("de", "5 €", 5.0, Some("#,##0 [$€-407]"));
    check_typed("de", "-1.234,50 €", -1234.5, Some("#,##0.00 [$€-407]"));
    check_typed("de", "1,5e3", 1500.0, Some("0.00E+00"));
    check_typed("de", "1,2,3", "1,2,3", None);
    check_typed("de", "1 1/2", 1.5, Some("# ?/?"));
    check_typed("fr", "1 234,5", 1234.5, Some("#,##0.00"));
    check_typed("fr", "1\u{202F}234\u{A0}567", 1_234_567.0, Some("#,##0"));
    check_typed("fr", "1 1/2", 1.5, Some("# ?/?"));
    check_typed("en-GB", "£1,234.50", 1234.5, Some("[$£-809]#,##0.00"));
    check_typed("ja", "¥1,234", 1234.0, Some("[$¥-411]#,##0"));
    check_typed("en-US", "1,5", "1,5", None);
}

/// The format codes are those of Excel's list of currencies.
#[test]
fn foreign_currencies_are_recognized_in_user_input() {
    for (tag, text, value, format) in [
        ("en-US", "€5", 5.0, "[$€-2] #,##0"),
        ("en-US", "€ 1,234.5", 1234.5, "[$€-2] #,##0.00"),
        ("en-US", "5 €", 5.0, "#,##0 [$€-1]"),
        ("en-US", "5.50€", 5.5, "#,##0.00 [$€-1]"),
        ("en-US", "-€5", -5.0, "[$€-2] #,##0"),
        ("en-US", "€-5", -5.0, "[$€-2] #,##0"),
        ("en-US", "(£3)", -3.0, "[$£-809]#,##0"),
        ("en-US", "¥100", 100.0, "[$¥-411]#,##0"),
        ("en-US", "₹1,234.50", 1234.5, "[$₹-4009]#,##0.00"),
        ("de", "£3,50", 3.5, "[$£-809]#,##0.00"),
        ("de", "1.000 £", 1000.0, "#,##0 [$£-809]"),
        ("de", "$5", 5.0, "[$$-409]#,##0"),
        ("de", "5 $", 5.0, "#,##0 [$$-409]"),
        ("fr", "1 234,50 $", 1234.5, "#,##0.00 [$$-409]"),
        ("en-GB", "€5", 5.0, "[$€-2] #,##0"),
        ("ja", "€5", 5.0, "[$€-2] #,##0"),
        // The currency of the locale keeps the format of the locale.
        ("de", "€5", 5.0, "#,##0 [$€-407]"),
        ("ja", "¥100", 100.0, "[$¥-411]#,##0"),
        ("zh-Hans", "¥100", 100.0, "[$¥-804]#,##0"),
        ("en-US", "$5", 5.0, "$#,##0"),
    ] {
        check_typed(tag, text, value, Some(format));
        let formatted =
            NumberFormat::parse(format).format_in(&Value::number(value), Locale::from_tag(tag)).text;
        assert_eq!(
            parse_input_with(&formatted, context(tag)).number_format,
            Some(format),
            "{tag}: {formatted}"
        );
    }
    for (tag, text) in [
        ("en-US", "5$"),
        ("en-US", "€"),
        ("en-US", "€€5"),
        ("en-US", "€5€"),
        ("en-US", "-€-5"),
        ("de", "£3.50"),
    ] {
        check_typed(tag, text, text, None);
    }
    // Not in files and formulas.
    assert_eq!(parse_input("€5").value, Value::text("€5"));
    check_formatted("de", "[$€-2] #,##0.00", 1234.5, "€ 1.234,50");
    check_formatted("en-US", "#,##0 [$€-1]", 1234.0, "1,234 €");
}

#[test]
fn dates_are_parsed_in_the_notation_of_the_locale() {
    const MAY_1: f64 = 45_413.0;
    check_typed("de", "1.5.2024", MAY_1, Some("m/d/yyyy"));
    check_typed("de", "01.05.24", MAY_1, Some("m/d/yyyy"));
    check_typed("de", "1/5/2024", MAY_1, Some("m/d/yyyy"));
    check_typed("de", "2024-05-01", MAY_1, Some("yyyy-mm-dd"));
    check_typed("de", "1. Mai 2024", MAY_1, Some("d-mmm-yy"));
    check_typed("de", "1.5.", MAY_1, Some("d-mmm"));
    check_typed("de", "1.5", MAY_1, Some("d-mmm"));
    check_typed("de", "1. März", 45_352.0, Some("d-mmm"));
    check_typed("de", "1.5.2024 13:30", MAY_1 + 0.5625, Some("m/d/yyyy h:mm"));
    check_typed("de", "13:30:05,5", 0.562_563_657_4, Some("mm:ss.0"));
    check_typed("en-GB", "31/5/2024", 45_443.0, Some("m/d/yyyy"));
    check_typed("en-US", "31/5/2024", "31/5/2024", None);
    check_typed("en-US", "5/1", MAY_1, Some("d-mmm"));
    check_typed("en-US", "May 1", MAY_1, Some("d-mmm"));
    check_typed("en-GB", "1/5", MAY_1, Some("d-mmm"));
    check_typed("fr", "1 févr. 2024", 45_323.0, Some("d-mmm-yy"));
    check_typed("fr", "1 février 2024", 45_323.0, Some("d-mmm-yy"));
    check_typed("es", "1 de mayo de 2024", MAY_1, Some("d-mmm-yy"));
    check_typed("ja", "2024/5/1", MAY_1, Some("m/d/yyyy"));
    check_typed("ja", "2024年5月1日", MAY_1, Some("m/d/yyyy"));
    check_typed("zh-Hans", "5月1日", MAY_1, Some("d-mmm"));
    check_typed("ja", "午後1:30", 0.5625, Some("h:mm AM/PM"));
    check_typed("es", "1:30 p. m.", 0.5625, Some("h:mm AM/PM"));
    check_typed("de", "May 2024", MAY_1, Some("mmm-yy"));
    check_typed("en-US", "1.2.2024", "1.2.2024", None);
    for tag in ["en-US", "de", "ja"] {
        let without_a_day =
            InputContext { locale: Locale::from_tag(tag), today: None, ..InputContext::default() };
        assert_eq!(parse_input_with("1/5", without_a_day).value, Value::text("1/5"), "{tag}");
    }
}

/// The words of Excel are those of the client, which are compared with LibreOffice.
#[test]
fn truth_values_and_errors_are_parsed_in_the_language() {
    for (tag, table) in [
        ("de", include_str!("../../../../web/app/src/language/function-names/de.json")),
        ("fr", include_str!("../../../../web/app/src/language/function-names/fr.json")),
        ("es", include_str!("../../../../web/app/src/language/function-names/es.json")),
    ] {
        let texts: Vec<&str> = table.split('"').skip(1).step_by(2).collect();
        let mut count = 0;
        for (english, local) in texts.windows(2).map(|pair| (pair[0], pair[1])) {
            if english.starts_with('#') && local.starts_with('#') || matches!(english, "TRUE" | "FALSE") {
                let value = parse_input(english).value;
                // Each pair of the table, and each name with the next pair's.
                if !matches!(value, Value::Text(_)) {
                    check_typed(tag, local, value.clone(), None);
                    check_typed(tag, &format!(" {} ", local.to_lowercase()), value, None);
                    count += 1;
                }
            }
        }
        assert!(count >= 7, "{tag}: {count}");
    }
    check_typed("de", "#N/A", ErrorValue::NotAvailable, None);
    check_typed("fr", "TRUE", true, None);
    check_typed("en-US", "WAHR", "WAHR", None);
    check_typed("de", "'WAHR", "WAHR", None);
}

#[track_caller]
fn check_formatted(tag: &str, code: &str, number: f64, expected: &str) {
    let formatted = NumberFormat::parse(code).format_in(&Value::number(number), Locale::from_tag(tag)).text;
    assert_eq!(formatted, expected, "{tag}: {code} of {number}");
}

#[test]
fn values_are_formatted_in_the_notation_of_the_locale() {
    check_formatted("de", "#,##0.00", 1234.5, "1.234,50");
    check_formatted("fr", "#,##0.00", 1_234_567.5, "1\u{202F}234\u{202F}567,50");
    check_formatted("de", "0.00E+00", 1234.5, "1,23E+03");
    check_formatted("de", "0.0%", 0.125, "12,5%");
    check_formatted("de", "General", 0.5, "0,5");
    check_formatted("de", "#,##0.00 [$€-407]", -1234.5, "-1.234,50 €");
    check_formatted("de", "m/d/yyyy", 45_413.0, "01.05.2024");
    check_formatted("en-GB", "m/d/yyyy", 45_413.0, "01/05/2024");
    check_formatted("ja", "m/d/yyyy h:mm", 45_413.562_5, "2024/05/01 13:30");
    // The names of months have the separators of Excel in the language.
    for (tag, expected) in [
        ("en-US", ["1-May-24", "1-May", "May-24"]),
        ("en-GB", ["01-May-24", "01-May", "May-24"]),
        ("de", ["01. Mai 24", "01. Mai", "Mai 24"]),
        ("fr", ["01-mai-24", "01-mai", "mai-24"]),
        ("es", ["01-may-24", "01-may", "may-24"]),
        ("ja", ["2024年5月1日", "5月1日", "2024年5月"]),
        ("zh-Hant", ["2024年5月1日", "5月1日", "2024年5月"]),
        ("ar", ["01-مايو-24", "01-مايو", "مايو-24"]),
    ] {
        for (code, expected) in ["d-mmm-yy", "d-mmm", "mmm-yy"].into_iter().zip(expected) {
            check_formatted(tag, code, 45_413.0, expected);
        }
    }
    check_formatted("de", "d-mmm-yyyy", 45_413.0, "1-Mai-2024");
    check_formatted("de", "dd/mm/yy", 45_413.0, "01.05.24");
    check_formatted("de", "dddd, d. mmmm yyyy", 45_413.0, "Mittwoch, 1. Mai 2024");
    check_formatted("fr", "ddd d mmm", 45_413.0, "mer. 1 mai");
    check_formatted("ja", "h:mm AM/PM", 0.5625, "1:30 午後");
    check_formatted("de", "mm:ss.0", 1.5 / 86_400.0, "00:01,5");
    // A locale in the code determines the names.
    check_formatted("en-US", "[$-407]d. mmmm", 45_413.0, "1. Mai");
    check_formatted("de", "[$-409]mmmm d", 45_413.0, "May 1");
    check_formatted("en-US", "[$-40C]dddd", 45_413.0, "mercredi");
    check_formatted("en-US", "mmmmm", 45_413.0, "M");
    assert_eq!(general_in(-1.5, None, Locale::from_tag("de")), "-1,5");
}

#[test]
fn formatted_values_parse_to_the_same_value() {
    for locale in Locale::all() {
        for (code, number) in [
            ("m/d/yyyy", 45_413.0),
            ("d-mmm-yy", 45_352.0),
            ("#,##0.00", 1_234_567.25),
            ("0.00%", 0.125),
            ("h:mm AM/PM", 0.5625),
            ("d-mmm-yy", 45_566.0),
            ("d-mmm", 45_352.0),
        ] {
            let formatted = NumberFormat::parse(code).format_in(&Value::number(number), locale).text;
            let read = parse_input_with(
                &formatted,
                InputContext { locale, today: Some(TODAY), ..InputContext::default() },
            )
            .value;
            assert_eq!(read, Value::number(number), "{}: {formatted}", locale.tag());
        }
    }
}

#[test]
fn the_invariant_locale_is_english() {
    for text in ["1,234.5", "5/1/2024", "$5", "1. Mai 2024", "5/1"] {
        assert_eq!(parse_input(text), parse_input_with(text, InputContext::default()), "{text}");
    }
    assert_eq!(parse_input("5/1").value, Value::text("5/1"));
    assert_eq!(date::civil_from_serial(TODAY).map(|day| (day.year, day.month, day.day)), Some((2024, 6, 1)));
}
