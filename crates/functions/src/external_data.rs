//! Functions that need external data. Calculations read only the workbook, so that all replicas
//! compute the same results. Some get their data from the workbook, into which the server has written
//! it (`quadrille_workbook::ImportFunction`). The others accept their arguments, so that formulas of
//! files are preserved, and always return the error that Excel returns without access to the data.

use quadrille_cell::ErrorValue;

use crate::arguments::OperandResult;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

macro_rules! unavailable {
    ($name:literal, $arguments:literal, $summary:literal, $implementation:ident, $example:literal, $result:literal) => {
        Function::whole($name, $arguments, $summary, $implementation)
            .excel_only()
            .examples(&[($example, $result)])
    };
}

#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::evaluator("WEBSERVICE", "url", "The text that a web address answers, if the server may ask it.").excel_only().examples(&[("=WEBSERVICE(\"https://example.org\")", "#VALUE!")]),
    unavailable!("IMAGE", "source, [alternative_text], [sizing], [height], [width]", "An image in a cell: always #VALUE!, cells hold no images.", no_value, "=IMAGE(\"https://example.org/a.png\")", "#VALUE!"),
    unavailable!("RTD", "program, server, topic1, [topic2], …", "Data from a program as it changes: always #N/A, there are no such programs.", not_available, "=RTD(\"p\",\"\",\"t\")", "#N/A"),
    unavailable!("STOCKHISTORY", "stock, start_date, [end_date], [interval], [headers], [properties], …", "The history of a price: always #N/A, no exchange is asked.", not_available, "=STOCKHISTORY(\"MSFT\",45000)", "#N/A"),
    unavailable!("TRANSLATE", "text, [from_language], [to_language]", "A text in another language: always #N/A, no translator is asked.", not_available, "=TRANSLATE(\"hello\",\"en\",\"es\")", "#N/A"),
    unavailable!("DETECTLANGUAGE", "text", "The language of a text: always #N/A, no translator is asked.", not_available, "=DETECTLANGUAGE(\"hello\")", "#N/A"),
    unavailable!("CALL", "register_id, [argument1], …", "A procedure of a library: always #VALUE!, none is ever called.", no_value, "=CALL(1)", "#VALUE!"),
    unavailable!("REGISTER.ID", "module, procedure, [type]", "The number of a library's procedure: always #VALUE!, none is ever called.", no_value, "=REGISTER.ID(\"a\",\"b\")", "#VALUE!"),
    unavailable!("CUBEKPIMEMBER", "connection, kpi_name, kpi_property, [caption]", "An indicator of a cube: always #NAME?, there are no connections to cubes.", no_name, "=CUBEKPIMEMBER(\"c\",\"k\",1)", "#NAME?"),
    unavailable!("CUBEMEMBER", "connection, member, [caption]", "A member of a cube: always #NAME?, there are no connections to cubes.", no_name, "=CUBEMEMBER(\"c\",\"m\")", "#NAME?"),
    unavailable!("CUBEMEMBERPROPERTY", "connection, member, property", "A property of a cube's member: always #NAME?, there are no connections to cubes.", no_name, "=CUBEMEMBERPROPERTY(\"c\",\"m\",\"p\")", "#NAME?"),
    unavailable!("CUBERANKEDMEMBER", "connection, set, rank, [caption]", "The n-th member of a cube's set: always #NAME?, there are no connections to cubes.", no_name, "=CUBERANKEDMEMBER(\"c\",\"s\",1)", "#NAME?"),
    unavailable!("CUBESET", "connection, set, [caption], [sort_order], [sort_by]", "A set of a cube's members: always #NAME?, there are no connections to cubes.", no_name, "=CUBESET(\"c\",\"s\")", "#NAME?"),
    unavailable!("CUBESETCOUNT", "set", "How many members a cube's set has: always #NAME?, there are no connections to cubes.", no_name, "=CUBESETCOUNT(\"s\")", "#NAME?"),
    unavailable!("CUBEVALUE", "connection, [member1], …", "A value of a cube: always #NAME?, there are no connections to cubes.", no_name, "=CUBEVALUE(\"c\",\"m\")", "#NAME?"),
    unavailable!("IMPORTTEXT", "path, [delimiter], [skip_rows], [take_rows], [encoding], [locale]", "The rows of a text file: always #VALUE!, calculations read no files.", no_value, "=IMPORTTEXT(\"a.txt\")", "#VALUE!"),
    Function::evaluator("IMPORTCSV", "path, [skip_rows], [take_rows], [locale]", "The rows of a CSV file on the web, if the server may ask for it. #N/A until they have come.").excel_only().examples(&[("=IMPORTCSV(\"https://example.org/a.csv\")", "#N/A")]),
    unavailable!("COPILOT", "prompt, [context], …", "The answer of a language model: always #N/A, none is asked.", not_available, "=COPILOT(\"?\")", "#N/A"),
    unavailable!("FILTERXML", "xml, path", "Parts of an XML text: always #VALUE!, as in Excel for the web; TEXTSPLIT and REGEXEXTRACT take texts apart.", no_value, "=FILTERXML(\"<a>1</a>\",\"//a\")", "#VALUE!"),
    unavailable!("PY", "code, return_type, [input1], …", "What a program in Python yields: always #VALUE!, none is ever run.", no_value, "=PY(\"1+1\",0)", "#VALUE!"),
    unavailable!("FIELDVALUE", "value, field", "A field of a linked data type: always #VALUE!, cells hold none.", no_value, "=FIELDVALUE(A1,\"Price\")", "#VALUE!"),
    unavailable!("SQL.REQUEST", "connection, [output], [prompt], [query], [column_names]", "The answer of a database: always #N/A, none is asked.", not_available, "=SQL.REQUEST(\"DSN=a\")", "#N/A"),
    unavailable!("AI", "prompt, [range]", "The answer of a language model: always #N/A, none is asked.", not_available, "=AI(\"?\")", "#N/A").described_in("Google Sheets"),
    unavailable!("GEMINI", "prompt, [range]", "The answer of a language model: always #N/A, none is asked.", not_available, "=GEMINI(\"?\")", "#N/A").described_in("Google Sheets"),
    Function::evaluator("IMPORTRANGE", "workbook, range", "Cells of another workbook of this server, by its name or address. #N/A until they have come.").examples(&[("=IMPORTRANGE(\"other\",\"A1:B2\")", "#N/A")]).described_in("Google Sheets"),
    Function::evaluator("IMPORTDATA", "url, [delimiter], [locale]", "The rows of a text file on the web, if the server may ask for it. #N/A until they have come.").examples(&[("=IMPORTDATA(\"https://example.org/a.csv\")", "#N/A")]).described_in("Google Sheets"),
    Function::evaluator("IMPORTJSON", "url, [path]", "A part of JSON on the web as a table, if the server may ask for it. #N/A until it has come.").examples(&[("=IMPORTJSON(\"https://example.org/a.json\",\"items\")", "#N/A")]).described_in("Quadrille"),
    unavailable!("IMPORTFEED", "url, [query], [headers], [items]", "The entries of a feed: always #N/A, calculations do not reach the web.", not_available, "=IMPORTFEED(\"https://example.org\")", "#N/A").described_in("Google Sheets"),
    Function::evaluator("IMPORTHTML", "url, query, index, [locale]", "A table or a list of a web page, if the server may ask for it. #N/A until it has come.").examples(&[("=IMPORTHTML(\"https://example.org\",\"table\",1)", "#N/A")]).described_in("Google Sheets"),
    unavailable!("IMPORTXML", "url, query, [locale]", "A part of a web page: always #N/A, calculations do not reach the web.", not_available, "=IMPORTXML(\"https://example.org\",\"//a\")", "#N/A").described_in("Google Sheets"),
    unavailable!("GOOGLEFINANCE", "ticker, [attribute], [start_date], [end_date], [interval]", "A price of an exchange: always #N/A, no exchange is asked.", not_available, "=GOOGLEFINANCE(\"GOOG\")", "#N/A").described_in("Google Sheets"),
    unavailable!("GOOGLETRANSLATE", "text, [source_language], [target_language]", "A text in another language: always #N/A, no translator is asked.", not_available, "=GOOGLETRANSLATE(\"hello\",\"en\",\"es\")", "#N/A").described_in("Google Sheets"),
];

fn no_value(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Err(ErrorValue::Value)
}

fn not_available(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Err(ErrorValue::NotAvailable)
}

fn no_name(_: &mut CallContext, _: &[Operand]) -> OperandResult {
    Err(ErrorValue::Name)
}
