//! Moved rows and columns over inserted, deleted and moved ones (R8), and over sorts (R20).
//!
//! Over an insertion or a deletion, a move is adjusted directly ([`move_over_insertion`],
//! [`move_over_deletion`] and their counterparts). For two moves, [`move_over_move`] computes the
//! final order of the rows or columns once; each side then gets the moves that are still missing.
//! For a move and a sort, [`move_over_sort`] and [`sort_over_move`] do the same with the contents
//! of the sorted columns.

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};

use super::permutation::inverse_of;
use super::relocate::{relocate_span, with_span};
use crate::Operation;
use crate::Operation::{PermuteRows, Restructure};
use crate::rebase::outcome::Outcome;

/// Returns whether the edit moves rows.
pub(super) fn is_move_of_rows(edit: &StructuralEdit) -> bool {
    edit.dimension == Dimension::Rows && matches!(edit.kind, EditKind::Move { .. })
}

/// Returns a move in the dimension and sheet of `edit`; `None` if it changes nothing.
fn move_of(edit: &StructuralEdit, at: u32, count: u32, to: u32) -> Option<Operation> {
    let end = edit.dimension.len_max();
    if at >= end {
        return None; // pushed off the sheet
    }
    let count = count.min(end - at);
    let moved = StructuralEdit { kind: EditKind::Move { to: to.min(end) }, at, count, ..*edit };
    moved.moved_window().map(|_| Restructure(moved))
}

// Moves over insertions and deletions

/// Rebases a move over an insertion (R8). Rows inserted between moved rows move with them.
pub(super) fn move_over_insertion(
    moved: &StructuralEdit,
    to: u32,
    insertion: &StructuralEdit,
    is_later: bool,
) -> Vec<Operation> {
    let (at, count, inserted) = (moved.at, moved.count, insertion.count);
    let shift = |index: u32, moves: bool| if moves { index.saturating_add(inserted) } else { index };
    let goes_along = at < insertion.at && insertion.at < moved.end();
    // At the same position, the row inserted or moved first comes first.
    let to = shift(to, insertion.at < to || insertion.at == to && is_later);
    let at_after = shift(at, insertion.at <= at);
    move_of(moved, at_after, shift(count, goes_along), to).into_iter().collect()
}

/// Rebases an insertion over a move (R8).
pub(super) fn insertion_over_move(
    insertion: &StructuralEdit,
    moved: &StructuralEdit,
    to: u32,
    is_later: bool,
) -> Vec<Operation> {
    let end = insertion.dimension.len_max();
    let behind = |index: u32| moved.map_index(index - 1).map_or(end, |index| index + 1);
    let at = match insertion.at {
        // At the edge of the moved rows: the insertion stays at their old position.
        at if moved.at == at || moved.end() == at => match moved.end() {
            next if next < end => moved.map_index(next).unwrap_or(next),
            _ => behind(moved.at),
        },
        at if at == to && !is_later => moved.destination(),
        at => moved.map_index(at).unwrap_or(at),
    };
    let count = insertion.count.min(end.saturating_sub(at));
    (count > 0).then_some(Restructure(StructuralEdit { at, count, ..*insertion })).into_iter().collect()
}

/// Rebases a move over a deletion (R8): the remaining rows are moved.
pub(super) fn move_over_deletion(
    moved: &StructuralEdit,
    to: u32,
    deletion: &StructuralEdit,
) -> Vec<Operation> {
    let remaining = relocate_span(moved.at, moved.end() - 1, deletion);
    let Some(first) = remaining.first() else { return Vec::new() };
    let count = remaining.iter().map(|part| part.count).sum();
    let to = match to {
        to if to <= deletion.at => to,
        to => to.max(deletion.end()) - deletion.count,
    };
    move_of(moved, first.after, count, to).into_iter().collect()
}

/// Rebases a deletion over a move (R8). The deletion follows its rows; parts are listed from the
/// bottom upwards.
pub(super) fn deletion_over_move(deletion: &StructuralEdit, moved: &StructuralEdit) -> Vec<Operation> {
    let last = deletion.end().min(deletion.dimension.len_max()) - 1;
    let mut parts: Vec<StructuralEdit> = Vec::new();
    for part in relocate_span(deletion.at, last, moved) {
        match parts.last_mut() {
            Some(before) if before.end() == part.after => before.count += part.count,
            _ => parts.push(StructuralEdit { at: part.after, count: part.count, ..*deletion }),
        }
    }
    parts.into_iter().rev().map(Restructure).collect()
}

// Moves over moves

/// First index and count of adjacent rows or columns, by their indices before both moves.
type Span = (u32, u32);

/// An order of the rows or columns from index `first` on, as spans of original indices.
#[derive(Clone)]
struct Order {
    first: u32,
    spans: Vec<Span>,
}

impl Order {
    fn position_of(&self, index: u32) -> u32 {
        let mut position = self.first;
        for (first, count) in &self.spans {
            if (*first..first + count).contains(&index) {
                return position + (index - first);
            }
            position += count;
        }
        position
    }

    /// Removes and returns the rows that `takes` selects, as spans split at `cuts`.
    fn take(&mut self, cuts: &[u32], takes: impl Fn(u32) -> bool) -> Vec<Span> {
        let mut pieces: Vec<Span> = Vec::new();
        for (first, count) in self.spans.drain(..) {
            let mut from = first;
            let mut inside: Vec<u32> =
                cuts.iter().copied().filter(|cut| first < *cut && *cut < first + count).collect();
            inside.sort();
            for cut in inside.into_iter().chain([first + count]) {
                if from < cut {
                    pieces.push((from, cut - from));
                    from = cut;
                }
            }
        }
        let taken = pieces.iter().copied().filter(|(first, _)| takes(*first)).collect();
        self.spans = pieces.into_iter().filter(|(first, _)| !takes(*first)).collect();
        taken
    }

    /// Inserts spans before `index`, or at the end.
    fn insert(&mut self, spans: Vec<Span>, before: u32) {
        let mut at = 0;
        while let Some((first, count)) = self.spans.get(at).copied() {
            if (first..first + count).contains(&before) {
                if first < before {
                    self.spans[at] = (first, before - first);
                    self.spans.insert(at + 1, (before, first + count - before));
                    at += 1;
                }
                break;
            }
            at += 1;
        }
        self.spans.splice(at..at, spans);
    }

    fn moved(mut self, at: u32, count: u32, before: u32) -> Order {
        let spans = self.take(&[at, at + count], |first| (at..at + count).contains(&first));
        self.insert(spans, before);
        self
    }
}

/// Rebases two moves over each other (R8). Rows that both move go where the later move puts them.
/// Rows moved between rows that the other side moves go with them.
pub(super) fn move_over_move(
    (later, later_to): (&StructuralEdit, u32),
    (earlier, earlier_to): (&StructuralEdit, u32),
) -> Outcome {
    let (Some(window), Some(other)) = (later.moved_window(), earlier.moved_window()) else {
        return Outcome::unchanged();
    };
    let hull = (window.0.min(other.0), window.1.max(other.1));
    let before = Order { first: hull.0, spans: vec![(hull.0, hull.1 - hull.0 + 1)] };
    let is_in = |edit: &StructuralEdit, index: u32| (edit.at..edit.end()).contains(&index);
    let is_among = |edit: &StructuralEdit, to: u32| edit.at < to && to < edit.end();

    let after_earlier = before.clone().moved(earlier.at, earlier.count, earlier_to);
    let after_later = before.moved(later.at, later.count, later_to);

    let takes_later_along = is_among(earlier, later_to);
    let takes_earlier_along = is_among(later, earlier_to) && !takes_later_along;
    // The row before which the rows of the later move belong, if the earlier move has moved the
    // original target away.
    let mut target = later_to;
    if !takes_later_along && is_in(earlier, target) {
        target = earlier.end();
    }
    if is_in(later, target) {
        target = later.end();
    }
    if !takes_later_along && is_in(earlier, target) {
        target = earlier.end();
    }
    let cuts = [later.at, later.end(), earlier.at, earlier.end()];
    let mut wanted = after_earlier.clone();
    let taken =
        wanted.take(&cuts, |first| is_in(later, first) || takes_earlier_along && is_in(earlier, first));
    wanted.insert(taken, target);

    let later_moves = moves_towards(&wanted, after_earlier, later, &cuts, |index| {
        is_in(later, index) || takes_earlier_along && is_in(earlier, index)
    });
    let earlier_moves = moves_towards(&wanted, after_later, earlier, &cuts, |index| {
        is_in(earlier, index) || takes_later_along && is_in(later, index)
    });
    Outcome::both(later_moves, earlier_moves)
}

/// Returns the moves that bring the rows selected by `moves` into the wanted order. All other rows
/// are in that order already.
fn moves_towards(
    wanted: &Order,
    mut found: Order,
    like: &StructuralEdit,
    cuts: &[u32],
    moves: impl Fn(u32) -> bool,
) -> Vec<Operation> {
    let mut cut = wanted.clone();
    cut.take(cuts, |_| false);
    let mut pieces: Vec<(Option<u32>, Span)> = Vec::new();
    let mut before = None;
    for span in cut.spans {
        let is_joined = matches!(pieces.last(), Some((_, (first, count))) if first + count == span.0);
        match pieces.last_mut() {
            Some((_, last)) if is_joined && moves(last.0) && moves(span.0) => last.1 += span.1,
            _ => pieces.push((before, span)),
        }
        before = Some(span.0 + span.1 - 1);
    }
    let mut operations = Vec::new();
    for (before, (first, count)) in pieces.into_iter().filter(|(_, (first, _))| moves(*first)) {
        // The rows of a piece may be apart; each part is moved behind its predecessor.
        let mut behind = before;
        let mut index = first;
        while index < first + count {
            let at = found.position_of(index);
            let mut length = 1;
            while index + length < first + count && found.position_of(index + length) == at + length {
                length += found.run_from(index + length).min(first + count - index - length);
            }
            let to = behind.map_or(found.first, |index| found.position_of(index) + 1);
            if let Some(operation) = move_of(like, at, length, to) {
                operations.push(operation);
                let next = found.index_at(to);
                found = found.moved(index, length, next);
            }
            behind = Some(index + length - 1);
            index += length;
        }
    }
    operations
}

impl Order {
    /// Returns how many rows from `index` on are still adjacent.
    fn run_from(&self, index: u32) -> u32 {
        let holds = |(first, count): &&Span| (*first..first + count).contains(&index);
        self.spans.iter().find(holds).map_or(1, |(first, count)| first + count - index)
    }

    /// Returns the original index of the row at a position; beyond the end, an index that no span
    /// contains.
    fn index_at(&self, position: u32) -> u32 {
        let mut next = self.first;
        for (first, count) in &self.spans {
            if position < next + count {
                return first + (position - next);
            }
            next += count;
        }
        u32::MAX
    }
}

// Moves over sorts

type SortRef<'a> = (SheetId, Range, &'a [u32]);

/// Rebases a later move over an earlier sort (R20): the rows are moved with all columns, and within
/// the sorted columns the contents that the move meant follow.
pub(super) fn move_over_sort(moved: &StructuralEdit, sort: SortRef<'_>) -> Outcome {
    sort_and_move(sort, moved, true, Outcome::both)
}

/// Rebases a later sort over an earlier move (R20): moved rows are sorted with the others, unless
/// they were moved into the range or out of it.
pub(super) fn sort_over_move(sort: SortRef<'_>, moved: &StructuralEdit) -> Outcome {
    sort_and_move(sort, moved, false, |moves, sorts| Outcome::both(sorts, moves))
}

/// Calls `outcome` with the move after the sort and the sort after the move.
fn sort_and_move(
    (sheet, range, order): SortRef<'_>,
    moved: &StructuralEdit,
    is_move_later: bool,
    outcome: impl FnOnce(Vec<Operation>, Vec<Operation>) -> Outcome,
) -> Outcome {
    let (EditKind::Move { to }, Some(window)) = (moved.kind, moved.moved_window()) else {
        return Outcome::unchanged();
    };
    let (first, last) = (range.first().row.get(), range.last().row.get());
    if sheet != moved.sheet || last < window.0 || window.1 < first {
        return Outcome::unchanged();
    }
    let hull = (window.0.min(first), window.1.max(last));
    // Contents of the sorted columns, identified by their row before both operations.
    let before: Vec<u32> = (hull.0..=hull.1).collect();
    let position = |row: u32| (row - hull.0) as usize;
    let with_move = |rows: &[u32]| {
        let mut after = rows.to_vec();
        for (row, content) in (hull.0..).zip(rows) {
            after[position(moved.map_index(row).unwrap_or(row))] = *content;
        }
        after
    };
    let after_move = with_move(&before);
    let mut after_sort = before.clone();
    for (target, source) in (first..).zip(order) {
        after_sort[position(target)] = first + source;
    }
    let wanted: Vec<u32> = if is_move_later {
        let is_moved = |content: &u32| (moved.at..moved.end()).contains(content);
        let (before_target, after_target) = after_sort.split_at(to.saturating_sub(hull.0) as usize);
        let rest =
            |part: &[u32]| part.iter().copied().filter(|content| !is_moved(content)).collect::<Vec<_>>();
        let taken: Vec<u32> = after_sort.iter().copied().filter(is_moved).collect();
        [rest(before_target), taken, rest(after_target)].concat()
    } else {
        let mut wanted = after_move.clone();
        let (span_first, span_last) = moved.map_span(first, last).unwrap_or((first, last));
        let is_inside = |content: u32| {
            let row = moved.map_index(content).unwrap_or(content);
            (span_first..=span_last).contains(&row)
        };
        let mut contents = order.iter().map(|source| first + source).filter(|content| is_inside(*content));
        for row in span_first..=span_last {
            let is_sorted = (first..=last).contains(&after_move[position(row)]);
            if let Some(content) = if is_sorted { contents.next() } else { None } {
                wanted[position(row)] = content;
            }
        }
        wanted
    };
    let sort_from = |found: &[u32]| permutation(sheet, range, hull.0, found, &wanted);
    let moves = [Some(Restructure(*moved)), sort_from(&with_move(&after_sort))];
    outcome(moves.into_iter().flatten().collect(), sort_from(&after_move).into_iter().collect())
}

/// Returns the sort of the columns of `range` that turns the order `found` into `wanted`, both from
/// row `first` on.
fn permutation(sheet: SheetId, range: Range, first: u32, found: &[u32], wanted: &[u32]) -> Option<Operation> {
    let differs = |index: &usize| found[*index] != wanted[*index];
    let from = (0..found.len()).find(differs)?;
    let until = (0..found.len()).rev().find(differs)?;
    let position_of_content = inverse_of(&found.iter().map(|content| content - first).collect::<Vec<_>>());
    let order: Vec<u32> = wanted[from..=until]
        .iter()
        .map(|content| position_of_content[(content - first) as usize] - from as u32)
        .collect();
    let range = with_span(range, Dimension::Rows, first + from as u32, order.len() as u32);
    Some(PermuteRows { sheet, range, order: order.into() })
}
