//! Locales: separators, month and weekday names, date order and currency.
//!
//! Workbooks store numbers, format codes and formulas in the notation of English (United States); a
//! locale only determines how one user types and sees them. The data is that of Unicode CLDR 48
//! (Gregorian calendar, Latin digits); `tests/number_format/locales.rs` compares it with JavaScript's `Intl`.

use quadrille_cell::ErrorValue;

/// A supported locale. Cheap to copy; compared by language tag.
#[derive(Clone, Copy, Debug)]
pub struct Locale(&'static LocaleData);

#[derive(Debug)]
struct LocaleData {
    tag: &'static str,
    /// Primary language of the Windows language identifier, as in `[$-407]`: its low ten bits.
    language: u16,
    decimal: char,
    group: char,
    /// Separator between the columns of an array constant.
    column: char,
    /// Format code of a short date.
    short_date: &'static str,
    /// Format codes of a day, month and year, of a day and month, and of a month and year.
    medium_dates: [&'static str; 3],
    /// Comma-separated names, starting with January and with Sunday.
    months: &'static str,
    months_short: &'static str,
    weekdays: &'static str,
    weekdays_short: &'static str,
    /// Day periods of CLDR: AM and PM.
    day_periods: [&'static str; 2],
    currency: Currency,
    /// FALSE and TRUE as they are typed: ASCII letters.
    truth_values: [&'static str; 2],
    /// The error values that have other names in Excel.
    errors: &'static [(&'static str, ErrorValue)],
}

/// The currency symbol of a locale, and the format codes of amounts without and with decimals.
#[derive(Debug)]
pub(crate) struct Currency {
    pub sign: &'static str,
    pub formats: [&'static str; 2],
}

/// A currency that is also recognized in other locales. The format codes are those of Excel's list
/// of currencies: `[$symbol-locale]`, with the pseudo-locales 1 and 2 for euros.
pub(crate) struct ForeignCurrency {
    pub sign: &'static str,
    /// Format codes with the symbol before the amount, without and with decimals.
    pub prefix_formats: [&'static str; 2],
    /// Format codes with the symbol after the amount, without and with decimals.
    pub suffix_formats: [&'static str; 2],
}

#[rustfmt::skip]
pub(crate) static FOREIGN_CURRENCIES: [ForeignCurrency; 8] = [
    ForeignCurrency { sign: "€", prefix_formats: ["[$€-2] #,##0", "[$€-2] #,##0.00"], suffix_formats: ["#,##0 [$€-1]", "#,##0.00 [$€-1]"] },
    ForeignCurrency { sign: "£", prefix_formats: ["[$£-809]#,##0", "[$£-809]#,##0.00"], suffix_formats: ["#,##0 [$£-809]", "#,##0.00 [$£-809]"] },
    ForeignCurrency { sign: "¥", prefix_formats: ["[$¥-411]#,##0", "[$¥-411]#,##0.00"], suffix_formats: ["#,##0 [$¥-411]", "#,##0.00 [$¥-411]"] },
    ForeignCurrency { sign: "$", prefix_formats: ["[$$-409]#,##0", "[$$-409]#,##0.00"], suffix_formats: ["#,##0 [$$-409]", "#,##0.00 [$$-409]"] },
    ForeignCurrency { sign: "₹", prefix_formats: ["[$₹-4009]#,##0", "[$₹-4009]#,##0.00"], suffix_formats: ["#,##0 [$₹-4009]", "#,##0.00 [$₹-4009]"] },
    ForeignCurrency { sign: "₩", prefix_formats: ["[$₩-412]#,##0", "[$₩-412]#,##0.00"], suffix_formats: ["#,##0 [$₩-412]", "#,##0.00 [$₩-412]"] },
    ForeignCurrency { sign: "₽", prefix_formats: ["[$₽-419]#,##0", "[$₽-419]#,##0.00"], suffix_formats: ["#,##0 [$₽-419]", "#,##0.00 [$₽-419]"] },
    ForeignCurrency { sign: "₺", prefix_formats: ["[$₺-41F]#,##0", "[$₺-41F]#,##0.00"], suffix_formats: ["#,##0 [$₺-41F]", "#,##0.00 [$₺-41F]"] },
];

/// Order of day, month and year in a numeric date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateOrder {
    MonthDayYear,
    DayMonthYear,
    YearMonthDay,
}

/// Length of a month or weekday name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameLength {
    Full,
    Short,
}

const ENGLISH_MONTHS: &str =
    "January,February,March,April,May,June,July,August,September,October,November,December";
const ENGLISH_WEEKDAYS: &str = "Sunday,Monday,Tuesday,Wednesday,Thursday,Friday,Saturday";
const NUMBERED_MONTHS: &str = "1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月";
const CHINESE_WEEKDAYS: &str = "星期日,星期一,星期二,星期三,星期四,星期五,星期六";
const ENGLISH_TRUTH_VALUES: [&str; 2] = ["FALSE", "TRUE"];
const GERMAN_ERRORS: &[(&str, ErrorValue)] = &[
    ("#WERT!", ErrorValue::Value),
    ("#BEZUG!", ErrorValue::Reference),
    ("#ZAHL!", ErrorValue::Number),
    ("#NV", ErrorValue::NotAvailable),
    ("#ÜBERLAUF!", ErrorValue::Spill),
];
const FRENCH_ERRORS: &[(&str, ErrorValue)] = &[
    ("#NUL!", ErrorValue::Null),
    ("#VALEUR!", ErrorValue::Value),
    ("#NOM?", ErrorValue::Name),
    ("#NOMBRE!", ErrorValue::Number),
    ("#EPARS!", ErrorValue::Spill),
];
const SPANISH_ERRORS: &[(&str, ErrorValue)] = &[
    ("#¡NULO!", ErrorValue::Null),
    ("#¡DIV/0!", ErrorValue::DivideByZero),
    ("#¡VALOR!", ErrorValue::Value),
    ("#¡REF!", ErrorValue::Reference),
    ("#¿NOMBRE?", ErrorValue::Name),
    ("#¡NUM!", ErrorValue::Number),
    ("#N/D", ErrorValue::NotAvailable),
    ("#¡DESBORDAMIENTO!", ErrorValue::Spill),
];
/// The formats of months and days of Japanese and Chinese Excel (ECMA-376 part 1, 18.8.30), as in CLDR.
const EAST_ASIAN_DATES: [&str; 3] = ["yyyy\"年\"m\"月\"d\"日\"", "m\"月\"d\"日\"", "yyyy\"年\"m\"月\""];
const ARABIC_MONTHS: &str = "يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر";
const ARABIC_WEEKDAYS: &str = "الأحد,الاثنين,الثلاثاء,الأربعاء,الخميس,الجمعة,السبت";

#[rustfmt::skip]
static LOCALES: [LocaleData; 9] = [
    LocaleData {
        tag: "en-US", language: 0x09, decimal: '.', group: ',', column: ',', short_date: "m/d/yyyy",
        medium_dates: ["d-mmm-yy", "d-mmm", "mmm-yy"],
        months: ENGLISH_MONTHS, months_short: "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec",
        weekdays: ENGLISH_WEEKDAYS, weekdays_short: "Sun,Mon,Tue,Wed,Thu,Fri,Sat", day_periods: ["AM", "PM"],
        currency: Currency { sign: "$", formats: ["$#,##0", "$#,##0.00"] },
        truth_values: ENGLISH_TRUTH_VALUES, errors: &[],
    },
    LocaleData {
        tag: "en-GB", language: 0x09, decimal: '.', group: ',', column: ',', short_date: "dd/mm/yyyy",
        medium_dates: ["dd-mmm-yy", "dd-mmm", "mmm-yy"],
        months: ENGLISH_MONTHS, months_short: "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sept,Oct,Nov,Dec",
        weekdays: ENGLISH_WEEKDAYS, weekdays_short: "Sun,Mon,Tue,Wed,Thu,Fri,Sat", day_periods: ["am", "pm"],
        currency: Currency { sign: "£", formats: ["[$£-809]#,##0", "[$£-809]#,##0.00"] },
        truth_values: ENGLISH_TRUTH_VALUES, errors: &[],
    },
    LocaleData {
        tag: "de", language: 0x07, decimal: ',', group: '.', column: '.', short_date: "dd.mm.yyyy",
        medium_dates: ["dd. mmm yy", "dd. mmm", "mmm yy"],
        months: "Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember",
        months_short: "Jan,Feb,Mär,Apr,Mai,Jun,Jul,Aug,Sep,Okt,Nov,Dez",
        weekdays: "Sonntag,Montag,Dienstag,Mittwoch,Donnerstag,Freitag,Samstag", weekdays_short: "So,Mo,Di,Mi,Do,Fr,Sa",
        day_periods: ["AM", "PM"], currency: Currency { sign: "€", formats: ["#,##0 [$€-407]", "#,##0.00 [$€-407]"] },
        truth_values: ["FALSCH", "WAHR"], errors: GERMAN_ERRORS,
    },
    LocaleData {
        tag: "fr", language: 0x0C, decimal: ',', group: '\u{202F}', column: '.', short_date: "dd/mm/yyyy",
        medium_dates: ["dd-mmm-yy", "dd-mmm", "mmm-yy"],
        months: "janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre",
        months_short: "janv.,févr.,mars,avr.,mai,juin,juil.,août,sept.,oct.,nov.,déc.",
        weekdays: "dimanche,lundi,mardi,mercredi,jeudi,vendredi,samedi", weekdays_short: "dim.,lun.,mar.,mer.,jeu.,ven.,sam.",
        day_periods: ["AM", "PM"], currency: Currency { sign: "€", formats: ["#,##0 [$€-40C]", "#,##0.00 [$€-40C]"] },
        truth_values: ["FAUX", "VRAI"], errors: FRENCH_ERRORS,
    },
    LocaleData {
        tag: "es", language: 0x0A, decimal: ',', group: '.', column: '\\', short_date: "dd/mm/yyyy",
        medium_dates: ["dd-mmm-yy", "dd-mmm", "mmm-yy"],
        months: "enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre",
        months_short: "ene,feb,mar,abr,may,jun,jul,ago,sept,oct,nov,dic",
        weekdays: "domingo,lunes,martes,miércoles,jueves,viernes,sábado", weekdays_short: "dom,lun,mar,mié,jue,vie,sáb",
        day_periods: ["a.\u{202F}m.", "p.\u{202F}m."], currency: Currency { sign: "€", formats: ["#,##0 [$€-C0A]", "#,##0.00 [$€-C0A]"] },
        truth_values: ["FALSO", "VERDADERO"], errors: SPANISH_ERRORS,
    },
    LocaleData {
        tag: "ja", language: 0x11, decimal: '.', group: ',', column: ',', short_date: "yyyy/mm/dd",
        medium_dates: EAST_ASIAN_DATES,
        months: NUMBERED_MONTHS, months_short: NUMBERED_MONTHS,
        weekdays: "日曜日,月曜日,火曜日,水曜日,木曜日,金曜日,土曜日", weekdays_short: "日,月,火,水,木,金,土",
        day_periods: ["午前", "午後"], currency: Currency { sign: "¥", formats: ["[$¥-411]#,##0", "[$¥-411]#,##0.00"] },
        truth_values: ENGLISH_TRUTH_VALUES, errors: &[],
    },
    LocaleData {
        tag: "zh-Hans", language: 0x04, decimal: '.', group: ',', column: ',', short_date: "yyyy/mm/dd",
        medium_dates: EAST_ASIAN_DATES,
        months: NUMBERED_MONTHS, months_short: NUMBERED_MONTHS,
        weekdays: CHINESE_WEEKDAYS, weekdays_short: "周日,周一,周二,周三,周四,周五,周六",
        day_periods: ["上午", "下午"], currency: Currency { sign: "¥", formats: ["[$¥-804]#,##0", "[$¥-804]#,##0.00"] },
        truth_values: ENGLISH_TRUTH_VALUES, errors: &[],
    },
    LocaleData {
        tag: "zh-Hant", language: 0x04, decimal: '.', group: ',', column: ',', short_date: "yyyy/mm/dd",
        medium_dates: EAST_ASIAN_DATES,
        months: NUMBERED_MONTHS, months_short: NUMBERED_MONTHS,
        weekdays: CHINESE_WEEKDAYS, weekdays_short: "週日,週一,週二,週三,週四,週五,週六",
        day_periods: ["上午", "下午"], currency: Currency { sign: "$", formats: ["$#,##0", "$#,##0.00"] },
        truth_values: ENGLISH_TRUTH_VALUES, errors: &[],
    },
    LocaleData {
        tag: "ar", language: 0x01, decimal: '.', group: ',', column: ',', short_date: "dd/mm/yyyy",
        medium_dates: ["dd-mmm-yy", "dd-mmm", "mmm-yy"],
        months: ARABIC_MONTHS, months_short: ARABIC_MONTHS, weekdays: ARABIC_WEEKDAYS, weekdays_short: ARABIC_WEEKDAYS,
        day_periods: ["ص", "م"], currency: Currency { sign: "$", formats: ["$#,##0", "$#,##0.00"] },
        truth_values: ENGLISH_TRUTH_VALUES, errors: &[],
    },
];

impl Locale {
    /// English (United States): the locale of stored workbooks, files and formulas.
    pub const INVARIANT: Locale = Locale(&LOCALES[0]);

    /// Returns all supported locales.
    pub fn all() -> impl Iterator<Item = Locale> {
        LOCALES.iter().map(Locale)
    }

    /// Returns the supported locale that is closest to a language tag such as `de-AT`, `zh-TW` or
    /// `en_GB`, or [`INVARIANT`](Locale::INVARIANT) for unsupported languages.
    pub fn from_tag(tag: &str) -> Locale {
        let tag = tag.replace('_', "-").to_ascii_lowercase();
        let language = tag.split('-').next().unwrap_or_default();
        let has = |part: &str| tag.split('-').skip(1).any(|other| other == part);
        let supported_tag = match language {
            // English dates have the month first only in these regions.
            "en" if tag == "en" || has("us") || has("ph") || has("ca") => "en-US",
            "en" => "en-GB",
            "zh" if has("hant") || has("tw") || has("hk") || has("mo") => "zh-Hant",
            "zh" => "zh-Hans",
            other => other,
        };
        Locale::all().find(|locale| locale.tag() == supported_tag).unwrap_or(Locale::INVARIANT)
    }

    /// Returns the locale of a Windows language identifier (LCID) as in format codes: `0x407` is
    /// German. `None` for unsupported languages.
    pub fn from_windows(number: u32) -> Option<Locale> {
        let language = (number & 0x3FF) as u16;
        match number & 0xFFFF {
            // Pseudo-locales of euro formats, not languages.
            0x0001 | 0x0002 => None,
            0x0409 => Some(Locale::INVARIANT),
            0x0404 | 0x0C04 | 0x1404 => Some(Locale::from_tag("zh-Hant")),
            _ => Locale::all()
                .filter(|locale| locale.0.language == language)
                .find(|locale| locale.tag() != "en-US"),
        }
    }

    /// Returns the BCP 47 language tag.
    pub fn tag(self) -> &'static str {
        self.0.tag
    }

    /// Returns the separator between integer and decimals.
    pub fn decimal_separator(self) -> char {
        self.0.decimal
    }

    /// Returns the thousands separator.
    pub fn group_separator(self) -> char {
        self.0.group
    }

    /// Returns the separator between function arguments.
    pub fn list_separator(self) -> char {
        if self.0.decimal == ',' { ';' } else { ',' }
    }

    /// Returns the separator between columns of an array constant. Rows are always separated by
    /// semicolons.
    pub fn column_separator(self) -> char {
        self.0.column
    }

    /// Returns the format code of a short numeric date.
    pub fn short_date(self) -> &'static str {
        self.0.short_date
    }

    /// Returns the format codes of dates with the name of the month: day, month and year; day and month; month
    /// and year. Except in Japanese and Chinese they are those of Excel, as LibreOffice imports them.
    pub fn medium_dates(self) -> [&'static str; 3] {
        self.0.medium_dates
    }

    /// Returns the order of day, month and year in a short date.
    pub fn date_order(self) -> DateOrder {
        match self.0.short_date.as_bytes()[0] {
            b'm' => DateOrder::MonthDayYear,
            b'd' => DateOrder::DayMonthYear,
            _ => DateOrder::YearMonthDay,
        }
    }

    /// Returns the separator between the numbers of a short date.
    pub fn date_separator(self) -> char {
        if self.0.short_date.contains('.') { '.' } else { '/' }
    }

    /// Returns the name of a month; 0 is January.
    pub fn month(self, index: usize, length: NameLength) -> &'static str {
        nth(if length == NameLength::Full { self.0.months } else { self.0.months_short }, index)
    }

    /// Returns the name of a weekday; 0 is Sunday.
    pub fn weekday(self, index: usize, length: NameLength) -> &'static str {
        nth(if length == NameLength::Full { self.0.weekdays } else { self.0.weekdays_short }, index)
    }

    /// Returns the day period of CLDR that follows or precedes a 12-hour time: AM or PM.
    pub fn day_period(self, is_afternoon: bool) -> &'static str {
        self.0.day_periods[usize::from(is_afternoon)]
    }

    /// Returns FALSE and TRUE as they are typed.
    pub(crate) fn truth_values(self) -> [&'static str; 2] {
        self.0.truth_values
    }

    /// Returns the error values that are typed otherwise than in English.
    pub(crate) fn errors(self) -> &'static [(&'static str, ErrorValue)] {
        self.0.errors
    }

    /// The format code of amounts in the currency of the locale, with decimals.
    pub fn currency_format(self) -> &'static str {
        self.currency().formats[1]
    }

    pub(crate) fn currency(self) -> &'static Currency {
        &self.0.currency
    }
}

impl PartialEq for Locale {
    fn eq(&self, other: &Locale) -> bool {
        self.0.tag == other.0.tag
    }
}

impl Eq for Locale {}

impl Default for Locale {
    fn default() -> Locale {
        Locale::INVARIANT
    }
}

fn nth(names: &'static str, index: usize) -> &'static str {
    names.split(',').nth(index).unwrap_or_default()
}
