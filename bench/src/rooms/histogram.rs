//! [`Histogram`]: millions of durations in constant memory, with a relative error of at most 1/64.

/// Buckets per power of two.
const STEPS: u64 = 64;
const POWERS: u64 = 40;

#[derive(Clone)]
pub struct Histogram {
    /// Counts by bucket; the first `STEPS` buckets are one microsecond wide.
    counts: Vec<u64>,
    count: u64,
    max_us: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: vec![0; (STEPS * POWERS) as usize], count: 0, max_us: 0 }
    }
}

fn bucket(us: u64) -> usize {
    if us < STEPS {
        return us as usize;
    }
    let power = u64::from(us.ilog2()) - 6;
    let step = (us >> power) - STEPS;
    (STEPS + power * STEPS + step).min(STEPS * POWERS - 1) as usize
}

/// The lower bound of a bucket.
fn lower(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let (power, step) = ((bucket - STEPS) / STEPS, (bucket - STEPS) % STEPS);
    (STEPS + step) << power
}

impl Histogram {
    pub fn add(&mut self, nanoseconds: u64) {
        let us = nanoseconds / 1_000;
        self.counts[bucket(us)] += 1;
        self.count += 1;
        self.max_us = self.max_us.max(us);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// A quantile in milliseconds.
    pub fn quantile(&self, share: f64) -> f64 {
        let rank = (self.count as f64 * share).ceil().max(1.0) as u64;
        let mut below = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            below += count;
            if below >= rank {
                return lower(bucket) as f64 / 1e3;
            }
        }
        0.0
    }

    pub fn max(&self) -> f64 {
        self.max_us as f64 / 1e3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_64th() {
        let mut histogram = Histogram::default();
        for us in 1..=100_000_u64 {
            histogram.add(us * 1_000);
        }
        for (share, expected) in [(0.5, 50.0), (0.95, 95.0), (0.99, 99.0)] {
            let found = histogram.quantile(share);
            assert!((found - expected).abs() <= expected / 64.0, "{share}: {found}");
        }
        assert_eq!((histogram.count(), histogram.max()), (100_000, 100.0));
    }

    #[test]
    fn buckets_are_contiguous() {
        for us in 0..1_000_000 {
            assert!(lower(bucket(us)) <= us && us < lower(bucket(us) + 1), "{us}");
        }
    }
}
