//! The group of every row of the source.

use quadrille_cell::Value;

use crate::definition::{Definition, GroupField, Grouping};
use crate::dictionary::Dictionary;
use crate::hasher::FastMap;
use crate::source::{Cell, SourceColumn};

/// Marks rows that are in no group: filtered or blank.
pub(crate) const NO_GROUP: u32 = u32::MAX;
/// Entries of a table that replaces a hash map while all rows are read: 16 MB.
const TABLE_MAX: usize = 1 << 22;

/// Combinations of the values of an axis's fields, outermost first. The combinations of each level
/// are numbered from 0 in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Combinations {
    /// One level per field.
    levels: Vec<Level>,
}

#[derive(Clone, Debug, Default)]
struct Level {
    /// Number by the number in the level above and the code of this level's field.
    numbers: FastMap<u64, u32>,
    entries: Vec<(u32, u32)>,
}

impl Level {
    fn number(&mut self, above: u32, code: u32) -> u32 {
        let next = self.entries.len() as u32;
        let number = *self.numbers.entry(u64::from(above) << 32 | u64::from(code)).or_insert(next);
        if number == next {
            self.entries.push((above, code));
        }
        number
    }

    /// Replaces the numbers of the level above by those of this level.
    fn number_all(&mut self, numbers: &mut [u32], codes: &[u32], counts: (usize, usize)) {
        if counts.0.saturating_mul(counts.1) > TABLE_MAX {
            for (number, code) in numbers.iter_mut().zip(codes) {
                if *number != NO_GROUP {
                    *number = self.number(*number, *code);
                }
            }
            return;
        }
        let mut table = vec![NO_GROUP; counts.0 * counts.1];
        for (number, code) in numbers.iter_mut().zip(codes) {
            if *number != NO_GROUP {
                let known = &mut table[*number as usize * counts.1 + *code as usize];
                if *known == NO_GROUP {
                    *known = self.number(*number, *code);
                }
                *number = *known;
            }
        }
    }
}

impl Combinations {
    fn new(fields: usize) -> Combinations {
        Combinations { levels: vec![Level::default(); fields] }
    }

    /// The codes of a combination, outermost field first.
    pub fn codes(&self, number: u32) -> Vec<u32> {
        let mut codes = Vec::with_capacity(self.levels.len());
        let mut number = number;
        for level in self.levels.iter().rev() {
            let (above, code) = level.entries[number as usize];
            codes.push(code);
            number = above;
        }
        codes.reverse();
        codes
    }
}

/// The source columns of a definition by their position in the source.
pub(crate) type Columns = std::collections::BTreeMap<u32, SourceColumn>;

/// The groups of the source's rows. A group is a combination of the row fields with one of the
/// column fields.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// One dictionary per row field, column field and filter.
    pub dictionaries: Vec<Dictionary>,
    pub rows: Combinations,
    pub columns: Combinations,
    pairs: Level,
    /// The group of each row of the source from its first data row on.
    pub of_row: Vec<u32>,
    /// Number of source rows in each group.
    pub row_counts: Vec<u32>,
    /// For each filter and code whether the filter shows it.
    shown: Vec<Vec<bool>>,
}

impl Groups {
    /// Number of groups, including those that have become empty.
    pub fn len(&self) -> usize {
        self.pairs.entries.len()
    }

    /// Number of the combination of row fields and of that of column fields.
    pub fn combinations_of(&self, group: u32) -> (u32, u32) {
        self.pairs.entries[group as usize]
    }

    /// Whether most groups are empty, so that building them again is worthwhile.
    pub fn is_sparse(&self) -> bool {
        let empty = self.row_counts.iter().filter(|count| **count == 0).count();
        empty > self.row_counts.len() / 2 + 1_000
    }

    /// Assigns all rows of the source. `rows` are the first data row and the number of rows up to
    /// the last one that holds something. Returns `None` when `should_stop` does.
    pub fn build(
        definition: &Definition,
        columns: &Columns,
        rows: (u32, u32),
        should_stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Groups> {
        let mut groups = Groups::new(definition);
        let count = rows.1 as usize;
        let mut numbers = initial_numbers(columns, rows);
        let fields = definition.filters.iter().map(|filter| filter.column);
        for (index, column) in fields.enumerate() {
            let dictionary = definition.rows.len() + definition.columns.len() + index;
            let codes = groups.codes(dictionary, &columns[&column], rows);
            let shown = shown_codes(&groups.dictionaries[dictionary], definition, index, 0);
            for (number, code) in numbers.iter_mut().zip(&codes) {
                if !shown[*code as usize] {
                    *number = NO_GROUP;
                }
            }
            groups.shown[index] = shown;
            if should_stop(count as u64) {
                return None;
            }
        }
        let mut axes = [numbers.clone(), numbers];
        for (index, field) in definition.group_fields().enumerate() {
            let codes = groups.codes(index, &columns[&field.column], rows);
            let is_column = index >= definition.rows.len();
            let (axis, depth) = match is_column {
                true => (&mut groups.columns, index - definition.rows.len()),
                false => (&mut groups.rows, index),
            };
            let above = depth.checked_sub(1).map_or(1, |above| axis.levels[above].entries.len());
            let counts = (above, groups.dictionaries[index].len());
            axis.levels[depth].number_all(&mut axes[usize::from(is_column)], &codes, counts);
            if should_stop(count as u64) {
                return None;
            }
        }
        let [mut numbers, column_numbers] = axes;
        let count_of = |axis: &Combinations| axis.levels.last().map_or(1, |level| level.entries.len());
        let counts = (count_of(&groups.rows), count_of(&groups.columns));
        groups.pairs.number_all(&mut numbers, &column_numbers, counts);
        groups.row_counts = vec![0; groups.pairs.entries.len()];
        for group in numbers.iter().filter(|group| **group != NO_GROUP) {
            groups.row_counts[*group as usize] += 1;
        }
        groups.of_row = numbers;
        Some(groups)
    }

    fn new(definition: &Definition) -> Groups {
        let of_field = |field: &GroupField| {
            let dictionary = Dictionary::new(field.grouping, definition.dates);
            dictionary.with_groups(field.groups.clone())
        };
        let of_filters =
            definition.filters.iter().map(|_| Dictionary::new(Grouping::Values, definition.dates));
        let dictionaries = definition.group_fields().map(of_field).chain(of_filters).collect();
        Groups {
            dictionaries,
            rows: Combinations::new(definition.rows.len()),
            columns: Combinations::new(definition.columns.len()),
            pairs: Level::default(),
            of_row: Vec::new(),
            row_counts: Vec::new(),
            shown: vec![Vec::new(); definition.filters.len()],
        }
    }

    fn codes(&mut self, dictionary: usize, column: &SourceColumn, (first, count): (u32, u32)) -> Vec<u32> {
        let dictionary = &mut self.dictionaries[dictionary];
        let mut codes = vec![NO_GROUP; count as usize];
        let Some(last) = count.checked_sub(1).map(|offset| first + offset) else { return codes };
        let mut blanks = codes.len();
        column.for_each(first, last, |row, cell| {
            codes[(row - first) as usize] = dictionary.code(cell);
            blanks -= 1;
        });
        if blanks > 0 {
            let blank = dictionary.code(Cell::Blank);
            codes.iter_mut().filter(|code| **code == NO_GROUP).for_each(|code| *code = blank);
        }
        codes
    }

    /// Assigns one row again. `value` returns its value in a column of the source. Returns the
    /// group that it had and the one that it has.
    pub fn reassign(
        &mut self,
        definition: &Definition,
        row: usize,
        value: &dyn Fn(u32) -> Value,
    ) -> (u32, u32) {
        if row >= self.of_row.len() {
            self.of_row.resize(row + 1, NO_GROUP);
        }
        let before = self.of_row[row];
        let after = self.group_of(definition, value);
        self.of_row[row] = after;
        self.row_counts.resize(self.pairs.entries.len(), 0);
        if before != NO_GROUP {
            self.row_counts[before as usize] -= 1;
        }
        if after != NO_GROUP {
            self.row_counts[after as usize] += 1;
        }
        (before, after)
    }

    fn group_of(&mut self, definition: &Definition, value: &dyn Fn(u32) -> Value) -> u32 {
        let used = used_columns(definition);
        if used.into_iter().all(|column| value(column).is_blank()) {
            return NO_GROUP;
        }
        let row_fields = definition.rows.len();
        let group_fields = row_fields + definition.columns.len();
        for (index, filter) in definition.filters.iter().enumerate() {
            let dictionary = &mut self.dictionaries[group_fields + index];
            let code = dictionary.code(Cell::from(&value(filter.column)));
            let known = self.shown[index].len();
            let added = shown_codes(dictionary, definition, index, known);
            self.shown[index].extend(added);
            if !self.shown[index][code as usize] {
                return NO_GROUP;
            }
        }
        let mut numbers = [0, 0];
        for (index, field) in definition.group_fields().enumerate() {
            let code = self.dictionaries[index].code(Cell::from(&value(field.column)));
            let (axis, depth) = match index >= row_fields {
                true => (&mut self.columns, index - row_fields),
                false => (&mut self.rows, index),
            };
            let number = &mut numbers[usize::from(index >= row_fields)];
            *number = axis.levels[depth].number(*number, code);
        }
        self.pairs.number(numbers[0], numbers[1])
    }
}

/// Columns of the source that the pivot table reads, ascending.
pub(crate) fn used_columns(definition: &Definition) -> Vec<u32> {
    let groups = definition.group_fields().map(|field| field.column);
    let values = definition.aggregates().into_iter().map(|(column, _)| column);
    let filters = definition.filters.iter().map(|field| field.column);
    let mut used: Vec<u32> = groups.chain(values).chain(filters).collect();
    used.sort();
    used.dedup();
    used
}

/// 0 for rows with a value in some column, [`NO_GROUP`] for blank ones.
fn initial_numbers(columns: &Columns, (first, count): (u32, u32)) -> Vec<u32> {
    let mut numbers = vec![NO_GROUP; count as usize];
    let Some(last) = count.checked_sub(1).map(|offset| first + offset) else { return numbers };
    for column in columns.values() {
        column.for_each(first, last, |row, cell| {
            if !matches!(cell, Cell::Blank) {
                numbers[(row - first) as usize] = 0;
            }
        });
    }
    numbers
}

/// Whether a filter shows each code from `from` on.
fn shown_codes(dictionary: &Dictionary, definition: &Definition, filter: usize, from: usize) -> Vec<bool> {
    let codes = from as u32..dictionary.len() as u32;
    codes.map(|code| definition.filters[filter].shows(dictionary.value(code))).collect()
}
