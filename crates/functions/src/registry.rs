//! The list of functions. One entry is a function's whole description; help, completion, documentation and tests read it.

use std::sync::LazyLock;

use crate::function::{Category, Function, OF_TOOLPAK, documented};

struct Group {
    category: Category,
    /// Where the functions are described, for those that do not say otherwise.
    source: &'static str,
    functions: &'static [Function],
}

const GROUPS: &[Group] = &[
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::mathematics::arithmetic::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::mathematics::integers::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::mathematics::random::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::mathematics::summation::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::mathematics::trigonometry::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.17", crate::mathematics::rounding::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.19", crate::engineering::bases::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::engineering::bessel::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.9 and 6.16", crate::engineering::bits::FUNCTIONS),
    Group::new(
        Category::Mathematics,
        "Excel; OpenFormula 6.8",
        crate::engineering::complex_functions::FUNCTIONS,
    ),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::engineering::units::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.9", crate::statistics::database::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::hypotheses::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::moments::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::regression::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.5", crate::mathematics::matrix::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::averages::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::order::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::correlation::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::dispersion::FUNCTIONS),
    Group::new(
        Category::Statistics,
        "Excel; OpenFormula 6.13 and 6.18",
        crate::statistics::counting::FUNCTIONS,
    ),
    Group::new(
        Category::Statistics,
        "Excel; OpenFormula 6.13 and 6.18",
        crate::statistics::conditional::FUNCTIONS,
    ),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::discrete::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::gamma::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::normal::FUNCTIONS),
    Group::new(Category::Statistics, "Excel; OpenFormula 6.18", crate::statistics::student_t::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::statistics::subtotal::FUNCTIONS),
    Group::new(Category::Logical, "Excel; OpenFormula 6.15", crate::logical::FUNCTIONS),
    Group::new(Category::Information, "Excel; OpenFormula 6.13", crate::information::FUNCTIONS),
    Group::new(Category::Information, "Excel; OpenFormula 6.13", crate::cell_info::FUNCTIONS),
    Group::new(Category::Lookup, "Excel", crate::external_data::FUNCTIONS),
    Group::new(Category::Mathematics, "Excel; OpenFormula 6.16", crate::mathematics::series::FUNCTIONS),
    Group::new(Category::Mathematics, "Google Sheets", crate::google::FUNCTIONS),
    Group::new(Category::Information, "Google Sheets", crate::google::MORE),
    Group::new(Category::Array, "Google Sheets", crate::query::FUNCTIONS),
    Group::new(Category::Text, "Google Sheets", crate::sparkline::FUNCTIONS),
    Group::new(Category::Text, "EtherCalc", crate::form_widgets::FUNCTIONS),
    Group::new(Category::Statistics, "Excel", crate::statistics::smoothing::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.7 and 6.20", crate::text::east_asia::FUNCTIONS),
    Group::new(Category::Text, "Excel", crate::text::value_to_text::FUNCTIONS),
    Group::new(Category::Text, "Excel", crate::text::patterns::FUNCTIONS),
    Group::new(Category::Array, "Excel", crate::array::wrap::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.20", crate::text::characters::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.20", crate::text::convert::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.20", crate::text::join::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.20", crate::text::substrings::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.20", crate::text::search::FUNCTIONS),
    Group::new(Category::Text, "Excel; OpenFormula 6.20", crate::text::split::FUNCTIONS),
    Group::new(Category::DateAndTime, "Excel; OpenFormula 6.10", crate::dates::date_differences::FUNCTIONS),
    Group::new(Category::DateAndTime, "Excel; OpenFormula 6.10", crate::dates::calendar::FUNCTIONS),
    Group::new(Category::DateAndTime, "Excel; OpenFormula 6.10", crate::dates::clock::FUNCTIONS),
    Group::new(Category::DateAndTime, "Excel; OpenFormula 6.10", crate::dates::workdays::FUNCTIONS),
    Group::new(Category::Lookup, "Excel; OpenFormula 6.14", crate::lookup::index::FUNCTIONS),
    Group::new(Category::Lookup, "Excel; OpenFormula 6.14", crate::lookup::reference::FUNCTIONS),
    Group::new(Category::Lookup, "Excel; OpenFormula 6.14", crate::lookup::table::FUNCTIONS),
    Group::new(Category::Lookup, "Excel; OpenFormula 6.14", crate::lookup::xlookup::FUNCTIONS),
    Group::new(Category::Array, "Excel; OpenFormula 6.5", crate::array::filter::FUNCTIONS),
    Group::new(Category::Array, "Excel; OpenFormula 6.5", crate::array::shape::FUNCTIONS),
    Group::new(Category::Array, "Excel; OpenFormula 6.5", crate::array::sort::FUNCTIONS),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::annuity::FUNCTIONS),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::bonds::FUNCTIONS),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::coupons::FUNCTIONS),
    Group::new(Category::Financial, "Excel", crate::financial::euro::FUNCTIONS),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::odd_bonds::FUNCTIONS),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::discount::FUNCTIONS),
    Group::new(
        Category::Financial,
        "Excel; OpenFormula 6.12",
        crate::financial::variable_depreciation::FUNCTIONS,
    ),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::cashflow::FUNCTIONS),
    Group::new(Category::Financial, "Excel; OpenFormula 6.12", crate::financial::depreciation::FUNCTIONS),
];

impl Group {
    const fn new(category: Category, source: &'static str, functions: &'static [Function]) -> Group {
        Group { category, source: documented(source), functions }
    }
}

/// All functions in the order of their names.
struct Registry {
    functions: Vec<Function>,
    /// A name is looked for at each call: where it stands among the functions, plus one, at its hash or soon after it.
    places: Vec<u16>,
}

/// A power of two, several times as many as there are functions, so that most names are found at once.
const PLACES: usize = 2_048;

/// Where a name is looked for first (FNV-1a).
fn position_of(name: &str) -> usize {
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 16) as usize % PLACES
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut functions = Vec::new();
    for group in GROUPS {
        for function in group.functions {
            let source = if function.source.is_empty() { group.source } else { function.source };
            functions.push(Function { category: group.category, source, ..function.clone() });
        }
    }
    functions.sort_by_key(|function: &Function| function.name);
    for name in OF_TOOLPAK.split(' ') {
        if let Ok(index) = functions.binary_search_by_key(&name, |function| function.name) {
            functions[index].takes_no_truth_values = true;
        }
    }
    let mut places = vec![0; PLACES];
    for (number, function) in (1..).zip(&functions) {
        let mut place = position_of(function.name);
        while places[place] != 0 {
            place = (place + 1) % PLACES;
        }
        places[place] = number;
    }
    Registry { functions, places }
});

/// Every function, by name.
pub fn all() -> &'static [Function] {
    &REGISTRY.functions
}

/// The function of that name in upper case, without the `_xlfn.` of files.
pub fn lookup(name: &str) -> Option<&'static Function> {
    number_of(name).map(numbered)
}

/// As [`lookup`], as a number that stays the same while the program runs.
pub fn number_of(name: &str) -> Option<u16> {
    let Registry { functions, places } = &*REGISTRY;
    let mut place = position_of(name);
    loop {
        let number = places[place].checked_sub(1)?;
        if functions[usize::from(number)].name == name {
            return Some(number);
        }
        place = (place + 1) % PLACES;
    }
}

/// The function with a number that [`number_of`] has given.
pub fn numbered(number: u16) -> &'static Function {
    &REGISTRY.functions[usize::from(number)]
}
