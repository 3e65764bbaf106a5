//! [`Function`]: the description, arity and implementation of a spreadsheet function, and its call.
//! The `registry` module lists all functions.

use crate::context::CallContext;
use crate::operands::Operand;
use quadrille_cell::{Array, DeferredVec, ErrorValue, Range, SheetId, Value};

/// Whether descriptions and examples are compiled in. In WebAssembly they would be a seventh of the
/// download; the client loads `web/protocol/src/functions.ts` when a formula is typed.
const IS_DOCUMENTED: bool = cfg!(not(target_arch = "wasm32"));

/// One function of the library.
#[derive(Clone, Debug)]
pub struct Function {
    /// In upper case.
    pub name: &'static str,
    /// Arguments as in help: `number, [digits]`. Optional ones are in brackets; `…` repeats the
    /// preceding ones.
    pub arguments: &'static str,
    /// Minimum and maximum number of arguments; a maximum of 255 means no limit.
    pub arity: (u8, u8),
    /// Category in help and documentation.
    pub category: Category,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Documents that describe the behavior.
    pub source: &'static str,
    /// Formulas with the text of their results. All are tested.
    pub examples: &'static [(&'static str, &'static str)],
    /// Whether the function is recalculated in every calculation, since its result depends on the
    /// time, the random seed or dynamic references.
    pub volatile: bool,
    /// Arguments over which the function is lifted.
    pub lifts: Lifts,
    /// Whether a Boolean as a single argument is `#VALUE!` instead of 0 or 1, as in the functions
    /// of the Analysis ToolPak.
    pub rejects_booleans: bool,
    /// The implementation.
    pub implementation: Implementation,
}

/// The functions of Excel's former add-in Analysis ToolPak, which reject Booleans.
pub(crate) const ANALYSIS_TOOLPAK: &str = "ACCRINTM AMORDEGRC AMORLINC BESSELI BESSELJ BESSELK BESSELY BIN2DEC BIN2HEX BIN2OCT COMPLEX CONVERT \
    COUPDAYBS COUPDAYS COUPDAYSNC COUPNCD COUPNUM COUPPCD CUMIPMT CUMPRINC DEC2BIN DEC2HEX DEC2OCT DELTA DISC \
    DOLLARDE DOLLARFR DURATION EDATE EFFECT EOMONTH ERF ERF.PRECISE ERFC ERFC.PRECISE FACTDOUBLE GESTEP HEX2BIN \
    HEX2DEC HEX2OCT INTRATE MDURATION MROUND MULTINOMIAL NETWORKDAYS NETWORKDAYS.INTL NOMINAL OCT2BIN OCT2DEC OCT2HEX \
    ODDFPRICE ODDFYIELD ODDLPRICE ODDLYIELD PRICE PRICEDISC PRICEMAT QUOTIENT RANDBETWEEN RECEIVED SERIESSUM SQRTPI \
    TBILLEQ TBILLPRICE TBILLYIELD WEEKNUM WORKDAY WORKDAY.INTL YEARFRAC YIELD YIELDDISC YIELDMAT";

/// Category of a function in help and documentation.
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

/// The arguments over which a function is lifted: they expect a single value, and for an array or
/// range the function is applied to each element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifts {
    Nothing,
    Everything,
    /// The arguments with these zero-based indices.
    Arguments(&'static [usize]),
}

/// The implementation of a function.
#[derive(Clone, Copy, Debug)]
pub enum Implementation {
    /// Receives single values; empty arguments are blank.
    Scalar(fn(&mut CallContext, &[Value]) -> Result<Value, ErrorValue>),
    /// Receives whole operands: values, arrays and ranges.
    Whole(fn(&mut CallContext, &[Operand]) -> Result<Operand<'static>, ErrorValue>),
    /// Implemented by the evaluator, since the function controls the evaluation of its arguments or
    /// creates references.
    Evaluator,
}

impl Function {
    /// Declares a function over single values, lifted over all arguments.
    pub(crate) const fn scalar(
        name: &'static str,
        arguments: &'static str,
        summary: &'static str,
        function: fn(&mut CallContext, &[Value]) -> Result<Value, ErrorValue>,
    ) -> Function {
        let entry = Function::whole(name, arguments, summary, not_callable);
        Function { lifts: Lifts::Everything, implementation: Implementation::Scalar(function), ..entry }
    }

    /// Declares a function over whole operands.
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
            rejects_booleans: false,
            implementation: Implementation::Whole(function),
        }
    }

    /// Declares a function that the evaluator implements.
    pub(crate) const fn evaluator(
        name: &'static str,
        arguments: &'static str,
        summary: &'static str,
    ) -> Function {
        Function {
            implementation: Implementation::Evaluator,
            ..Function::whole(name, arguments, summary, not_callable)
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

    /// Marks a function that OpenFormula does not describe.
    pub(crate) const fn excel_only(self) -> Function {
        self.described_in("Excel")
    }

    /// Sets the source of a function that differs from the source of its group.
    pub(crate) const fn described_in(self, source: &'static str) -> Function {
        Function { source: documented(source), ..self }
    }

    /// Whether the evaluator implements the function and [`Function::call`] does not.
    pub fn is_lazy(&self) -> bool {
        matches!(self.implementation, Implementation::Evaluator)
    }

    /// Calls the function: checks the number of arguments, lifts it over arrays, and charges the
    /// budget. Errors are returned as values.
    ///
    /// Functions of the evaluator ([`is_lazy`](Self::is_lazy)) return `#NAME?`.
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
        if self.rejects_booleans {
            check_no_booleans(arguments)?;
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

    /// Whether the argument with this index is a single value.
    pub fn lifts_argument(&self, index: usize) -> bool {
        match self.lifts {
            Lifts::Nothing => false,
            Lifts::Everything => true,
            Lifts::Arguments(indices) => indices.contains(&index),
        }
    }

    /// Returns rows and columns of the result when the function is lifted; `None` otherwise.
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
                // If the result for an element is an array, its first value is used, as in Excel.
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

/// Steps of work per element of a lifted call: some tenths of a microsecond.
const LIFTED_STEPS: u64 = 16;

/// Returns the element of an argument at a row and column of the result. A single row or column is
/// broadcast; outside other arrays the element is `#N/A`.
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

/// Returns the first value of a reference that lies within one of the arguments.
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

fn not_callable(_: &mut CallContext, _: &[Operand]) -> Result<Operand<'static>, ErrorValue> {
    Err(ErrorValue::Name)
}

/// Returns the text, or an empty text when descriptions are not compiled in.
pub(crate) const fn documented(text: &'static str) -> &'static str {
    if IS_DOCUMENTED { text } else { "" }
}

/// Derives the arity from the arguments as in help.
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
            // The first byte of "…" in UTF-8.
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

/// Fails with the first single argument that is a Boolean (`#VALUE!`) or an error.
fn check_no_booleans(arguments: &[Operand]) -> Result<(), ErrorValue> {
    for argument in arguments {
        match argument.single() {
            Some(Value::Boolean(_)) => return Err(ErrorValue::Value),
            Some(Value::Error(error)) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
