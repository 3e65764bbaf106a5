//! A simulated week of an installation: tenants of different sizes in different time zones, whose people have workbooks
//! open, edit them and close them again.

/// Quarters of an hour in a week.
const STEPS: usize = 7 * 24 * 4;
const STEP_SECONDS: f64 = 900.0;

/// Offsets from UTC in quarters of an hour, and how many of 100 tenants are there.
pub const ZONES: [(i64, u64); 14] = [
    (-32, 6),
    (-28, 3),
    (-24, 8),
    (-20, 13),
    (-12, 5),
    (0, 6),
    (4, 21),
    (8, 8),
    (12, 4),
    (22, 8),
    (28, 3),
    (32, 8),
    (36, 5),
    (44, 2),
];

/// People of a tenant as a multiple of the mean, and how many of 100 tenants have so many.
pub const SIZES: [(f64, u64); 4] = [(0.1, 40), (0.6, 30), (1.5, 22), (5.65, 8)];

/// Share of the people of a tenant, in percent, who have a workbook open in each hour of a working day.
pub const OPEN_BY_HOUR: [f64; 24] = [
    1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 2.0, 5.0, 14.0, 26.0, 31.0, 30.0, 18.0, 22.0, 30.0, 30.0, 26.0, 15.0, 7.0,
    4.0, 3.0, 3.0, 2.0, 1.0,
];
/// The same on Saturday and Sunday, as a part of a working day.
pub const WEEKEND: f64 = 0.1;

/// People who have the same workbook open at the same time, on average.
pub const PEOPLE_PER_WORKBOOK: f64 = 2.2;
/// Part of those with an open workbook who edit it, each once in six seconds, as in the benchmarks.
pub const EDITING: f64 = 1.0 / 3.0;
pub const EDITS_PER_SECOND: f64 = 1.0 / 6.0;
/// How long somebody has a workbook open, in minutes.
pub const OPEN_MINUTES: f64 = 40.0;
/// Part of the people who sign in with a password on a working day, in the first hour of their day.
pub const SIGN_INS: f64 = 0.1;

/// What is to be simulated.
pub struct Installation {
    pub tenants: u64,
    /// People of a tenant, on average.
    pub people: u64,
}

/// The busiest quarter of an hour, and the sums of a day.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Peak {
    /// Hours after Monday, 0:00 UTC.
    pub hour: f64,
    pub sessions: f64,
    pub workbooks: f64,
    pub edits_per_second: f64,
    /// Edits that reach one other person.
    pub deliveries_per_second: f64,
    /// Workbooks opened a second, of those that nobody has open.
    pub openings_per_second: f64,
    pub sign_ins_per_second: f64,
    /// Mean over the week.
    pub edits_per_day: f64,
    /// The peak as a multiple of the mean.
    pub peak_to_mean: f64,
}

/// Simulates a week. The tenants are drawn from a fixed seed, so that two runs are identical.
pub fn simulate(installation: &Installation) -> Peak {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = |weights: &[u64]| {
        // Xorshift, Marsaglia 2003.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut left = random % weights.iter().sum::<u64>();
        weights.iter().position(|weight| {
            let is_here = left < *weight;
            left = left.wrapping_sub(*weight);
            is_here
        })
    };
    let zones = ZONES.map(|(_, weight)| weight);
    let sizes = SIZES.map(|(_, weight)| weight);
    // People of each zone, by how many quarters of an hour their day begins earlier or later.
    const SHIFTS: [u64; 5] = [1, 2, 4, 2, 1];
    let mut people = vec![[0.0; SHIFTS.len()]; ZONES.len()];
    for _ in 0..installation.tenants {
        let (zone, size, shift) = (draw(&zones), draw(&sizes), draw(&SHIFTS));
        if let (Some(zone), Some(size), Some(shift)) = (zone, size, shift) {
            people[zone][shift] += SIZES[size].0 * installation.people as f64;
        }
    }
    let mut sessions = vec![0.0; STEPS];
    let mut sign_ins = vec![0.0; STEPS];
    for (zone, shifts) in people.iter().enumerate() {
        for (shift, people) in shifts.iter().enumerate() {
            let offset = ZONES[zone].0 + shift as i64 - SHIFTS.len() as i64 / 2;
            for step in 0..STEPS {
                let local = (step as i64 + offset).rem_euclid(STEPS as i64) as usize;
                let is_weekend = local / (24 * 4) >= 5;
                let part = if is_weekend { WEEKEND } else { 1.0 };
                sessions[step] += people * part * open_share(local % (24 * 4));
                if !is_weekend && (local % (24 * 4)) / 4 == 8 {
                    sign_ins[step] += people * SIGN_INS / (4.0 * STEP_SECONDS);
                }
            }
        }
    }
    let peak = (0..STEPS).max_by(|a, b| sessions[*a].total_cmp(&sessions[*b])).unwrap_or(0);
    let mean = sessions.iter().sum::<f64>() / STEPS as f64;
    let edits = |sessions: f64| sessions * EDITING * EDITS_PER_SECOND;
    // Workbooks are opened when sessions begin: those that replace others, and the growth of the morning.
    let openings = (1..STEPS).map(|step| {
        let growth = (sessions[step] - sessions[step - 1]).max(0.0) / STEP_SECONDS;
        (sessions[step] / (OPEN_MINUTES * 60.0) + growth) / PEOPLE_PER_WORKBOOK
    });
    Peak {
        hour: peak as f64 / 4.0,
        sessions: sessions[peak],
        workbooks: sessions[peak] / PEOPLE_PER_WORKBOOK,
        edits_per_second: edits(sessions[peak]),
        deliveries_per_second: edits(sessions[peak]) * (PEOPLE_PER_WORKBOOK - 1.0),
        openings_per_second: openings.fold(0.0, f64::max),
        sign_ins_per_second: sign_ins.iter().copied().fold(0.0, f64::max),
        edits_per_day: edits(mean) * 86_400.0,
        peak_to_mean: sessions[peak] / mean,
    }
}

/// The share of people with an open workbook at a quarter of an hour of the day, between the values of the hours.
fn open_share(quarter: usize) -> f64 {
    let (hour, part) = (quarter / 4, (quarter % 4) as f64 / 4.0);
    let next = OPEN_BY_HOUR[(hour + 1) % 24];
    (OPEN_BY_HOUR[hour] * (1.0 - part) + next * part) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Installation = Installation { tenants: 1_000, people: 100 };

    #[test]
    fn the_weights_are_shares_of_100_and_the_mean_size_is_1() {
        assert_eq!(ZONES.map(|(_, weight)| weight).iter().sum::<u64>(), 100);
        assert_eq!(SIZES.map(|(_, weight)| weight).iter().sum::<u64>(), 100);
        let mean: f64 = SIZES.iter().map(|(size, weight)| size * *weight as f64 / 100.0).sum();
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn the_peak_grows_with_the_tenants() {
        let (one, ten) = (simulate(&SMALL), simulate(&Installation { tenants: 10_000, ..SMALL }));
        let ratio = ten.sessions / one.sessions;
        assert!((9.0..11.0).contains(&ratio), "{ratio}");
        assert_eq!(simulate(&SMALL), one);
    }

    #[test]
    fn time_zones_spread_the_peak() {
        let peak = simulate(&SMALL);
        let people = 100_000.0;
        // Less than the busiest hour of one zone, more than the mean of the day.
        assert!(peak.sessions < people * 0.31 && peak.sessions > people * 0.1, "{peak:?}");
        assert!(peak.peak_to_mean > 1.2, "{peak:?}");
    }
}
