//! Writes conditional formats and data validation.

use quadrille_workbook::{Field, FieldValue, Item};
use rust_xlsxwriter as xlsx;

use super::write_target::{Target, corners, range_list, rgb};
use crate::rule_stops::{Stop, stops};

type WriteResult = Result<(), xlsx::XlsxError>;

fn text(item: &Item, field: Field) -> &str {
    item.text(field).map(|text| &**text).unwrap_or_default()
}

/// The differential format of a rule.
fn style_of(item: &Item) -> xlsx::Format {
    let mut style = xlsx::Format::new();
    let Some(FieldValue::Record(fields)) = item.fields.get(&Field::Format) else { return style };
    for (field, value) in fields {
        style = match (field, value) {
            (Field::Bold, FieldValue::Boolean(true)) => style.set_bold(),
            (Field::Italic, FieldValue::Boolean(true)) => style.set_italic(),
            (Field::Underline, FieldValue::Boolean(true)) => {
                style.set_underline(xlsx::FormatUnderline::Single)
            }
            (Field::Strikethrough, FieldValue::Boolean(true)) => style.set_font_strikethrough(),
            (Field::TextColor, FieldValue::Color(color)) => style.set_font_color(rgb(*color)),
            // Differential formats contain a plain fill as the background color.
            (Field::FillColor, FieldValue::Color(color)) => style.set_background_color(rgb(*color)),
            (Field::NumberFormat, FieldValue::Text(code)) => style.set_num_format(&**code),
            _ => style,
        };
    }
    style
}

/// Writes a conditional format. Fails if `rust_xlsxwriter` rejects it; unsupported kinds are left
/// out.
pub fn write(target: &Target, sheet: &mut xlsx::Worksheet, item: &Item) -> WriteResult {
    let Some(range) = item.anchors.first() else { return Ok(()) };
    let (top, left, bottom, right) = corners(*range);
    let is_stop = item.boolean(Field::Stop).unwrap_or(false);
    macro_rules! put {
        ($rule:expr) => {{
            let mut rule = $rule.set_stop_if_true(is_stop);
            if item.anchors.len() > 1 {
                rule = rule.set_multi_range(range_list(&item.anchors));
            }
            sheet.add_conditional_format(top, left, bottom, right, &rule).map(drop)
        }};
    }
    let operand = |field: Field| xlsx::Formula::new(target.formula(item, field).unwrap_or_default());
    match text(item, Field::Rule) {
        "cell" => {
            use xlsx::ConditionalFormatCellRule as Rule;
            let value = || xlsx::ConditionalFormatValue::from(operand(Field::Formula1));
            let second = || xlsx::ConditionalFormatValue::from(operand(Field::Formula2));
            let rule = match text(item, Field::Operator) {
                "equal" => Rule::EqualTo(value()),
                "notEqual" => Rule::NotEqualTo(value()),
                "greater" => Rule::GreaterThan(value()),
                "greaterOrEqual" => Rule::GreaterThanOrEqualTo(value()),
                "less" => Rule::LessThan(value()),
                "lessOrEqual" => Rule::LessThanOrEqualTo(value()),
                "between" => Rule::Between(value(), second()),
                "notBetween" => Rule::NotBetween(value(), second()),
                _ => return Ok(()),
            };
            put!(xlsx::ConditionalFormatCell::new().set_rule(rule).set_format(style_of(item)))
        }
        "formula" => {
            let rule = operand(Field::Formula1);
            put!(xlsx::ConditionalFormatFormula::new().set_rule(rule).set_format(style_of(item)))
        }
        "text" => {
            use xlsx::ConditionalFormatTextRule as Rule;
            let value = text(item, Field::Text).to_owned();
            let rule = match text(item, Field::Operator) {
                "notContains" => Rule::DoesNotContain(value),
                "beginsWith" => Rule::BeginsWith(value),
                "endsWith" => Rule::EndsWith(value),
                _ => Rule::Contains(value),
            };
            put!(xlsx::ConditionalFormatText::new().set_rule(rule).set_format(style_of(item)))
        }
        "blank" => put!(xlsx::ConditionalFormatBlank::new().set_format(style_of(item))),
        "notBlank" => put!(xlsx::ConditionalFormatBlank::new().invert().set_format(style_of(item))),
        "error" => put!(xlsx::ConditionalFormatError::new().set_format(style_of(item))),
        "notError" => put!(xlsx::ConditionalFormatError::new().invert().set_format(style_of(item))),
        "duplicate" => put!(xlsx::ConditionalFormatDuplicate::new().set_format(style_of(item))),
        "unique" => put!(xlsx::ConditionalFormatDuplicate::new().invert().set_format(style_of(item))),
        rule @ ("top" | "bottom") => {
            use xlsx::ConditionalFormatTopRule as Rule;
            let rank = item.number(Field::Rank).unwrap_or(10.0) as u16;
            let rule = match (rule, item.boolean(Field::Percent).unwrap_or(false)) {
                ("top", false) => Rule::Top(rank),
                ("top", true) => Rule::TopPercent(rank),
                (_, false) => Rule::Bottom(rank),
                (_, true) => Rule::BottomPercent(rank),
            };
            put!(xlsx::ConditionalFormatTop::new().set_rule(rule).set_format(style_of(item)))
        }
        rule @ ("aboveAverage" | "belowAverage") => {
            use xlsx::ConditionalFormatAverageRule as Rule;
            let is_above = rule == "aboveAverage";
            let rule = match (is_above, item.number(Field::Deviations).unwrap_or(0.0) as u8) {
                (true, 1) => Rule::OneStandardDeviationAbove,
                (true, 2) => Rule::TwoStandardDeviationsAbove,
                (true, 3) => Rule::ThreeStandardDeviationsAbove,
                (false, 1) => Rule::OneStandardDeviationBelow,
                (false, 2) => Rule::TwoStandardDeviationsBelow,
                (false, 3) => Rule::ThreeStandardDeviationsBelow,
                (true, _) if item.boolean(Field::OrEqual) == Some(true) => Rule::EqualOrAboveAverage,
                (false, _) if item.boolean(Field::OrEqual) == Some(true) => Rule::EqualOrBelowAverage,
                (true, _) => Rule::AboveAverage,
                (false, _) => Rule::BelowAverage,
            };
            put!(xlsx::ConditionalFormatAverage::new().set_rule(rule).set_format(style_of(item)))
        }
        "date" => {
            use xlsx::ConditionalFormatDateRule as Rule;
            let rule = match text(item, Field::Period) {
                "yesterday" => Rule::Yesterday,
                "tomorrow" => Rule::Tomorrow,
                "last7Days" => Rule::Last7Days,
                "lastWeek" => Rule::LastWeek,
                "thisWeek" => Rule::ThisWeek,
                "nextWeek" => Rule::NextWeek,
                "lastMonth" => Rule::LastMonth,
                "thisMonth" => Rule::ThisMonth,
                "nextMonth" => Rule::NextMonth,
                _ => Rule::Today,
            };
            put!(xlsx::ConditionalFormatDate::new().set_rule(rule).set_format(style_of(item)))
        }
        "colorScale" => {
            let stops = stops(item);
            match stops.as_slice() {
                [first, last] => {
                    let (low, low_value) = stop(target, item, first);
                    let (high, high_value) = stop(target, item, last);
                    let mut scale = xlsx::ConditionalFormat2ColorScale::new()
                        .set_minimum(low, low_value)
                        .set_maximum(high, high_value);
                    if let (Some(low), Some(high)) = (color(first), color(last)) {
                        scale = scale.set_minimum_color(low).set_maximum_color(high);
                    }
                    put!(scale)
                }
                [first, middle, last] => {
                    let (low, low_value) = stop(target, item, first);
                    let (half, half_value) = stop(target, item, middle);
                    let (high, high_value) = stop(target, item, last);
                    let mut scale = xlsx::ConditionalFormat3ColorScale::new()
                        .set_minimum(low, low_value)
                        .set_midpoint(half, half_value)
                        .set_maximum(high, high_value);
                    if let (Some(low), Some(half), Some(high)) = (color(first), color(middle), color(last)) {
                        scale = scale.set_minimum_color(low).set_midpoint_color(half).set_maximum_color(high);
                    }
                    put!(scale)
                }
                _ => Ok(()),
            }
        }
        "dataBar" => {
            let mut bar = xlsx::ConditionalFormatDataBar::new();
            if let [first, last] = stops(item).as_slice() {
                let (low, low_value) = stop(target, item, first);
                let (high, high_value) = stop(target, item, last);
                bar = bar.set_minimum(low, low_value).set_maximum(high, high_value);
            }
            if let Some(color) = item.color(Field::Color) {
                bar = bar.set_fill_color(rgb(color));
            }
            if let Some(color) = item.color(Field::NegativeColor) {
                bar = bar.set_negative_fill_color(rgb(color));
            }
            bar = bar.set_bar_only(item.boolean(Field::ShowValue) == Some(false));
            put!(bar)
        }
        "iconSet" => {
            let kind = icon_type(text(item, Field::IconSet));
            let thresholds: Vec<_> = match has_known_thresholds(item) {
                true => stops(item).into_iter().map(|stop| threshold(target, item, stop)).collect(),
                false => Vec::new(),
            };
            let icons = xlsx::ConditionalFormatIconSet::new()
                .set_icon_type(kind)
                .reverse_icons(item.boolean(Field::Reverse).unwrap_or(false))
                .show_icons_only(item.boolean(Field::ShowValue) == Some(false));
            put!(if thresholds.is_empty() { icons } else { icons.set_icons(&thresholds) })
        }
        _ => Ok(()),
    }
}

fn color(stop: &Stop) -> Option<xlsx::Color> {
    match stop.get(&Field::Color) {
        Some(FieldValue::Color(color)) => Some(rgb(*color)),
        _ => None,
    }
}

fn stop(
    target: &Target,
    item: &Item,
    stop: &Stop,
) -> (xlsx::ConditionalFormatType, xlsx::ConditionalFormatValue) {
    let at = match stop.get(&Field::At) {
        Some(FieldValue::Text(at)) => &**at,
        _ => "number",
    };
    let number = match stop.get(&Field::Value) {
        Some(FieldValue::Number(number)) => *number,
        _ => 0.0,
    };
    use xlsx::ConditionalFormatType as Type;
    match at {
        "minimum" => (Type::Lowest, 0.into()),
        "maximum" => (Type::Highest, 0.into()),
        "percent" => (Type::Percent, number.into()),
        "percentile" => (Type::Percentile, number.into()),
        "automatic" => (Type::Automatic, 0.into()),
        "formula" => {
            let formula = stop.get(&Field::Formula).and_then(|value| target.formula_of(item, value));
            (Type::Formula, xlsx::Formula::new(formula.unwrap_or_default()).into())
        }
        _ => (Type::Number, number.into()),
    }
}

/// Whether there is a threshold for each icon of an icon set, so that a file has them.
pub(crate) fn has_known_thresholds(item: &Item) -> bool {
    let icons = text(item, Field::IconSet).chars().next().and_then(|count| count.to_digit(10));
    stops(item).len() == icons.unwrap_or(3) as usize
}

fn threshold(target: &Target, item: &Item, of: &Stop) -> xlsx::ConditionalFormatCustomIcon {
    let (kind, value) = stop(target, item, of);
    let is_strict = matches!(of.get(&Field::OrEqual), Some(FieldValue::Boolean(false)));
    xlsx::ConditionalFormatCustomIcon::new().set_rule(kind, value).set_greater_than(is_strict)
}

fn icon_type(name: &str) -> xlsx::ConditionalFormatIconType {
    use xlsx::ConditionalFormatIconType as Icons;
    match name {
        "3Arrows" => Icons::ThreeArrows,
        "3ArrowsGray" => Icons::ThreeArrowsGray,
        "3Flags" => Icons::ThreeFlags,
        "3TrafficLights2" => Icons::ThreeTrafficLightsWithRim,
        "3Signs" => Icons::ThreeSigns,
        "3Symbols" => Icons::ThreeSymbolsCircled,
        "3Symbols2" => Icons::ThreeSymbols,
        "3Stars" => Icons::ThreeStars,
        "3Triangles" => Icons::ThreeTriangles,
        "4Arrows" => Icons::FourArrows,
        "4ArrowsGray" => Icons::FourArrowsGray,
        "4RedToBlack" => Icons::FourRedToBlack,
        "4Rating" => Icons::FourHistograms,
        "4TrafficLights" => Icons::FourTrafficLights,
        "5Arrows" => Icons::FiveArrows,
        "5ArrowsGray" => Icons::FiveArrowsGray,
        "5Rating" => Icons::FiveHistograms,
        "5Quarters" => Icons::FiveQuadrants,
        _ => Icons::ThreeTrafficLights,
    }
}

/// The validation of an item; `None` for kinds that files do not have. Fails if `rust_xlsxwriter`
/// rejects it.
pub fn validation(target: &Target, item: &Item) -> Result<Option<xlsx::DataValidation>, xlsx::XlsxError> {
    use xlsx::DataValidationRule as Rule;
    let formula = |field: Field| xlsx::Formula::new(target.formula(item, field).unwrap_or_default());
    let rule = || {
        let (first, second) = (formula(Field::Formula1), formula(Field::Formula2));
        match text(item, Field::Operator) {
            "equal" => Rule::EqualTo(first),
            "notEqual" => Rule::NotEqualTo(first),
            "greater" => Rule::GreaterThan(first),
            "greaterOrEqual" => Rule::GreaterThanOrEqualTo(first),
            "less" => Rule::LessThan(first),
            "lessOrEqual" => Rule::LessThanOrEqualTo(first),
            "notBetween" => Rule::NotBetween(first, second),
            _ => Rule::Between(first, second),
        }
    };
    let new = xlsx::DataValidation::new();
    let mut validation = match text(item, Field::Rule) {
        "list" => match item.fields.get(&Field::Choices) {
            Some(FieldValue::List(choices)) => {
                let choices: Vec<&str> = choices
                    .iter()
                    .map(|choice| match choice {
                        FieldValue::Text(text) => &**text,
                        _ => "",
                    })
                    .collect();
                new.allow_list_strings(&choices)?
            }
            _ => new.allow_list_formula(formula(Field::Formula1)),
        },
        "whole" => new.allow_whole_number_formula(rule()),
        "decimal" => new.allow_decimal_number_formula(rule()),
        "date" => new.allow_date_formula(rule()),
        "time" => new.allow_time_formula(rule()),
        "textLength" => new.allow_text_length_formula(rule()),
        "formula" => new.allow_custom(formula(Field::Formula1)),
        "any" => new.allow_any_value(),
        // Styles have the checkboxes; the rule has their message.
        "checkbox" if item.text(Field::Prompt).is_some() => new.allow_any_value(),
        _ => return Ok(None),
    };
    validation = validation
        .ignore_blank(item.boolean(Field::AllowBlank).unwrap_or(true))
        .show_dropdown(item.boolean(Field::ShowDropdown).unwrap_or(true))
        .set_error_style(match text(item, Field::Strictness) {
            "warning" => xlsx::DataValidationErrorStyle::Warning,
            "information" => xlsx::DataValidationErrorStyle::Information,
            _ => xlsx::DataValidationErrorStyle::Stop,
        });
    for field in [Field::PromptTitle, Field::Prompt, Field::ErrorTitle, Field::ErrorMessage] {
        let Some(text) = item.text(field) else { continue };
        // Excel's limits of titles and messages.
        let shortened = |max: usize| text.chars().take(max).collect::<String>();
        validation = match field {
            Field::PromptTitle => validation.set_input_title(shortened(32))?,
            Field::Prompt => validation.set_input_message(shortened(255))?,
            Field::ErrorTitle => validation.set_error_title(shortened(32))?,
            _ => validation.set_error_message(shortened(225))?,
        };
    }
    Ok(Some(validation))
}
