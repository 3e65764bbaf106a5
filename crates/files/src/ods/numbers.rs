//! Conversion of number formats between Excel's codes and the data styles of OpenDocument (rule
//! F16).

/// Builds an Excel code from the elements of a data style.
#[derive(Default)]
pub struct CodeBuilder {
    code: String,
    is_date: bool,
    /// Maps to other styles: the condition, such as `value()>=0`, and the name of the style.
    pub maps: Vec<(String, String)>,
}

/// The attributes of one element of a data style.
pub struct StyleElement<'a> {
    pub name: &'a str,
    pub is_long: bool,
    pub is_textual: bool,
    pub decimals: Option<u32>,
    pub integers: Option<u32>,
    pub groups: bool,
    pub exponent: Option<u32>,
    pub denominator: Option<u32>,
    /// Decimals that are displayed even if they are zeros.
    pub min_decimals: Option<u32>,
    /// Divisor of the number: 1000 for thousands.
    pub factor: Option<f64>,
}

impl CodeBuilder {
    /// Begins a data style; `is_elapsed` marks elapsed hours, which are not limited to 24.
    pub fn begin(&mut self, name: &str, is_elapsed: bool) {
        self.is_date = matches!(name, "date-style" | "time-style");
        if is_elapsed {
            self.code.push('\u{1}');
        }
    }

    /// Adds an element of the data style.
    pub fn piece(&mut self, piece: &StyleElement<'_>) {
        let or = |short: &'static str, long: &'static str| if piece.is_long { long } else { short };
        let text = match piece.name {
            "number" | "scientific-number" | "fraction" => return self.number(piece),
            "day" => or("d", "dd"),
            "month" if piece.is_textual => or("mmm", "mmmm"),
            "month" => or("m", "mm"),
            "year" => or("yy", "yyyy"),
            "day-of-week" => or("ddd", "dddd"),
            "hours" => or("h", "hh"),
            "minutes" => or("m", "mm"),
            "seconds" => or("s", "ss"),
            "am-pm" => "AM/PM",
            "text-content" => "@",
            _ => return,
        };
        match (piece.name, self.code.strip_prefix('\u{1}')) {
            ("hours", Some(rest)) => self.code = format!("{rest}[{text}]"),
            _ => self.code.push_str(text),
        }
        if piece.name == "seconds"
            && let Some(decimals) = piece.decimals.filter(|decimals| *decimals > 0)
        {
            self.code.push('.');
            self.code.extend(std::iter::repeat_n('0', decimals.min(9) as usize));
        }
    }

    fn number(&mut self, piece: &StyleElement<'_>) {
        let integers = piece.integers.unwrap_or(1).min(15) as usize;
        if piece.name == "number"
            && piece.decimals.is_none()
            && piece.integers.is_none_or(|integers| integers <= 1)
            && !piece.groups
        {
            self.code.push_str("General");
            return;
        }
        let zeros = "0".repeat(integers);
        match (piece.groups, integers) {
            (true, 0) => self.code.push_str("#,###"),
            (true, 1..=3) => {
                let digits: String = "####".chars().take(4 - integers).collect::<String>() + &zeros;
                self.code.push_str(&format!("{},{}", &digits[..1], &digits[1..]));
            }
            (true, _) => self.code.push_str(&format!("#,{zeros}")),
            (false, 0) => self.code.push('#'),
            (false, _) => self.code.push_str(&zeros),
        }
        let decimals = piece.decimals.unwrap_or(0).min(30);
        if decimals > 0 {
            let fixed = piece.min_decimals.unwrap_or(decimals).min(decimals);
            self.code.push('.');
            self.code.extend(std::iter::repeat_n('0', fixed as usize));
            self.code.extend(std::iter::repeat_n('#', (decimals - fixed) as usize));
        }
        let mut factor = piece.factor.unwrap_or(1.0);
        while factor >= 1_000.0 {
            self.code.push(',');
            factor /= 1_000.0;
        }
        if piece.name == "scientific-number" {
            self.code.push_str("E+");
            self.code.push_str(&"0".repeat(piece.exponent.unwrap_or(2).clamp(1, 5) as usize));
        }
        if piece.name == "fraction" {
            let digits = "?".repeat(piece.denominator.unwrap_or(1).clamp(1, 5) as usize);
            self.code.push_str(&format!(" {digits}/{digits}"));
        }
    }

    /// Adds literal text.
    pub fn text(&mut self, text: &str) {
        let is_plain = match self.is_date {
            true => text.chars().all(|c| " -/.:,".contains(c)),
            false => text.chars().all(|c| " -()%$€£¥+:".contains(c)),
        };
        if is_plain {
            self.code.push_str(text);
        } else {
            self.code.push_str(&format!("\"{}\"", text.replace('"', "\"\"")));
        }
    }

    /// Adds the color of the section, if Excel has a name for it.
    pub fn color(&mut self, color: &str) {
        let name = match color {
            "#ff0000" => "[Red]",
            "#0000ff" => "[Blue]",
            "#00ff00" => "[Green]",
            "#ffff00" => "[Yellow]",
            "#ffffff" => "[White]",
            "#00ffff" => "[Cyan]",
            "#ff00ff" => "[Magenta]",
            _ => return,
        };
        self.code.insert_str(0, name);
    }

    /// Returns the code, or `None` for General. `section` returns the codes of the styles that this
    /// one maps to.
    pub fn finish(&self, section: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let own = self.code.replace('\u{1}', "");
        let mapped = |condition: &str| {
            self.maps
                .iter()
                .find(|(found, _)| found.replace(' ', "") == condition)
                .and_then(|(_, name)| section(name))
        };
        let code = match (mapped("value()>=0"), mapped("value()>0"), mapped("value()<0")) {
            (Some(positive), _, _) => format!("{positive};{own}"),
            (None, Some(positive), Some(negative)) => format!("{positive};{negative};{own}"),
            _ => own,
        };
        (!code.is_empty() && code != "General").then_some(code)
    }
}

/// The data style of an Excel code as XML with the given name. Returns `None` if OpenDocument
/// cannot express the code.
pub fn data_style(code: &str, name: &str) -> Option<String> {
    let sections = split_sections(code);
    match sections.as_slice() {
        [one] => section_xml(one, name, ""),
        [positive, negative] => {
            let first = section_xml(positive, &format!("{name}P0"), " style:volatile=\"true\"")?;
            let map = map_xml("value()&gt;=0", &format!("{name}P0"));
            Some(first + &with_maps(section_xml(negative, name, "")?, &map))
        }
        [positive, negative, zero, ..] => {
            let first = section_xml(positive, &format!("{name}P0"), " style:volatile=\"true\"")?;
            let second = section_xml(negative, &format!("{name}P1"), " style:volatile=\"true\"")?;
            let maps = map_xml("value()&gt;0", &format!("{name}P0"))
                + &map_xml("value()&lt;0", &format!("{name}P1"));
            Some(first + &second + &with_maps(section_xml(zero, name, "")?, &maps))
        }
        [] => None,
    }
}

/// Whether OpenDocument can express an Excel code.
pub(crate) fn has_data_style(code: &str) -> bool {
    data_style(code, "N").is_some()
}

fn map_xml(condition: &str, name: &str) -> String {
    format!("<style:map style:condition=\"{condition}\" style:apply-style-name=\"{name}\"/>")
}

/// Inserts maps at the end of a style.
fn with_maps(style: String, maps: &str) -> String {
    match style.rfind("</") {
        Some(at) => format!("{}{maps}{}", &style[..at], &style[at..]),
        None => style,
    }
}

fn split_sections(code: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let mut start = 0;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, c) in code.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                sections.push(&code[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    sections.push(&code[start..]);
    sections
}

fn section_xml(code: &str, name: &str, more: &str) -> Option<String> {
    let mut color = "";
    let mut rest = code;
    for (word, hex) in [
        ("[Red]", "#ff0000"),
        ("[Blue]", "#0000ff"),
        ("[Green]", "#00ff00"),
        ("[Yellow]", "#ffff00"),
        ("[White]", "#ffffff"),
        ("[Cyan]", "#00ffff"),
        ("[Magenta]", "#ff00ff"),
    ] {
        if rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
            color = hex;
            rest = &rest[word.len()..];
        }
    }
    let text_properties = match color {
        "" => String::new(),
        color => format!("<style:text-properties fo:color=\"{color}\"/>"),
    };
    let lower = bare(rest).to_ascii_lowercase();
    let (element, attributes, body) = if lower.contains('@') {
        ("text-style", "", text_body(rest))
    } else if lower.contains(['d', 'y', 'h', 's']) || lower.contains("m") {
        let is_time = !lower.contains(['d', 'y']);
        let is_elapsed = lower.contains("[h");
        let attributes = if is_elapsed { " number:truncate-on-overflow=\"false\"" } else { "" };
        (if is_time { "time-style" } else { "date-style" }, attributes, date_body(rest)?)
    } else {
        let element = if lower.contains('%') { "percentage-style" } else { "number-style" };
        (element, "", number_body(rest)?)
    };
    Some(format!(
        "<number:{element} style:name=\"{name}\"{attributes}{more}>{text_properties}{body}</number:{element}>"
    ))
}

/// The code without quoted and escaped text.
fn bare(code: &str) -> String {
    let mut found = String::new();
    for (text, is_literal) in runs(code) {
        if !is_literal {
            found.push_str(&text);
        }
    }
    found
}

/// Splits a code into literal texts and the parts between them.
fn runs(code: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut push = |c: char, is_literal: bool| match found.last_mut() {
        Some((text, kind)) if *kind == is_literal => text.push(c),
        _ => found.push((c.to_string(), is_literal)),
    };
    let mut characters = code.chars();
    let mut is_quoted = false;
    while let Some(c) = characters.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => push(c, true),
            '\\' => characters.next().into_iter().for_each(|next| push(next, true)),
            // OpenDocument has neither a space as wide as the next character nor a fill character.
            '_' => characters.next().into_iter().for_each(|_| push(' ', true)),
            '*' => drop(characters.next()),
            _ => push(c, false),
        }
    }
    found
}

fn text_xml(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<number:text>{}</number:text>", escaped(text)) }
}

fn text_body(code: &str) -> String {
    let pieces = runs(code).into_iter().map(|(text, is_literal)| match is_literal {
        true => text_xml(&text),
        false => text.split('@').map(text_xml).collect::<Vec<_>>().join("<number:text-content/>"),
    });
    pieces.collect()
}

fn number_body(code: &str) -> Option<String> {
    let mut before = String::new();
    let mut pattern = String::new();
    let mut after = String::new();
    for (text, is_literal) in runs(code) {
        for c in text.chars() {
            match c {
                '0' | '#' | '?' | '.' | ',' | 'E' | 'e' | '/' if !is_literal => {
                    if !after.trim().is_empty() && !matches!(c, '?' | '/' | '0' | '#') {
                        return None;
                    }
                    pattern.push(c);
                }
                '+' | '-' if !is_literal && pattern.ends_with(['E', 'e']) => pattern.push(c),
                ' ' if !is_literal && pattern.contains('#') && code.contains('/') => pattern.push(' '),
                '[' | ']' if !is_literal => return None,
                c if pattern.is_empty() => before.push(c),
                c => after.push(c),
            }
        }
    }
    if bare(code).trim().eq_ignore_ascii_case("general") {
        return Some("<number:number number:min-integer-digits=\"1\"/>".to_owned());
    }
    let element = if pattern.contains('/') {
        let denominator = pattern.rsplit('/').next().map_or(1, |digits| digits.trim().len().max(1));
        format!(
            "<number:fraction number:min-integer-digits=\"0\" number:min-numerator-digits=\"1\" number:min-denominator-digits=\"{denominator}\"/>"
        )
    } else {
        let (mantissa, exponent) = match pattern.split_once(['E', 'e']) {
            Some((mantissa, exponent)) => {
                (mantissa, Some(exponent.trim_start_matches(['+', '-']).len().max(1)))
            }
            None => (pattern.as_str(), None),
        };
        let scaled = mantissa.trim_end_matches(',');
        let thousands = mantissa.len() - scaled.len();
        let (whole, fraction) = scaled.split_once('.').unwrap_or((scaled, ""));
        let integers = whole.matches('0').count();
        let decimals = fraction.len();
        let fixed = fraction.matches('0').count();
        let mut attributes =
            format!(" number:decimal-places=\"{decimals}\" number:min-integer-digits=\"{integers}\"");
        if fixed < decimals {
            attributes += &format!(" number:min-decimal-places=\"{fixed}\"");
        }
        if whole.contains(',') {
            attributes += " number:grouping=\"true\"";
        }
        if thousands > 0 {
            attributes += &format!(" number:display-factor=\"{}\"", 1000_u64.pow(thousands.min(4) as u32));
        }
        match exponent {
            Some(digits) => {
                format!("<number:scientific-number{attributes} number:min-exponent-digits=\"{digits}\"/>")
            }
            None if pattern.is_empty() => String::new(),
            None => format!("<number:number{attributes}/>"),
        }
    };
    Some(text_xml(&before) + &element + &text_xml(&after))
}

fn date_body(code: &str) -> Option<String> {
    let mut body = String::new();
    let mut follows_time = false;
    for (text, is_literal) in runs(code) {
        if is_literal {
            body += &text_xml(&text);
            continue;
        }
        let lower = text.to_ascii_lowercase();
        let mut rest = lower.as_str();
        while let Some(c) = rest.chars().next() {
            if rest.starts_with("am/pm") {
                body += "<number:am-pm/>";
                rest = &rest[5..];
                continue;
            }
            let count = rest.chars().take_while(|next| *next == c).count();
            let long = |from: usize| if count >= from { " number:style=\"long\"" } else { "" };
            match c {
                'd' if count >= 3 => body += &format!("<number:day-of-week{}/>", long(4)),
                'd' => body += &format!("<number:day{}/>", long(2)),
                'y' => body += &format!("<number:year{}/>", long(3)),
                'h' => body += &format!("<number:hours{}/>", long(2)),
                's' => {
                    let after = &rest[count..];
                    let decimals = after
                        .strip_prefix('.')
                        .map_or(0, |zeros| zeros.chars().take_while(|c| *c == '0').count());
                    let decimal_places = if decimals > 0 {
                        format!(" number:decimal-places=\"{decimals}\"")
                    } else {
                        String::new()
                    };
                    body += &format!("<number:seconds{}{decimal_places}/>", long(2));
                    follows_time = true;
                    rest = &rest[count + if decimals > 0 { decimals + 1 } else { 0 }..];
                    continue;
                }
                // After hours or before seconds, `m` means minutes.
                'm' if follows_time || rest[count..].trim_start_matches([':', ' ', '.']).starts_with('s') => {
                    body += &format!("<number:minutes{}/>", long(2));
                }
                'm' if count >= 3 => body += &format!("<number:month number:textual=\"true\"{}/>", long(4)),
                'm' => body += &format!("<number:month{}/>", long(2)),
                '[' | ']' => {}
                other => body += &text_xml(&other.to_string().repeat(count)),
            }
            if matches!(c, 'd' | 'y' | 'h' | 'm') {
                follows_time = c == 'h';
            }
            rest = &rest[c.len_utf8() * count..];
        }
    }
    Some(body)
}

/// Escapes a text for XML and removes characters that XML does not allow.
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')).collect()
}
