//! How people write numbers and dates where they live.
//!
//! What a workbook stores is the same for everyone: numbers, format codes and formulas in the notation of English (United
//! States). A locale only says how one person types them and sees them. The facts are those of Unicode's CLDR 48 (the
//! Gregorian calendar, Latin digits); `tests/locales.rs` compares them with what a browser's engine says.

/// A small handle; two are equal when they are the same place.
#[derive(Clone, Copy, Debug)]
pub struct Locale(&'static Facts);

#[derive(Debug)]
struct Facts {
    tag: &'static str,
    /// Windows' number for the language, as in `[$-407]`; the low ten bits.
    language: u16,
    decimal: char,
    group: char,
    /// Between the columns of an array in a formula.
    column: char,
    /// As a format code.
    short_date: &'static str,
    /// Names of months and weekdays from January and Sunday on, between commas.
    months: &'static str,
    months_short: &'static str,
    weekdays: &'static str,
    weekdays_short: &'static str,
    /// Before and after noon.
    noon: [&'static str; 2],
    currency: Currency,
}

/// What an amount of money is typed with, and the formats it takes: of whole amounts and of parts.
#[derive(Debug)]
pub(crate) struct Currency {
    pub sign: &'static str,
    pub formats: [&'static str; 2],
}

/// Money of other places, as a person types it who is not there. The codes are those that Excel writes for the same amounts:
/// with the country whose money it is, and for euros, which have none, with 1 and 2.
pub(crate) struct ForeignCurrency {
    pub sign: &'static str,
    /// With the sign before the amount.
    pub before: [&'static str; 2],
    pub behind: [&'static str; 2],
}

#[rustfmt::skip]
pub(crate) static MONEY_ELSEWHERE: [ForeignCurrency; 8] = [
    ForeignCurrency { sign: "€", before: ["[$€-2] #,##0", "[$€-2] #,##0.00"], behind: ["#,##0 [$€-1]", "#,##0.00 [$€-1]"] },
    ForeignCurrency { sign: "£", before: ["[$£-809]#,##0", "[$£-809]#,##0.00"], behind: ["#,##0 [$£-809]", "#,##0.00 [$£-809]"] },
    ForeignCurrency { sign: "¥", before: ["[$¥-411]#,##0", "[$¥-411]#,##0.00"], behind: ["#,##0 [$¥-411]", "#,##0.00 [$¥-411]"] },
    ForeignCurrency { sign: "$", before: ["[$$-409]#,##0", "[$$-409]#,##0.00"], behind: ["#,##0 [$$-409]", "#,##0.00 [$$-409]"] },
    ForeignCurrency { sign: "₹", before: ["[$₹-4009]#,##0", "[$₹-4009]#,##0.00"], behind: ["#,##0 [$₹-4009]", "#,##0.00 [$₹-4009]"] },
    ForeignCurrency { sign: "₩", before: ["[$₩-412]#,##0", "[$₩-412]#,##0.00"], behind: ["#,##0 [$₩-412]", "#,##0.00 [$₩-412]"] },
    ForeignCurrency { sign: "₽", before: ["[$₽-419]#,##0", "[$₽-419]#,##0.00"], behind: ["#,##0 [$₽-419]", "#,##0.00 [$₽-419]"] },
    ForeignCurrency { sign: "₺", before: ["[$₺-41F]#,##0", "[$₺-41F]#,##0.00"], behind: ["#,##0 [$₺-41F]", "#,##0.00 [$₺-41F]"] },
];

/// What comes first in a date of three numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateOrder {
    MonthDayYear,
    DayMonthYear,
    YearMonthDay,
}

/// How long a name is.
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
const ARABIC_MONTHS: &str = "يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر";
const ARABIC_WEEKDAYS: &str = "الأحد,الاثنين,الثلاثاء,الأربعاء,الخميس,الجمعة,السبت";

#[rustfmt::skip]
static FACTS: [Facts; 9] = [
    Facts {
        tag: "en-US", language: 0x09, decimal: '.', group: ',', column: ',', short_date: "m/d/yyyy",
        months: ENGLISH_MONTHS, months_short: "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec",
        weekdays: ENGLISH_WEEKDAYS, weekdays_short: "Sun,Mon,Tue,Wed,Thu,Fri,Sat", noon: ["AM", "PM"],
        currency: Currency { sign: "$", formats: ["$#,##0", "$#,##0.00"] },
    },
    Facts {
        tag: "en-GB", language: 0x09, decimal: '.', group: ',', column: ',', short_date: "dd/mm/yyyy",
        months: ENGLISH_MONTHS, months_short: "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sept,Oct,Nov,Dec",
        weekdays: ENGLISH_WEEKDAYS, weekdays_short: "Sun,Mon,Tue,Wed,Thu,Fri,Sat", noon: ["am", "pm"],
        currency: Currency { sign: "£", formats: ["[$£-809]#,##0", "[$£-809]#,##0.00"] },
    },
    Facts {
        tag: "de", language: 0x07, decimal: ',', group: '.', column: '.', short_date: "dd.mm.yyyy",
        months: "Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember",
        months_short: "Jan,Feb,Mär,Apr,Mai,Jun,Jul,Aug,Sep,Okt,Nov,Dez",
        weekdays: "Sonntag,Montag,Dienstag,Mittwoch,Donnerstag,Freitag,Samstag", weekdays_short: "So,Mo,Di,Mi,Do,Fr,Sa",
        noon: ["AM", "PM"], currency: Currency { sign: "€", formats: ["#,##0 [$€-407]", "#,##0.00 [$€-407]"] },
    },
    Facts {
        tag: "fr", language: 0x0C, decimal: ',', group: '\u{202F}', column: '.', short_date: "dd/mm/yyyy",
        months: "janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre",
        months_short: "janv.,févr.,mars,avr.,mai,juin,juil.,août,sept.,oct.,nov.,déc.",
        weekdays: "dimanche,lundi,mardi,mercredi,jeudi,vendredi,samedi", weekdays_short: "dim.,lun.,mar.,mer.,jeu.,ven.,sam.",
        noon: ["AM", "PM"], currency: Currency { sign: "€", formats: ["#,##0 [$€-40C]", "#,##0.00 [$€-40C]"] },
    },
    Facts {
        tag: "es", language: 0x0A, decimal: ',', group: '.', column: '\\', short_date: "dd/mm/yyyy",
        months: "enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre",
        months_short: "ene,feb,mar,abr,may,jun,jul,ago,sept,oct,nov,dic",
        weekdays: "domingo,lunes,martes,miércoles,jueves,viernes,sábado", weekdays_short: "dom,lun,mar,mié,jue,vie,sáb",
        noon: ["a.\u{202F}m.", "p.\u{202F}m."], currency: Currency { sign: "€", formats: ["#,##0 [$€-C0A]", "#,##0.00 [$€-C0A]"] },
    },
    Facts {
        tag: "ja", language: 0x11, decimal: '.', group: ',', column: ',', short_date: "yyyy/mm/dd",
        months: NUMBERED_MONTHS, months_short: NUMBERED_MONTHS,
        weekdays: "日曜日,月曜日,火曜日,水曜日,木曜日,金曜日,土曜日", weekdays_short: "日,月,火,水,木,金,土",
        noon: ["午前", "午後"], currency: Currency { sign: "¥", formats: ["[$¥-411]#,##0", "[$¥-411]#,##0.00"] },
    },
    Facts {
        tag: "zh-Hans", language: 0x04, decimal: '.', group: ',', column: ',', short_date: "yyyy/mm/dd",
        months: NUMBERED_MONTHS, months_short: NUMBERED_MONTHS,
        weekdays: CHINESE_WEEKDAYS, weekdays_short: "周日,周一,周二,周三,周四,周五,周六",
        noon: ["上午", "下午"], currency: Currency { sign: "¥", formats: ["[$¥-804]#,##0", "[$¥-804]#,##0.00"] },
    },
    Facts {
        tag: "zh-Hant", language: 0x04, decimal: '.', group: ',', column: ',', short_date: "yyyy/mm/dd",
        months: NUMBERED_MONTHS, months_short: NUMBERED_MONTHS,
        weekdays: CHINESE_WEEKDAYS, weekdays_short: "週日,週一,週二,週三,週四,週五,週六",
        noon: ["上午", "下午"], currency: Currency { sign: "$", formats: ["$#,##0", "$#,##0.00"] },
    },
    Facts {
        tag: "ar", language: 0x01, decimal: '.', group: ',', column: ',', short_date: "dd/mm/yyyy",
        months: ARABIC_MONTHS, months_short: ARABIC_MONTHS, weekdays: ARABIC_WEEKDAYS, weekdays_short: ARABIC_WEEKDAYS,
        noon: ["ص", "م"], currency: Currency { sign: "$", formats: ["$#,##0", "$#,##0.00"] },
    },
];

impl Locale {
    /// English (United States): how everything is stored.
    pub const STORED: Locale = Locale(&FACTS[0]);

    pub fn all() -> impl Iterator<Item = Locale> {
        FACTS.iter().map(Locale)
    }

    /// The nearest one to a language tag such as `de-AT`, `zh-TW` or `en_GB`; the stored one for languages not known.
    pub fn from_tag(tag: &str) -> Locale {
        let tag = tag.replace('_', "-").to_ascii_lowercase();
        let language = tag.split('-').next().unwrap_or_default();
        let has = |part: &str| tag.split('-').skip(1).any(|other| other == part);
        let wanted = match language {
            // Months before days only in the United States and a few other places.
            "en" if tag == "en" || has("us") || has("ph") || has("ca") => "en-US",
            "en" => "en-GB",
            "zh" if has("hant") || has("tw") || has("hk") || has("mo") => "zh-Hant",
            "zh" => "zh-Hans",
            other => other,
        };
        Locale::all().find(|locale| locale.tag() == wanted).unwrap_or(Locale::STORED)
    }

    /// By Windows' number of a language and a country, as in format codes: `[$-407]` is German.
    pub fn from_windows(number: u32) -> Option<Locale> {
        let language = (number & 0x3FF) as u16;
        match number & 0xFFFF {
            // Euros, before and behind the amount.
            0x0001 | 0x0002 => None,
            0x0409 => Some(Locale::STORED),
            0x0404 | 0x0C04 | 0x1404 => Some(Locale::from_tag("zh-Hant")),
            _ => Locale::all()
                .filter(|locale| locale.0.language == language)
                .find(|locale| locale.tag() != "en-US"),
        }
    }

    pub fn tag(self) -> &'static str {
        self.0.tag
    }

    /// Between whole digits and parts.
    pub fn decimal_separator(self) -> char {
        self.0.decimal
    }

    /// Between groups of three whole digits.
    pub fn group_separator(self) -> char {
        self.0.group
    }

    /// Between the arguments of a function.
    pub fn list_separator(self) -> char {
        if self.0.decimal == ',' { ';' } else { ',' }
    }

    /// Between the columns of an array in a formula; its rows are always parted by semicolons.
    pub fn column_separator(self) -> char {
        self.0.column
    }

    /// The format code of a date in numbers.
    pub fn short_date(self) -> &'static str {
        self.0.short_date
    }

    pub fn date_order(self) -> DateOrder {
        match self.0.short_date.as_bytes()[0] {
            b'm' => DateOrder::MonthDayYear,
            b'd' => DateOrder::DayMonthYear,
            _ => DateOrder::YearMonthDay,
        }
    }

    pub fn date_separator(self) -> char {
        if self.0.short_date.contains('.') { '.' } else { '/' }
    }

    /// The name of a month, January being 0.
    pub fn month(self, index: usize, length: NameLength) -> &'static str {
        nth(if length == NameLength::Full { self.0.months } else { self.0.months_short }, index)
    }

    /// The name of a weekday, Sunday being 0.
    pub fn weekday(self, index: usize, length: NameLength) -> &'static str {
        nth(if length == NameLength::Full { self.0.weekdays } else { self.0.weekdays_short }, index)
    }

    /// What stands beside an hour before noon, and after.
    pub fn noon(self, is_afternoon: bool) -> &'static str {
        self.0.noon[usize::from(is_afternoon)]
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
        Locale::STORED
    }
}

fn nth(names: &'static str, index: usize) -> &'static str {
    names.split(',').nth(index).unwrap_or_default()
}
