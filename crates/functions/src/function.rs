//! A spreadsheet function: its description, its arity and how it is called.
//! [`registry`](crate::registry) lists all of them.

use crate::context::CallContext;
use crate::operands::Operand;
use quadrille_cell::{Array, DeferredVec, ErrorValue, Range, SheetId, Value};

/// Whether arguments, sentences, sources and examples are there. Not in the browser's engine, where they would be a seventh of
/// what every visitor downloads: the page loads `web/protocol/src/functions.ts` once somebody types a formula.
const IS_DOCUMENTED: bool = cfg!(not(target_arch = "wasm32"));

/// One function of the library.
#[derive(Clone, Debug)]
pub struct Function {
    /// In upper case.
    pub name: &'static str,
    /// As help shows them: `number, [digits]`; optional ones in brackets, `…` where the ones before repeat.
    pub arguments: &'static str,
    /// Fewest and most arguments; 255 stands for any number.
    pub arity: (u8, u8),
    pub category: Category,
    /// One sentence.
    pub summary: &'static str,
    /// Where the behaviour is described.
    pub source: &'static str,
    /// Formulas with the text of their value; each is a test.
    pub examples: &'static [(&'static str, &'static str)],
    /// Depends on the stamp, so it is calculated anew whenever that changes.
    pub volatile: bool,
    pub lifts: Lifts,
    /// A truth value where one value is wanted is `#VALUE!`, not 0 or 1: the functions that were once an add-in of Excel.
    pub takes_no_truth_values: bool,
    pub implementation: Implementation,
}

/// The functions of the Analysis ToolPak, which convert arguments in their own way.
pub(crate) const OF_TOOLPAK: &str = "ACCRINTM AMORDEGRC AMORLINC BESSELI BESSELJ BESSELK BESSELY BIN2DEC BIN2HEX BIN2OCT COMPLEX CONVERT \
    COUPDAYBS COUPDAYS COUPDAYSNC COUPNCD COUPNUM COUPPCD CUMIPMT CUMPRINC DEC2BIN DEC2HEX DEC2OCT DELTA DISC \
    DOLLARDE DOLLARFR DURATION EDATE EFFECT EOMONTH ERF ERF.PRECISE ERFC ERFC.PRECISE FACTDOUBLE GESTEP HEX2BIN \
    HEX2DEC HEX2OCT INTRATE MDURATION MROUND MULTINOMIAL NETWORKDAYS NETWORKDAYS.INTL NOMINAL OCT2BIN OCT2DEC OCT2HEX \
    ODDFPRICE ODDFYIELD ODDLPRICE ODDLYIELD PRICE PRICEDISC PRICEMAT QUOTIENT RANDBETWEEN RECEIVED SERIESSUM SQRTPI \
    TBILLEQ TBILLPRICE TBILLYIELD WEEKNUM WORKDAY WORKDAY.INTL YEARFRAC YIELD YIELDDISC YIELDMAT";

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    Mathematics,
    Statistics,
    Logical,
    Information,
    Text,
    DateAndTime,
    Lookup,
    Array,
    Financial,
}

/// Which arguments want one value, so that the function is applied to each element when they get several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifts {
    Nothing,
    Everything,
    /// Only these, counted from zero.
    Arguments(&'static [usize]),
}

#[derive(Clone, Copy, Debug)]
pub enum Implementation {
    /// Over single values; arguments left out arrive as blank.
    Scalar(fn(&mut CallContext, &[Value]) -> Result<Value, ErrorValue>),
    /// Over whatever the arguments are.
    Whole(fn(&mut CallContext, &[Operand]) -> Result<Operand<'static>, ErrorValue>),
    /// Carried out by the evaluator, which decides what is evaluated and what a reference is.
    Evaluator,
}

impl Function {
    pub(crate) const fn scalar(
        name: &'static str,
        arguments: &'static str,
        summary: &'static str,
        function: fn(&mut CallContext, &[Value]) -> Result<Value, ErrorValue>,
    ) -> Function {
        let entry = Function::whole(name, arguments, summary, no_whole);
        Function { lifts: Lifts::Everything, implementation: Implementation::Scalar(function), ..entry }
    }

    pub(crate) const fn whole(
        name: &'static str,
        arguments: &'static str,
        summary: &'static str,
        function: fn(&mut CallContext, &[Operand]) -> Result<Operand<'static>, ErrorValue>,
    ) -> Function {
        Function {
            name,
            arguments: documented(arguments),
            arity: arity_of(arguments),
            category: Category::Mathematics,
            summary: documented(summary),
            source: "",
            examples: &[],
            volatile: false,
            lifts: Lifts::Nothing,
            takes_no_truth_values: false,
            implementation: Implementation::Whole(function),
        }
    }

    pub(crate) const fn evaluator(
        name: &'static str,
        arguments: &'static str,
        summary: &'static str,
    ) -> Function {
        Function {
            implementation: Implementation::Evaluator,
            ..Function::whole(name, arguments, summary, no_whole)
        }
    }

    pub(crate) const fn examples(self, examples: &'static [(&'static str, &'static str)]) -> Function {
        if IS_DOCUMENTED { Function { examples, ..self } } else { self }
    }

    pub(crate) const fn volatile(self) -> Function {
        Function { volatile: true, ..self }
    }

    pub(crate) const fn lifts(self, arguments: &'static [usize]) -> Function {
        Function { lifts: Lifts::Arguments(arguments), ..self }
    }

    /// Not in OpenFormula.
    pub(crate) const fn excel_only(self) -> Function {
        self.described_in("Excel")
    }

    /// Not in Excel.
    pub(crate) const fn described_in(self, source: &'static str) -> Function {
        Function { source: documented(source), ..self }
    }

    /// Carried out by the evaluator, not by [`Function::call`].
    pub fn is_lazy(&self) -> bool {
        matches!(self.implementation, Implementation::Evaluator)
    }

    /// Checks the number of arguments, applies the function to every element where it takes single values and gets
    /// several, and charges the budget. Errors come back as values.
    ///
    /// A lazy function called this way yields `#NAME?`: the evaluator has forgotten to carry it out.
    pub fn call(&self, context: &mut CallContext, arguments: &[Operand]) -> Operand<'static> {
        let outcome = self.try_call(context, arguments);
        outcome.unwrap_or_else(Operand::error)
    }

    fn try_call(
        &self,
        context: &mut CallContext,
        arguments: &[Operand],
    ) -> Result<Operand<'static>, ErrorValue> {
        let (fewest, most) = self.arity;
        if arguments.len() < usize::from(fewest) || most != 255 && arguments.len() > usize::from(most) {
            return Err(ErrorValue::Value);
        }
        context.budget.charge(1)?;
        let result = match self.extent(arguments) {
            Some(extent) => return self.call_lifted(context, arguments, extent),
            None => self.call_once(context, arguments)?,
        };
        if let Operand::Value(Value::Text(text)) = &result {
            context.budget.charge_text(text)?;
        }
        Ok(result)
    }

    fn call_once(
        &self,
        context: &mut CallContext,
        arguments: &[Operand],
    ) -> Result<Operand<'static>, ErrorValue> {
        if self.takes_no_truth_values {
            check_no_truth_values(arguments)?;
        }
        match self.implementation {
            Implementation::Whole(function) => function(context, arguments),
            Implementation::Scalar(function) => {
                let values: Option<Vec<Value>> = arguments.iter().map(Operand::single).collect();
                function(context, &values.ok_or(ErrorValue::Value)?).map(Operand::Value)
            }
            Implementation::Evaluator => Err(ErrorValue::Name),
        }
    }

    fn lifts_argument(&self, index: usize) -> bool {
        match self.lifts {
            Lifts::Nothing => false,
            Lifts::Everything => true,
            Lifts::Arguments(indices) => indices.contains(&index),
        }
    }

    /// Rows and columns of the result when an argument that wants one value has several.
    fn extent(&self, arguments: &[Operand]) -> Option<(u32, u32)> {
        let mut extent = None;
        for (index, argument) in arguments.iter().enumerate() {
            if matches!(argument, Operand::Value(_) | Operand::Missing) || !self.lifts_argument(index) {
                continue;
            }
            let Some(view) = argument.view() else { continue };
            if view.rows() > 1 || view.columns() > 1 {
                let (rows, columns) = extent.unwrap_or((1, 1));
                extent = Some((view.rows().max(rows), view.columns().max(columns)));
            }
        }
        extent
    }

    fn call_lifted(
        &self,
        context: &mut CallContext,
        arguments: &[Operand],
        (rows, columns): (u32, u32),
    ) -> Result<Operand<'static>, ErrorValue> {
        let count = u64::from(rows) * u64::from(columns);
        context.budget.charge_cells(count)?;
        let mut element = arguments.to_vec();
        let mut values = DeferredVec::with_capacity(count as usize);
        for row in 0..rows {
            for column in 0..columns {
                context.work(LIFTED_STEPS)?;
                for (index, argument) in arguments.iter().enumerate() {
                    if self.lifts_argument(index) {
                        element[index] = element_at(argument, row, column);
                    }
                }
                let value = self.call_once(context, &element).unwrap_or_else(Operand::error);
                // A function that yields a rectangle per element shows its first value, as in Excel.
                values.push(match value {
                    Operand::Value(Value::Text(text)) => {
                        context.budget.charge_text(&text)?;
                        Value::Text(text)
                    }
                    Operand::Value(value) => value,
                    Operand::Array(array) => array.get(0, 0).cloned().unwrap_or_default(),
                    Operand::Reference(sheet, range) => first_cell(arguments, sheet, range),
                    _ => Value::Error(ErrorValue::Value),
                });
            }
        }
        Array::new(rows, columns, values).map(Operand::Array).ok_or(ErrorValue::Calculation)
    }
}

/// What calling a function for one element is to looking whether to go on: some tenths of a microsecond, seldom more.
const LIFTED_STEPS: u64 = 16;

/// One row or column serves for all; beyond any other rectangle there is `#N/A`.
fn element_at(argument: &Operand, row: u32, column: u32) -> Operand<'static> {
    let view = match argument {
        Operand::Missing => return Operand::Missing,
        Operand::Value(value) => return Operand::Value(value.clone()),
        _ => match argument.view() {
            Some(view) => view,
            None => return Operand::error(ErrorValue::Value),
        },
    };
    let row = if view.rows() == 1 { 0 } else { row };
    let column = if view.columns() == 1 { 0 } else { column };
    if row >= view.rows() || column >= view.columns() {
        return Operand::error(ErrorValue::NotAvailable);
    }
    Operand::Value(view.value(row, column))
}

/// The value at the start of a reference that lies within one of the arguments.
fn first_cell(arguments: &[Operand], sheet: SheetId, range: Range) -> Value {
    let ranges = arguments.iter().filter_map(|argument| match argument {
        Operand::Range(operand) => Some(&operand.areas),
        _ => None,
    });
    let cell = range.first();
    for area in ranges.flatten() {
        if area.sheet == sheet && area.range.contains(cell) {
            let corner = area.range.first();
            return area
                .view
                .value(cell.row.get() - corner.row.get(), cell.column.get() - corner.column.get());
        }
    }
    Value::Error(ErrorValue::Value)
}

fn no_whole(_: &mut CallContext, _: &[Operand]) -> Result<Operand<'static>, ErrorValue> {
    Err(ErrorValue::Name)
}

pub(crate) const fn documented(text: &'static str) -> &'static str {
    if IS_DOCUMENTED { text } else { "" }
}

/// Counts the arguments as help shows them, so that they are stated once.
const fn arity_of(arguments: &str) -> (u8, u8) {
    let bytes = arguments.as_bytes();
    if bytes.is_empty() {
        return (0, 0);
    }
    let (mut fewest, mut most, mut index) = (0, 0, 0);
    let mut starts = true;
    while index < bytes.len() {
        let byte = bytes[index];
        if starts && byte != b' ' {
            starts = false;
            // "…" in UTF-8 begins with this byte.
            if byte == 0xE2 {
                return (fewest, 255);
            }
            most += 1;
            if byte != b'[' {
                fewest += 1;
            }
        }
        starts = starts || byte == b',';
        index += 1;
    }
    (fewest, most)
}

/// The first error or truth value among single arguments decides.
fn check_no_truth_values(arguments: &[Operand]) -> Result<(), ErrorValue> {
    for argument in arguments {
        match argument.single() {
            Some(Value::Boolean(_)) => return Err(ErrorValue::Value),
            Some(Value::Error(error)) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
