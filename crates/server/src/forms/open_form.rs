//! A form as it is in the workbook now: its table, its columns and their rules.

use quadrille_access::{Form, FormQuestion, QuestionKind};
use quadrille_cell::{CellAddress, DateSystem, Range, SheetId, Value};
use quadrille_formula::{Area, Coordinate, Expression, SheetReference, Template, UnaryOperator};
use quadrille_number_format::date::serial_with_carry;
use quadrille_number_format::{InputContext, NumberFormat, parse_input_with};
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemId, ItemKind, Sheet, Workbook};

use super::files::FileRules;
use crate::limits;

/// Choices up to which all of them are visible; more are a menu.
const VISIBLE_CHOICES_MAX: usize = 6;

/// A form whose table exists.
pub struct OpenForm<'a> {
    pub sheet: &'a Sheet,
    pub table: ItemId,
    /// With header and total row.
    pub area: Range,
    pub has_totals: bool,
    /// The first row for data.
    pub data_top: u32,
    pub questions: Vec<Question>,
    /// The column for the time of the response.
    pub timestamp: Option<u32>,
    pub dates: DateSystem,
}

/// A column as a question.
#[derive(Clone, Debug)]
pub struct Question {
    /// Item of the column: the name of the field on the page.
    pub id: u64,
    /// Index of the column in the sheet.
    pub column: u32,
    pub label: String,
    pub help: String,
    pub is_required: bool,
    pub kind: QuestionKind,
    pub choices: Vec<Choice>,
    pub limits: Option<Limits>,
    /// The values of a checkbox.
    pub checked: Value,
    pub unchecked: Value,
    /// The error message of the data validation.
    pub message: Option<String>,
    /// A rule that only a calculation of the workbook can check.
    pub needs_calculation: bool,
    /// The files that a question for one accepts.
    pub file: FileRules,
}

/// Something to choose.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    pub text: String,
    pub value: Value,
}

/// Limits of a data validation rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    /// Of the length of a text and not of a value.
    pub is_length: bool,
    pub is_whole: bool,
    /// As in the field `operator` of the rule.
    pub operator: String,
    pub first: Option<f64>,
    pub second: Option<f64>,
}

impl<'a> OpenForm<'a> {
    /// `None` when the table is gone.
    pub fn find(workbook: &'a Workbook, form: &Form) -> Option<OpenForm<'a>> {
        let sheet = workbook.sheet(SheetId(form.sheet))?;
        let table = sheet.item(ItemId(form.table)).filter(|item| item.kind == ItemKind::Table)?;
        let area = *table.anchors.first()?;
        let has_header = table.boolean(Field::HeaderRow).unwrap_or(true);
        let has_totals = table.boolean(Field::TotalRow).unwrap_or(false);
        let mut open = OpenForm {
            sheet,
            table: ItemId(form.table),
            area,
            has_totals,
            data_top: area.first().row.get() + u32::from(has_header),
            questions: Vec::new(),
            timestamp: form.timestamp.and_then(|column| column_index(sheet, form.table, column, area)),
            dates: workbook.date_system(),
        };
        let questions = form.questions.iter().filter_map(|question| open.question(workbook, question));
        open.questions = questions.collect();
        Some(open)
    }

    /// The last row for data; before `data_top` in a table without one.
    pub fn data_bottom(&self) -> u32 {
        self.area.last().row.get() - u32::from(self.has_totals)
    }

    /// Whether the table has all the rows that the form accepts.
    pub fn is_full(&self, form: &Form) -> bool {
        form.rows_max.is_some_and(|rows_max| self.next_row() - self.data_top >= rows_max)
    }

    /// The row below the last one with an answer.
    pub fn next_row(&self) -> u32 {
        let used = self.sheet.used_range().and_then(|used| used.intersection(self.area));
        let last_used = used.map_or(self.data_top, |used| used.last().row.get()).min(self.data_bottom());
        let mut row = last_used + 1;
        let is_blank = |row| !self.sheet.inputs_in(self.across(row)).any(|(_, input)| has_answer(&input));
        while row > self.data_top && is_blank(row - 1) {
            row -= 1;
        }
        row.max(self.data_top)
    }

    /// A row of the table's columns.
    pub fn across(&self, row: u32) -> Range {
        let (first, last) = (self.area.first().column.get(), self.area.last().column.get());
        Range::new(CellAddress::clamped(row, first), CellAddress::clamped(row, last))
    }

    fn question(&self, workbook: &Workbook, given: &FormQuestion) -> Option<Question> {
        let column = column_index(self.sheet, self.table.0, given.column, self.area)?;
        // The newest row is the one that people have typed like.
        let row = self.data_bottom().max(self.data_top);
        let cell = CellAddress::clamped(row, column);
        let rule = validation_of(self.sheet, cell);
        let item = rule.map(|(_, item)| item);
        let name = item.and_then(|item| item.text(Field::Rule)).map_or("any", |rule| &**rule);
        let is_strict =
            item.and_then(|item| item.text(Field::Strictness)).is_none_or(|text| &**text == "stop");
        let mut choices = list_choices(workbook, self.sheet.id(), cell, item.filter(|_| name == "list"));
        let own_choices = given.choices.iter().map(|text| self.typed(text));
        if !given.choices.is_empty() {
            choices = own_choices.collect();
        }
        choices.truncate(limits::FORM_CHOICES_MAX);
        let allows_multiple = item.and_then(|item| item.boolean(Field::AllowMultiple)) == Some(true);
        let kind = given.kind.unwrap_or_else(|| match name {
            "list" if allows_multiple => QuestionKind::MultipleChoice,
            "whole" if is_rating(item) => QuestionKind::Rating,
            _ => self.kind_of(name, &choices, cell),
        });
        let mut limits = item.filter(|_| is_strict).and_then(|item| rule_limits(workbook, item, name));
        let has_formula = |field| item.is_some_and(|item| item.formula(field).is_some());
        let is_unknown = limits.as_ref().is_some_and(|limits| {
            limits.first.is_none() && has_formula(Field::Formula1)
                || limits.second.is_none() && has_formula(Field::Formula2)
        });
        if is_unknown {
            limits = None;
        }
        let stated =
            |field, other: bool| match item.filter(|_| name == "checkbox").and_then(|i| i.text(field)) {
                Some(text) => self.typed(text).value,
                None => Value::Boolean(other),
            };
        let header = CellAddress::clamped(self.area.first().row.get(), column);
        let label = match given.label.is_empty() {
            false => given.label.clone(),
            true => {
                header_text(self.sheet, header, self.data_top > self.area.first().row.get(), given.column)
            }
        };
        let needs_blank =
            is_strict && item.is_some_and(|item| item.boolean(Field::AllowBlank) == Some(false));
        Some(Question {
            id: given.column,
            column,
            label,
            help: match given.help.is_empty() {
                false => given.help.clone(),
                true => item
                    .and_then(|item| item.text(Field::Prompt))
                    .map_or(String::new(), |text| text.to_string()),
            },
            is_required: given.is_required || needs_blank,
            kind,
            choices,
            limits,
            checked: stated(Field::CheckedValue, true),
            unchecked: stated(Field::UncheckedValue, false),
            message: item.and_then(|item| item.text(Field::ErrorMessage)).map(|text| text.to_string()),
            needs_calculation: is_strict && (name == "formula" || is_unknown),
            file: FileRules::of(given),
        })
    }

    fn typed(&self, text: &str) -> Choice {
        let value = parse_input_with(text, InputContext::invariant(self.dates)).value;
        Choice { text: text.to_owned(), value }
    }

    /// The kind that fits a column: by its rule, its number format or its newest value.
    fn kind_of(&self, rule: &str, choices: &[Choice], cell: CellAddress) -> QuestionKind {
        match rule {
            "list" if choices.len() <= VISIBLE_CHOICES_MAX => return QuestionKind::Choice,
            "list" => return QuestionKind::Dropdown,
            "whole" | "decimal" => return QuestionKind::Number,
            "date" => return QuestionKind::Date,
            "time" => return QuestionKind::Time,
            "checkbox" => return QuestionKind::Checkbox,
            "email" => return QuestionKind::Email,
            "url" => return QuestionKind::Url,
            _ if !choices.is_empty() => return QuestionKind::Choice,
            _ => {}
        }
        let code = self.sheet.format(cell).number_format.clone();
        if let Some(code) = code.filter(|code| !matches!(&**code, "General" | "@")) {
            let format = NumberFormat::parse(&code);
            return match (format.is_date(), format.shows_day()) {
                (true, true) if code.to_ascii_lowercase().contains('h') => QuestionKind::DateTime,
                (true, true) => QuestionKind::Date,
                (true, false) => QuestionKind::Time,
                _ => QuestionKind::Number,
            };
        }
        match self.sheet.value(cell) {
            Value::Number(_) => QuestionKind::Number,
            Value::Boolean(_) => QuestionKind::Checkbox,
            Value::Text(text) if text.contains('\n') => QuestionKind::Paragraph,
            _ => QuestionKind::ShortText,
        }
    }
}

/// Whether the numbers of a rule are drawn as stars.
fn is_rating(validation: Option<&Item>) -> bool {
    let style = validation.and_then(|item| item.text(Field::DisplayStyle));
    style.is_some_and(|style| &**style == "rating")
}

/// The column of an item of the table.
fn column_index(sheet: &Sheet, table: u64, column: u64, area: Range) -> Option<u32> {
    let item = sheet.item(ItemId(column))?;
    let is_its = item.kind == ItemKind::TableColumn && item.parent() == Some(ItemId(table));
    let index = item.anchors.first().filter(|_| is_its)?.first().column.get();
    (area.first().column.get()..=area.last().column.get()).contains(&index).then_some(index)
}

/// The text of a header cell, or the name of a column without one.
fn header_text(sheet: &Sheet, header: CellAddress, has_header: bool, column: u64) -> String {
    let text = match sheet.value(header) {
        _ if !has_header => String::new(),
        Value::Text(text) => text.to_string(),
        value => display(sheet, header, &value),
    };
    let named =
        || sheet.item(ItemId(column)).and_then(|item| item.text(Field::Name).map(|name| name.to_string()));
    match text.trim().is_empty() {
        false => text,
        true => named().unwrap_or_else(|| quadrille_cell::column_name(header.column)),
    }
}

/// The data validation rule of a cell: of several the last one counts.
pub fn validation_of(sheet: &Sheet, cell: CellAddress) -> Option<(ItemId, &Item)> {
    let rules = sheet.items().of_kind(ItemKind::Validation);
    let applies = |item: &Item| item.anchors.iter().any(|anchor| anchor.contains(cell));
    rules.filter(|(_, item)| applies(item)).last().map(|(id, item)| (id, &**item))
}

fn display(sheet: &Sheet, cell: CellAddress, value: &Value) -> String {
    let code = sheet.format(cell).number_format.clone();
    NumberFormat::parse(code.as_deref().unwrap_or("General")).format(value).text
}

/// What the list of a rule has.
fn list_choices(workbook: &Workbook, sheet: SheetId, cell: CellAddress, item: Option<&Item>) -> Vec<Choice> {
    let Some(item) = item else { return Vec::new() };
    if let Some(FieldValue::List(choices)) = item.fields.get(&Field::Choices) {
        let typed =
            |text: &str| parse_input_with(text, InputContext::invariant(workbook.date_system())).value;
        let texts = choices.iter().filter_map(|choice| match choice {
            FieldValue::Text(text) => Some(Choice { text: text.to_string(), value: typed(text) }),
            _ => None,
        });
        return texts.collect();
    }
    let range = item.formula(Field::Formula1).and_then(|(_, template)| referenced(sheet, cell, template));
    let Some((sheet, range)) = range.and_then(|(id, range)| Some((workbook.sheet(id)?, range))) else {
        return Vec::new();
    };
    let used = sheet.used_range().and_then(|used| used.intersection(range));
    let cells = used.into_iter().flat_map(Range::cells).take(limits::FORM_CHOICES_MAX);
    let mut choices: Vec<Choice> = Vec::new();
    for cell in cells {
        let value = sheet.value(cell);
        let choice = Choice { text: display(sheet, cell, &value), value };
        if !choice.text.is_empty() && choices.iter().all(|known| known.text != choice.text) {
            choices.push(choice);
        }
    }
    choices
}

/// The range that a formula refers to, if it is a plain reference.
fn referenced(sheet: SheetId, cell: CellAddress, template: &Template) -> Option<(SheetId, Range)> {
    let Expression::Reference(reference) = template.expression() else { return None };
    let sheet = match &reference.sheet {
        None => sheet,
        Some(SheetReference::Sheet(sheet)) => *sheet,
        Some(_) => return None,
    };
    let index = |coordinate: Coordinate, own: u32| u32::try_from(coordinate.resolve(own)).ok();
    let corner = |at: &quadrille_formula::CellReference| {
        CellAddress::new(index(at.row, cell.row.get())?, index(at.column, cell.column.get())?)
    };
    match &reference.area {
        Area::Cell(at) => corner(at).map(|cell| (sheet, Range::cell(cell))),
        Area::Cells(first, last) => Some((sheet, Range::new(corner(first)?, corner(last)?))),
        Area::Columns(first, last) => {
            let column = |at: &Coordinate| index(*at, cell.column.get());
            Range::from_indices(0, column(first)?, quadrille_cell::ROWS_MAX - 1, column(last)?)
                .map(|range| (sheet, range))
        }
        _ => None,
    }
}

fn rule_limits(workbook: &Workbook, item: &Item, rule: &str) -> Option<Limits> {
    if !matches!(rule, "whole" | "decimal" | "date" | "time" | "textLength") {
        return None;
    }
    let limit = |field| item.formula(field).and_then(|(_, template)| constant(workbook, template));
    Some(Limits {
        is_length: rule == "textLength",
        is_whole: rule == "whole",
        operator: item.text(Field::Operator).map_or("between", |operator| &**operator).to_owned(),
        first: limit(Field::Formula1),
        second: limit(Field::Formula2),
    })
}

/// The number that a formula is, if that needs no calculation.
fn constant(workbook: &Workbook, template: &Template) -> Option<f64> {
    fn number(workbook: &Workbook, expression: &Expression) -> Option<f64> {
        match expression {
            Expression::Number(number) => Some(*number),
            Expression::Parenthesised(inner) => number(workbook, inner),
            Expression::Unary(UnaryOperator::Minus, inner) => number(workbook, inner).map(|number| -number),
            Expression::Call { function, arguments }
                if &**function.text() == "DATE" && arguments.len() == 3 =>
            {
                let part = |index: usize| number(workbook, &arguments[index]).map(|number| number as i64);
                let serial = serial_with_carry(part(0)?, part(1)?, part(2)?)?;
                Some((serial - workbook.date_system().offset_from_1900()) as f64)
            }
            _ => None,
        }
    }
    number(workbook, template.expression())
}

/// Whether a cell counts as answered: calculated columns fill rows that are otherwise blank.
fn has_answer(input: &Input) -> bool {
    !matches!(input, Input::Blank | Input::Formula(_))
}
