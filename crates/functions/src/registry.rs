//! The registry of all functions, from which help, completion, documentation and tests are derived.

use std::sync::LazyLock;

use crate::function::{ANALYSIS_TOOLPAK, Category, Function, documented};

struct Group {
    category: Category,
    /// Documents that describe the functions, unless a function has a source of its own.
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
    Group::new(Category::Information, "Google Sheets", crate::google::VALIDATION_AND_CONVERSION),
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

/// All functions, sorted by name, with a hash table of their names.
struct Registry {
    functions: Vec<Function>,
    /// Open addressing with linear probing: index of the function plus one, or 0 for an empty slot.
    slots: Vec<u16>,
}

/// Number of slots: a power of two, several times the number of functions, so that most lookups
/// need one probe.
const SLOT_COUNT: usize = 2_048;

/// Returns the first slot of a name, by its FNV-1a hash.
fn first_slot(name: &str) -> usize {
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 16) as usize % SLOT_COUNT
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut functions = Vec::new();
    for group in GROUPS {
        for function in group.functions {
            let source = if function.source.is_empty() { group.source } else { function.source };
            functions.push(Function { category: group.category, source, ..function.clone() });
        }
    }
    quadrille_cell::stable_sort_by_key(&mut functions, |function: &Function| function.name);
    for name in ANALYSIS_TOOLPAK.split(' ') {
        if let Ok(index) = functions.binary_search_by_key(&name, |function| function.name) {
            functions[index].rejects_booleans = true;
        }
    }
    let mut slots = vec![0; SLOT_COUNT];
    for (entry, function) in (1..).zip(&functions) {
        let mut slot = first_slot(function.name);
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOT_COUNT;
        }
        slots[slot] = entry;
    }
    Registry { functions, slots }
});

/// Returns all functions, sorted by name.
pub fn all() -> &'static [Function] {
    &REGISTRY.functions
}

/// Returns the function with a name in upper case, without the `_xlfn.` prefix of files.
pub fn lookup(name: &str) -> Option<&'static Function> {
    function_index(name).map(function_at)
}

/// As [`lookup`], but returns the index of the function, which is constant within a process.
pub fn function_index(name: &str) -> Option<u16> {
    let Registry { functions, slots } = &*REGISTRY;
    let mut slot = first_slot(name);
    loop {
        let index = slots[slot].checked_sub(1)?;
        if functions[usize::from(index)].name == name {
            return Some(index);
        }
        slot = (slot + 1) % SLOT_COUNT;
    }
}

/// Returns the function with an index that [`function_index`] returned.
///
/// # Panics
/// Panics when no function has the index.
pub fn function_at(index: u16) -> &'static Function {
    &REGISTRY.functions[usize::from(index)]
}
