//! QUERY: tables asked in Google's query language.
//!
//! `parse` reads the text into a [`Question`], `table` says what the columns hold, `expression` computes values and tests of a
//! row or a group of rows, `run` carries a question out. A query that cannot be read, names a column that is not there, or
//! adds up texts is `#VALUE!`.
//!
//! As in Google Sheets a column has the kind that most of its cells have, and cells of other kinds count as empty; text
//! is compared with regard to case; columns are named by their letters when the table is a range and by `Col1` … always.
//! Differences: a date is a number here like any other; `format` turns the numbers of its column into text; `options` and
//! `skipping` are not taken.

mod expression;
mod parse;
mod run;
mod table;
mod tokens;

use crate::arguments::{WholeOutcome, given_integer, given_text};
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

/// Longer queries are not read.
const LENGTH_MAX: usize = 8_192;

fn query(context: &mut CallContext, arguments: &[Operand]) -> WholeOutcome {
    let text = given_text(arguments, 1, "")?;
    if text.len() > LENGTH_MAX {
        return Err(quadrille_cell::ErrorValue::Value);
    }
    let table = Table::read(context, &arguments[0], given_integer(arguments, 2, -1)?)?;
    let question = parse::parse(context, &text, &table)?;
    run::run(context, &question, &table)
}
