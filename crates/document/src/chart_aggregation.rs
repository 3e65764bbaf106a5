//! Combines the points of a chart that have the same category, as the option "Aggregate" of charts in
//! Google Sheets does: <https://support.google.com/docs/answer/63824>.

use std::collections::HashMap;

use crate::chart_series::ChartSeries;

/// How the values of one category become one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregate {
    Sum,
    Average,
    /// The number of values that are not blank, so that texts can be counted as well.
    Count,
    Maximum,
    Median,
    Minimum,
}

impl Aggregate {
    /// Reads a value of the field `aggregate`; `None` for `none` and unknown values.
    pub fn from_name(name: &str) -> Option<Aggregate> {
        Some(match name {
            "sum" => Aggregate::Sum,
            "average" => Aggregate::Average,
            "count" => Aggregate::Count,
            "max" => Aggregate::Maximum,
            "median" => Aggregate::Median,
            "min" => Aggregate::Minimum,
            _ => return None,
        })
    }

    /// `None` for no numbers, of which only the count is known. Sorts `numbers`.
    fn of(self, numbers: &mut [f64]) -> Option<f64> {
        let count = numbers.len();
        if count == 0 {
            return (self == Aggregate::Count).then_some(0.0);
        }
        numbers.sort_unstable_by(f64::total_cmp);
        Some(match self {
            Aggregate::Sum => numbers.iter().sum(),
            Aggregate::Average => numbers.iter().sum::<f64>() / count as f64,
            Aggregate::Count => count as f64,
            Aggregate::Maximum => numbers[count - 1],
            Aggregate::Minimum => numbers[0],
            Aggregate::Median if count % 2 == 1 => numbers[count / 2],
            Aggregate::Median => numbers[count / 2 - 1].midpoint(numbers[count / 2]),
        })
    }
}

/// Gives each series one point per category, in the order in which the categories first appear in any
/// series. A series without categories has those of the first series that has some, as when it is
/// drawn; without any categories, nothing changes. Sizes of bubbles are combined like the values.
/// Points without a category and a value are left out.
/// `display(series, value)` is the displayed text of a combined value of the series at that index.
///
/// Complexity: O(n log n) for n points.
pub fn combine_equal_categories(
    series: Vec<ChartSeries>,
    aggregate: Aggregate,
    display: &dyn Fn(usize, f64) -> String,
) -> Vec<ChartSeries> {
    let Some(shared) = series.iter().find(|one| !one.categories.is_empty()) else { return series };
    let (shared_categories, shared_positions) = (shared.categories.clone(), shared.positions.clone());
    let named: Vec<ChartSeries> = series
        .into_iter()
        .map(|one| match one.categories.is_empty() {
            true => ChartSeries {
                categories: shared_categories.clone(),
                positions: shared_positions.clone(),
                ..one
            },
            false => one,
        })
        .collect();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut categories = Vec::new();
    let mut positions = Vec::new();
    for one in &named {
        for (index, category) in one.categories.iter().enumerate().take(one.values.len()) {
            if category.is_empty() && one.values[index].is_none() {
                continue;
            }
            places.entry(category).or_insert_with(|| {
                categories.push(category.clone());
                positions.push(one.positions.get(index).copied().flatten());
                categories.len() - 1
            });
        }
    }
    let combine = |one: &ChartSeries, numbers: &[Option<f64>]| -> Vec<Option<f64>> {
        let mut groups = vec![Vec::new(); categories.len()];
        for (index, (category, number)) in one.categories.iter().zip(numbers).enumerate() {
            let is_counted =
                aggregate == Aggregate::Count && one.texts.get(index).is_some_and(|text| !text.is_empty());
            let number = number.or(is_counted.then_some(0.0));
            if let (Some(place), Some(number)) = (places.get(category.as_str()), number) {
                groups[*place].push(number);
            }
        }
        groups.iter_mut().map(|group| aggregate.of(group)).collect()
    };
    named
        .iter()
        .enumerate()
        .map(|(index, one)| {
            let values = combine(one, &one.values);
            ChartSeries {
                name: one.name.clone(),
                categories: categories.clone(),
                positions: positions.clone(),
                texts: values
                    .iter()
                    .map(|value| value.map_or_else(String::new, |value| display(index, value)))
                    .collect(),
                // Several cells have become one point.
                labels: Vec::new(),
                sizes: if one.sizes.is_empty() { Vec::new() } else { combine(one, &one.sizes) },
                values,
                dates: one.dates,
                is_truncated: one.is_truncated,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(&str, Option<f64>)]) -> ChartSeries {
        ChartSeries {
            categories: points.iter().map(|(category, _)| (*category).to_owned()).collect(),
            positions: vec![None; points.len()],
            values: points.iter().map(|(_, value)| *value).collect(),
            texts: points
                .iter()
                .map(|(_, value)| value.map_or_else(String::new, |value| value.to_string()))
                .collect(),
            ..ChartSeries::default()
        }
    }

    #[test]
    fn the_values_of_a_category_become_one() {
        let sales = [
            ("North", Some(3.0)),
            ("South", Some(5.0)),
            ("North", Some(4.0)),
            ("North", Some(8.0)),
            ("East", None),
        ];
        for (name, expected) in [
            ("sum", [Some(15.0), Some(5.0), None]),
            ("average", [Some(5.0), Some(5.0), None]),
            ("count", [Some(3.0), Some(1.0), Some(0.0)]),
            ("max", [Some(8.0), Some(5.0), None]),
            ("median", [Some(4.0), Some(5.0), None]),
            ("min", [Some(3.0), Some(5.0), None]),
        ] {
            let aggregate = Aggregate::from_name(name).expect("the name is one of the schema");
            let combined =
                combine_equal_categories(vec![series(&sales)], aggregate, &|_, value| value.to_string());
            assert_eq!(combined[0].categories, ["North", "South", "East"], "{name}");
            assert_eq!(combined[0].values, expected, "{name}");
        }
    }

    #[test]
    fn series_with_other_categories_have_their_points_at_the_same_places() {
        let first = series(&[("May", Some(1.0)), ("June", Some(2.0))]);
        let second = series(&[("June", Some(3.0)), ("July", Some(4.0)), ("June", Some(5.0))]);
        let without = ChartSeries { values: vec![Some(6.0), Some(7.0)], ..ChartSeries::default() };
        let combined = combine_equal_categories(vec![first, second, without], Aggregate::Sum, &|_, value| {
            value.to_string()
        });
        assert!(combined.iter().all(|one| one.categories == ["May", "June", "July"]));
        assert_eq!(combined[1].values, [None, Some(8.0), Some(4.0)]);
        assert_eq!(combined[2].values, [Some(6.0), Some(7.0), None]);
        assert_eq!(combined[1].texts, ["", "8", "4"]);
    }

    #[test]
    fn texts_are_counted() {
        let answers = ["Yes", "No", "Yes", "", "Yes"].map(str::to_owned).to_vec();
        let counted = ChartSeries {
            categories: answers.clone(),
            positions: vec![None; 5],
            values: vec![None; 5],
            texts: answers,
            ..ChartSeries::default()
        };
        let combined =
            combine_equal_categories(vec![counted], Aggregate::Count, &|_, value| value.to_string());
        assert_eq!(combined[0].categories, ["Yes", "No"], "the blank cell is no category");
        assert_eq!(combined[0].values, [Some(3.0), Some(1.0)]);
    }

    #[test]
    fn without_categories_every_point_stays() {
        let points = vec![ChartSeries { values: vec![Some(1.0), Some(1.0)], ..ChartSeries::default() }];
        assert_eq!(combine_equal_categories(points.clone(), Aggregate::Sum, &|_, _| String::new()), points);
    }
}
