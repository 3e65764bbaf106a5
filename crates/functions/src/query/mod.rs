//! QUERY: queries in the Google Visualization API Query Language.
//!
//! `parse` parses the text to a `Query`, `table` determines labels and types of the columns,
//! `expression` evaluates expressions and conditions for a row or a group of rows, `run` executes a
//! query. A query that is invalid, refers to an unknown column or sums text is `#VALUE!`.
//!
//! As in Google Sheets, the type of a column is that of most of its cells, and cells of other types
//! are empty; text comparison is case-sensitive; columns have the names `Col1`, `Col2` etc., and
//! their letters when the table is a range. Differences: dates are numbers; `format` converts the
//! numbers of its column to text; `options` and `skipping` are not supported.

mod expression;
mod parse;
mod run;
mod table;
mod tokens;

use crate::arguments::{OperandResult, optional_integer, optional_text};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;
use table::Table;

#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("QUERY", "table, query, [headers]", "The answer to a query in Google's language: select, where, group by, pivot, order by, limit, offset, label, format.", query).examples(&[
        ("=TEXTJOIN(\",\",FALSE,QUERY({\"a\",1;\"b\",2;\"a\",3},\"select Col2 where Col1='a'\"))", "1,3"),
        ("=TEXTJOIN(\",\",FALSE,QUERY({\"k\",\"n\";\"a\",1;\"b\",2;\"a\",3},\"select Col1, sum(Col2) group by Col1\",1))", "k,sum n,a,4,b,2"),
        ("=TEXTJOIN(\",\",FALSE,QUERY({1;5;3},\"select Col1 order by Col1 desc limit 2\"))", "5,3"),
        ("=QUERY({1;5;3},\"select Col9\")", "#VALUE!"),
    ]),
];

/// Maximum length of a query in bytes. Longer ones are `#VALUE!`.
const LENGTH_MAX: usize = 8_192;

fn query(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let text = optional_text(arguments, 1, "")?;
    if text.len() > LENGTH_MAX {
        return Err(quadrille_cell::ErrorValue::Value);
    }
    let table = Table::read(context, &arguments[0], optional_integer(arguments, 2, -1)?)?;
    let query = parse::parse(context, &text, &table)?;
    run::run(context, &query, &table)
}
