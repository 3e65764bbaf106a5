//! Run-length encoding of sparse sequences.

/// One value for the indices `first..=last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<T> {
    pub first: u32,
    pub last: u32,
    pub value: T,
}

/// A sparse map from index (row or column, counted from 0) to value, stored as runs in ascending
/// order.
///
/// Runs never overlap, and adjacent runs differ in value, so equal maps have equal representations.
/// A lookup takes O(log runs), an append O(1), other changes O(runs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs<T> {
    runs: Vec<Run<T>>,
}

impl<T> Default for Runs<T> {
    fn default() -> Runs<T> {
        Runs { runs: Vec::new() }
    }
}

impl<T> Runs<T> {
    /// Whether no index has a value.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of runs (not of indices).
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// All runs in ascending order.
    pub fn iter(&self) -> std::slice::Iter<'_, Run<T>> {
        self.runs.iter()
    }

    /// First and last index that have a value.
    pub fn extent(&self) -> Option<(u32, u32)> {
        Some((self.runs.first()?.first, self.runs.last()?.last))
    }

    /// Position of the first run that ends at or after `index`.
    fn position(&self, index: u32) -> usize {
        // Appending is the common case; it needs no search.
        if self.runs.last().is_none_or(|run| run.last < index) {
            return self.runs.len();
        }
        self.runs.partition_point(|run| run.last < index)
    }

    /// The run that contains `index`.
    pub fn run_at(&self, index: u32) -> Option<&Run<T>> {
        self.runs.get(self.position(index)).filter(|run| run.first <= index)
    }

    /// The value at `index`.
    pub fn get(&self, index: u32) -> Option<&T> {
        self.run_at(index).map(|run| &run.value)
    }

    /// The runs that intersect `first..=last`, clipped to it.
    pub fn iter_in(&self, first: u32, last: u32) -> impl Iterator<Item = Run<&T>> {
        self.runs[self.position(first)..]
            .iter()
            .take_while(move |run| run.first <= last)
            .map(move |run| Run { first: run.first.max(first), last: run.last.min(last), value: &run.value })
    }
}

impl<T: Clone + PartialEq> Runs<T> {
    /// Sets the value of `first..=last`, or removes it if `value` is `None`.
    pub fn set(&mut self, first: u32, last: u32, value: Option<T>) {
        debug_assert!(first <= last);
        let mut from = self.position(first);
        let mut to = from + self.runs[from..].iter().take_while(|run| run.first <= last).count();
        let mut pieces: [Option<Run<T>>; 3] = [None, None, None];
        if let Some(run) = self.runs[from..to].first().filter(|run| run.first < first) {
            pieces[0] = Some(Run { first: run.first, last: first - 1, value: run.value.clone() });
        }
        if let Some(run) = self.runs[from..to].last().filter(|run| run.last > last) {
            pieces[2] = Some(Run { first: last + 1, last: run.last, value: run.value.clone() });
        }
        pieces[1] = value.map(|value| Run { first, last, value });
        // Adjacent runs are included, to be merged if their values are equal.
        if pieces[0].is_none() && from > 0 && self.runs[from - 1].last + 1 == first {
            from -= 1;
            pieces[0] = Some(self.runs[from].clone());
        }
        if pieces[2].is_none() && self.runs.get(to).is_some_and(|run| run.first == last + 1) {
            pieces[2] = Some(self.runs[to].clone());
            to += 1;
        }
        let mut merged: Vec<Run<T>> = Vec::with_capacity(3);
        for piece in pieces.into_iter().flatten() {
            push_merging(&mut merged, piece);
        }
        // Replaces in place if the number of runs stays the same: extending the last run is an
        // append.
        if merged.len() == to - from {
            for (slot, run) in self.runs[from..to].iter_mut().zip(merged) {
                *slot = run;
            }
        } else {
            self.runs.splice(from..to, merged);
        }
    }

    /// Sets the values of the runs `over`, which are in ascending order. Takes O(runs) in all,
    /// whereas a call of [`set`](Runs::set) for each run would shift the runs behind it every time.
    pub fn overlay(&mut self, over: Vec<Run<T>>) {
        let capacity = self.runs.len().max(over.len());
        let before = std::mem::replace(&mut self.runs, Vec::with_capacity(capacity));
        let mut over = over.into_iter().peekable();
        for run in before {
            let mut next = run.first.max(self.runs.last().map_or(0, |run| run.last + 1));
            while let Some(new) = over.next_if(|new| new.first <= run.last) {
                if next < new.first {
                    push_merging(
                        &mut self.runs,
                        Run { first: next, last: new.first - 1, value: run.value.clone() },
                    );
                }
                next = next.max(new.last + 1);
                push_merging(&mut self.runs, new);
            }
            if next <= run.last {
                push_merging(&mut self.runs, Run { first: next, ..run });
            }
        }
        for new in over {
            push_merging(&mut self.runs, new);
        }
    }

    /// The runs that end before `index`, nearest first.
    pub fn preceding(&self, index: u32) -> impl Iterator<Item = &Run<T>> {
        self.runs[..self.position(index)].iter().rev()
    }

    /// Inserts `count` indices without a value before `at`. Values at `len_max` and beyond are
    /// dropped.
    pub fn insert(&mut self, at: u32, count: u32, len_max: u32) {
        let from = self.position(at);
        if let Some(run) = self.runs.get_mut(from).filter(|run| run.first < at) {
            let tail = Run { first: at, last: run.last, value: run.value.clone() };
            run.last = at - 1;
            self.runs.insert(from + 1, tail);
        }
        for run in self.runs[from..].iter_mut().filter(|run| run.first >= at) {
            run.first = run.first.saturating_add(count);
            run.last = run.last.saturating_add(count).min(len_max - 1);
        }
        while self.runs.last().is_some_and(|run| run.first >= len_max) {
            self.runs.pop();
        }
    }

    /// Deletes the indices `at..at + count`; following indices shift down.
    pub fn delete(&mut self, at: u32, count: u32) {
        let end = at.saturating_add(count);
        self.set(at, end - 1, None);
        let from = self.position(at);
        for run in &mut self.runs[from..] {
            run.first -= count;
            run.last -= count;
        }
        if from > 0 && from < self.runs.len() {
            let (before, after) = (&self.runs[from - 1], &self.runs[from]);
            if before.last + 1 == after.first && before.value == after.value {
                self.runs[from - 1].last = after.last;
                self.runs.remove(from);
            }
        }
    }

    /// Moves the indices `first..first + count` so that they begin at `destination`; those between
    /// shift.
    pub fn move_range(&mut self, first: u32, count: u32, destination: u32) {
        let moved: Vec<Run<T>> = self
            .iter_in(first, first + (count - 1))
            .map(|run| {
                let moved = |index: u32| destination + (index - first);
                Run { first: moved(run.first), last: moved(run.last), value: run.value.clone() }
            })
            .collect();
        self.delete(first, count);
        self.insert(destination, count, u32::MAX);
        for run in moved {
            self.set(run.first, run.last, Some(run.value));
        }
    }

    /// Permutes: index `first + i` gets the value of index `first + order[i]`.
    pub fn permute(&mut self, first: u32, order: &[u32]) {
        const NONE: u32 = u32::MAX;
        if order.is_empty() {
            return;
        }
        let last = first + order.len() as u32 - 1;
        let inside: Vec<Run<T>> = self
            .iter_in(first, last)
            .map(|run| Run { first: run.first, last: run.last, value: run.value.clone() })
            .collect();
        if inside.is_empty() || inside.len() == 1 && inside[0].first == first && inside[0].last == last {
            return;
        }
        let mut run_of_index = vec![NONE; order.len()];
        for (index, run) in inside.iter().enumerate() {
            run_of_index[(run.first - first) as usize..=(run.last - first) as usize].fill(index as u32);
        }
        let mut permuted: Vec<Run<T>> = Vec::new();
        for (index, source) in (first..).zip(order) {
            if let Some(run) = inside.get(run_of_index[*source as usize] as usize) {
                push_merging(&mut permuted, Run { first: index, last: index, value: run.value.clone() });
            }
        }
        self.replace(first, last, permuted);
    }

    /// Replaces the values of `first..=last` by `runs`, which are in ascending order and within
    /// that range.
    pub fn replace(&mut self, first: u32, last: u32, runs: Vec<Run<T>>) {
        self.set(first, last, None);
        let at = self.position(first);
        let tail = self.runs.split_off(at);
        for run in runs.into_iter().chain(tail) {
            debug_assert!(self.runs.last().is_none_or(|before| before.last < run.first));
            push_merging(&mut self.runs, run);
        }
    }
}

/// Appends a run, or extends the last run if it is adjacent and has an equal value.
fn push_merging<T: PartialEq>(runs: &mut Vec<Run<T>>, run: Run<T>) {
    match runs.last_mut() {
        Some(before) if before.last + 1 == run.first && before.value == run.value => before.last = run.last,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEN: u32 = 24;

    /// The uncompressed equivalent of a run list.
    fn values(runs: &Runs<u8>) -> Vec<Option<u8>> {
        (0..LEN).map(|index| runs.get(index).copied()).collect()
    }

    fn is_canonical(runs: &Runs<u8>) -> bool {
        runs.runs.iter().all(|run| run.first <= run.last && run.last < LEN)
            && runs.runs.windows(2).all(|pair| {
                pair[0].last < pair[1].first
                    && (pair[0].last + 1 < pair[1].first || pair[0].value != pair[1].value)
            })
    }

    #[derive(Clone, Debug)]
    enum Change {
        Set(u32, u32, Option<u8>),
        Insert(u32, u32),
        Delete(u32, u32),
        Reverse(u32, u32),
        Move(u32, u32, u32),
        Overlay(Vec<(u32, u32, u8)>),
    }

    fn change() -> impl Strategy<Value = Change> {
        let span = || (0..LEN, 0..LEN).prop_map(|(a, b)| (a.min(b), a.max(b)));
        prop_oneof![
            3 => (span(), proptest::option::of(0u8..3)).prop_map(|((a, b), value)| Change::Set(a, b, value)),
            1 => (0..LEN, 1u32..4).prop_map(|(at, count)| Change::Insert(at, count)),
            1 => (0..LEN, 1u32..4).prop_map(|(at, count)| Change::Delete(at, count)),
            1 => span().prop_map(|(a, b)| Change::Reverse(a, b)),
            1 => proptest::collection::vec((0u32..4, 1u32..4, 0u8..3), 0..5).prop_map(Change::Overlay),
            1 => (span(), 0..LEN).prop_map(|((a, b), to)| Change::Move(a, b, to.min(LEN - 1 - (b - a)))),
        ]
    }

    proptest! {
        #[test]
        fn runs_behave_as_one_value_per_index(changes in proptest::collection::vec(change(), 1..40)) {
            let mut runs = Runs::default();
            let mut model: Vec<Option<u8>> = vec![None; LEN as usize];
            for change in changes {
                match change {
                    Change::Set(first, last, value) => {
                        runs.set(first, last, value);
                        model[first as usize..=last as usize].fill(value);
                    }
                    Change::Insert(at, count) => {
                        runs.insert(at, count, LEN);
                        for _ in 0..count {
                            model.insert(at as usize, None);
                        }
                        model.truncate(LEN as usize);
                    }
                    Change::Delete(at, count) => {
                        runs.delete(at, count);
                        for _ in 0..count.min(LEN - at) {
                            model.remove(at as usize);
                        }
                        model.resize(LEN as usize, None);
                    }
                    Change::Move(first, last, destination) => {
                        runs.move_range(first, last - first + 1, destination);
                        let moved: Vec<_> = model.drain(first as usize..=last as usize).collect();
                        model.splice(destination as usize..destination as usize, moved);
                    }
                    Change::Overlay(parts) => {
                        // Gap before each part, length, value.
                        let (mut over, mut next) = (Vec::new(), 0);
                        for (gap, count, value) in parts {
                            let (first, last) = (next + gap, next + gap + count - 1);
                            next = last + 1;
                            if last < LEN {
                                over.push(Run { first, last, value });
                                model[first as usize..=last as usize].fill(Some(value));
                            }
                        }
                        runs.overlay(over);
                    }
                    Change::Reverse(first, last) => {
                        let order: Vec<u32> = (0..=last - first).rev().collect();
                        runs.permute(first, &order);
                        model[first as usize..=last as usize].reverse();
                    }
                }
                prop_assert_eq!(values(&runs), model.clone());
                prop_assert!(is_canonical(&runs), "{:?}", runs);
            }
        }
    }

    #[test]
    fn appending_equal_values_keeps_one_run() {
        let mut runs = Runs::default();
        for index in 0..1000 {
            runs.set(index, index, Some('a'));
        }
        assert_eq!(runs.len(), 1);
        assert_eq!(runs.extent(), Some((0, 999)));
    }
}
