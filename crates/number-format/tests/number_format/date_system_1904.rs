//! The 1904 date system. The serial numbers are those of Microsoft's page "Date systems in Excel":
//! 5 July 1998 is 35,981 and 34,519, 5 July 2011 is 40,729 and 39,267.

use quadrille_cell::{DateSystem, Value};
use quadrille_number_format::{InputContext, Locale, NumberFormat, parse_input_with};

fn formatted(number: f64, code: &str, dates: DateSystem) -> String {
    NumberFormat::parse(code).with_date_system(dates).format(&Value::Number(number)).text
}

#[test]
fn the_same_date_has_different_serial_numbers() {
    for (from_1900, from_1904, day) in [
        (35_981.0, 34_519.0, "1998-07-05"),
        (40_729.0, 39_267.0, "2011-07-05"),
        (1_462.0, 0.0, "1904-01-01"),
        (1_522.0, 60.0, "1904-03-01"),
    ] {
        for (number, dates) in [(from_1900, DateSystem::From1900), (from_1904, DateSystem::From1904)] {
            assert_eq!(formatted(number, "yyyy-mm-dd", dates), day);
            assert_eq!(parse_input_with(day, InputContext::invariant(dates)).value, Value::Number(number));
        }
        let weekday = |number, dates| formatted(number, "dddd", dates);
        assert_eq!(weekday(from_1900, DateSystem::From1900), weekday(from_1904, DateSystem::From1904));
    }
}

#[test]
fn negative_dates_and_times_are_shown_with_a_minus_sign() {
    for (number, code, text) in [
        (-0.5, "h:mm", "-12:00"),
        (-1.0, "d mmm yyyy", "-2 Jan 1904"),
        (-1.25, "[h]:mm", "-30:00"),
        (-1.0, "yyyy;\"before \"yyyy", "before 1904"),
    ] {
        assert_eq!(formatted(number, code, DateSystem::From1904), text);
        assert!(formatted(number, code, DateSystem::From1900).starts_with('#'), "{code}");
    }
}

#[test]
fn dates_range_from_1904_to_9999() {
    assert_eq!(formatted(2_957_003.0, "yyyy-mm-dd", DateSystem::From1904), "9999-12-31");
    assert!(formatted(2_957_004.0, "yyyy-mm-dd", DateSystem::From1904).starts_with('#'));
    let typed = |text| parse_input_with(text, InputContext::invariant(DateSystem::From1904)).value;
    assert_eq!(typed("1903-12-31"), Value::text("1903-12-31"));
    assert_eq!(typed("1904-01-01 12:00"), Value::Number(0.5));
    let german =
        InputContext { locale: Locale::from_tag("de"), ..InputContext::invariant(DateSystem::From1904) };
    assert_eq!(parse_input_with("5.7.2011", german).value, Value::Number(39_267.0));
    let format = NumberFormat::parse("m/d/yyyy").with_date_system(DateSystem::From1904);
    assert_eq!(format.format_in(&Value::Number(39_267.0), german.locale).text, "05.07.2011");
}
