//! Loops over arrays without a spreadsheet: lower bounds of the machine for some rows.

use std::collections::HashMap;
use std::hint::black_box;

use crate::measure::{Figure, Figures, Probe, median, repeated};
use crate::{Outcome, Repeat};

const OFTEN: Repeat = Repeat { count: 21, count_min: 5, seconds: 1.0 };

pub fn limit(probe: &dyn Probe) -> Outcome<Figures> {
    let a: Vec<f64> = (0..1_000_000).map(|index| f64::from(index % 1000) + 0.5).collect();
    let b = a.clone();
    let mut figures = Vec::new();
    let mut measure = |row: &'static str, action: &mut dyn FnMut()| -> Outcome<()> {
        let durations = repeated(probe, OFTEN, |_| {
            action();
            Ok(())
        })?;
        figures.push(Figure { row, value: median(&durations) });
        Ok(())
    };

    let mut c = vec![0.0; 100_000];
    measure("first_evaluation", &mut || {
        for ((c, a), b) in c.iter_mut().zip(&a).zip(&b) {
            *c = a * 2.0 + b;
        }
        black_box(&c);
    })?;

    let mut links = vec![0.0; 100_000];
    measure("chain_down", &mut || {
        let mut last = black_box(1.0);
        for link in &mut links {
            last += 1.0;
            *link = last;
        }
        black_box(&links);
    })?;

    let mut sums = vec![0.0; 1_000];
    measure("sums", &mut || {
        sums.fill(sum(black_box(&a[..100_000])));
        black_box(&sums);
    })?;

    let mut prefixes = vec![0.0; 20_000];
    measure("prefixes", &mut || {
        let mut total = 0.0;
        for (prefix, a) in prefixes.iter_mut().zip(black_box(&a)) {
            total += a;
            *prefix = total;
        }
        black_box(&prefixes);
    })?;

    let keys: Vec<u64> = (0..100_000_u64).map(|index| index * 739_391 % 100_000).collect();
    measure("lookup_exact", &mut || {
        let index: HashMap<u64, usize> = keys.iter().enumerate().map(|(row, key)| (*key, row)).collect();
        let found: usize = (0..10_000_u64).filter_map(|lookup| index.get(&(lookup * 10))).sum();
        black_box(found);
    })?;

    let sorted: Vec<f64> = (0..100_000).map(|row| f64::from(row) * 1.5).collect();
    measure("lookup_approximate", &mut || {
        let place = |lookup: u32| sorted.partition_point(|key| *key <= f64::from(lookup) * 10.0);
        black_box((0..10_000).map(place).sum::<usize>());
    })?;

    measure("sum_million", &mut || {
        black_box(sum(black_box(&a)));
    })?;

    measure("load", &mut || {
        black_box(black_box(&a).clone());
    })?;
    Ok(figures)
}

/// Sums in sixteen lanes, so that the compiler can use vector registers.
fn sum(numbers: &[f64]) -> f64 {
    let mut lanes = [0.0; 16];
    let chunks = numbers.chunks_exact(16);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().sum::<f64>() + rest
}
