//! CONVERT: conversion of units of measurement. Units and prefixes are those of Excel's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::ValueResult;
use crate::coerce::{number, text};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] =
    &[Function::scalar("CONVERT", "number, from_unit, to_unit", "A measurement in another unit.", convert)
        .examples(&[
            ("=CONVERT(1,\"lbm\",\"kg\")", "0.45359237"),
            ("=CONVERT(68,\"F\",\"C\")", "20"),
            ("=CONVERT(2.5,\"ft\",\"sec\")", "#N/A"),
            ("=CONVERT(6,\"mi\",\"km\")", "9.656064"),
            ("=CONVERT(1,\"km2\",\"m^2\")", "1000000"),
            ("=CONVERT(1,\"kibyte\",\"bit\")", "8192"),
        ])];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Mass,
    Length,
    Time,
    Pressure,
    Force,
    Energy,
    Power,
    Magnetism,
    Temperature,
    Volume,
    Area,
    Information,
    Speed,
}

/// The prefixes that a unit can have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefixes {
    None,
    Metric,
    /// `k` for 1000 and `ki` for 1024.
    MetricAndBinary,
}

/// A unit. The measurement in the base unit is `factor * (number + offset)`.
struct Unit {
    quantity: Quantity,
    factor: f64,
    offset: f64,
    prefixes: Prefixes,
    /// Space-separated synonyms.
    names: &'static str,
}

const fn unit(quantity: Quantity, factor: f64, names: &'static str) -> Unit {
    Unit { quantity, factor, offset: 0.0, prefixes: Prefixes::None, names }
}

const fn metric(quantity: Quantity, factor: f64, names: &'static str) -> Unit {
    Unit { prefixes: Prefixes::Metric, ..unit(quantity, factor, names) }
}

const INCH: f64 = 0.0254;
const FOOT: f64 = 0.3048;
const YARD: f64 = 0.9144;
const MILE: f64 = 1609.344;
const NAUTICAL_MILE: f64 = 1852.0;
const LIGHT_YEAR: f64 = 9.460_730_472_580_8e15;
const PICA_POINT: f64 = INCH / 72.0;

/// All units. Base units are gram, meter, second, pascal, newton, joule, watt, tesla, kelvin, cubic
/// and square meter, bit, and meter per second. Factors of physical constants are the CODATA 2006
/// values, as in Excel.
const UNITS: &[Unit] = &[
    metric(Quantity::Mass, 1.0, "g"),
    unit(Quantity::Mass, 14_593.902_937_206_4, "sg"),
    unit(Quantity::Mass, 453.592_37, "lbm"),
    metric(Quantity::Mass, 1.660_538_782e-24, "u"),
    unit(Quantity::Mass, 28.349_523_125, "ozm"),
    unit(Quantity::Mass, 0.064_798_91, "grain"),
    unit(Quantity::Mass, 45_359.237, "cwt shweight"),
    unit(Quantity::Mass, 50_802.345_44, "uk_cwt lcwt hweight"),
    unit(Quantity::Mass, 6_350.293_18, "stone"),
    unit(Quantity::Mass, 907_184.74, "ton"),
    unit(Quantity::Mass, 1_016_046.908_8, "uk_ton LTON brton"),
    metric(Quantity::Length, 1.0, "m"),
    unit(Quantity::Length, MILE, "mi"),
    unit(Quantity::Length, NAUTICAL_MILE, "Nmi"),
    unit(Quantity::Length, INCH, "in"),
    unit(Quantity::Length, FOOT, "ft"),
    unit(Quantity::Length, YARD, "yd"),
    metric(Quantity::Length, 1e-10, "ang"),
    unit(Quantity::Length, 1.143, "ell"),
    metric(Quantity::Length, LIGHT_YEAR, "ly"),
    metric(Quantity::Length, 3.085_677_581_281_55e16, "parsec pc"),
    unit(Quantity::Length, PICA_POINT, "Picapt Pica"),
    unit(Quantity::Length, INCH / 6.0, "pica"),
    unit(Quantity::Length, 6_336_000.0 / 3_937.0, "survey_mi"),
    unit(Quantity::Time, 31_557_600.0, "yr"),
    unit(Quantity::Time, 86_400.0, "day d"),
    unit(Quantity::Time, 3_600.0, "hr"),
    unit(Quantity::Time, 60.0, "mn min"),
    metric(Quantity::Time, 1.0, "sec s"),
    metric(Quantity::Pressure, 1.0, "Pa p"),
    metric(Quantity::Pressure, 101_325.0, "atm at"),
    metric(Quantity::Pressure, 133.322, "mmHg"),
    unit(Quantity::Pressure, 6_894.757_293_168_361, "psi"),
    unit(Quantity::Pressure, 101_325.0 / 760.0, "Torr"),
    metric(Quantity::Force, 1.0, "N"),
    metric(Quantity::Force, 1e-5, "dyn dy"),
    unit(Quantity::Force, 4.448_221_615_260_5, "lbf"),
    metric(Quantity::Force, 9.806_65e-3, "pond"),
    metric(Quantity::Energy, 1.0, "J"),
    metric(Quantity::Energy, 1e-7, "e"),
    metric(Quantity::Energy, 4.184, "c"),
    metric(Quantity::Energy, 4.186_8, "cal"),
    metric(Quantity::Energy, 1.602_176_487e-19, "eV ev"),
    unit(Quantity::Energy, 2_684_519.537_696_173, "HPh hh"),
    metric(Quantity::Energy, 3_600.0, "Wh wh"),
    unit(Quantity::Energy, 1.355_817_948_331_400_4, "flb"),
    unit(Quantity::Energy, 1_055.055_852_62, "BTU btu"),
    unit(Quantity::Power, 745.699_871_582_270_2, "HP h"),
    unit(Quantity::Power, 735.498_75, "PS"),
    metric(Quantity::Power, 1.0, "W w"),
    metric(Quantity::Magnetism, 1.0, "T"),
    metric(Quantity::Magnetism, 1e-4, "ga"),
    Unit { offset: 273.15, ..unit(Quantity::Temperature, 1.0, "C cel") },
    Unit { offset: 459.67, ..unit(Quantity::Temperature, 5.0 / 9.0, "F fah") },
    metric(Quantity::Temperature, 1.0, "K kel"),
    unit(Quantity::Temperature, 5.0 / 9.0, "Rank"),
    Unit { offset: 273.15 * 0.8, ..unit(Quantity::Temperature, 1.25, "Reau") },
    unit(Quantity::Volume, 4.928_921_593_75e-6, "tsp"),
    unit(Quantity::Volume, 5e-6, "tspm"),
    unit(Quantity::Volume, 1.478_676_478_125e-5, "tbs"),
    unit(Quantity::Volume, 2.957_352_956_25e-5, "oz"),
    unit(Quantity::Volume, 2.365_882_365e-4, "cup"),
    unit(Quantity::Volume, 4.731_764_73e-4, "pt us_pt"),
    unit(Quantity::Volume, 5.682_612_5e-4, "uk_pt"),
    unit(Quantity::Volume, 9.463_529_46e-4, "qt"),
    unit(Quantity::Volume, 1.136_522_5e-3, "uk_qt"),
    unit(Quantity::Volume, 3.785_411_784e-3, "gal"),
    unit(Quantity::Volume, 4.546_09e-3, "uk_gal"),
    metric(Quantity::Volume, 1e-3, "l L lt"),
    metric(Quantity::Volume, 1e-30, "ang3 ang^3"),
    unit(Quantity::Volume, 0.158_987_294_928, "barrel"),
    unit(Quantity::Volume, 0.035_239_070_166_88, "bushel"),
    unit(Quantity::Volume, FOOT * FOOT * FOOT, "ft3 ft^3"),
    unit(Quantity::Volume, INCH * INCH * INCH, "in3 in^3"),
    unit(Quantity::Volume, LIGHT_YEAR * LIGHT_YEAR * LIGHT_YEAR, "ly3 ly^3"),
    metric(Quantity::Volume, 1.0, "m3 m^3"),
    unit(Quantity::Volume, MILE * MILE * MILE, "mi3 mi^3"),
    unit(Quantity::Volume, YARD * YARD * YARD, "yd3 yd^3"),
    unit(Quantity::Volume, NAUTICAL_MILE * NAUTICAL_MILE * NAUTICAL_MILE, "Nmi3 Nmi^3"),
    unit(Quantity::Volume, PICA_POINT * PICA_POINT * PICA_POINT, "Picapt3 Picapt^3 Pica3 Pica^3"),
    unit(Quantity::Volume, 2.831_684_659_2, "GRT regton"),
    unit(Quantity::Volume, 1.132_673_863_68, "MTON"),
    unit(Quantity::Area, 4_046.856_422_4, "uk_acre"),
    unit(Quantity::Area, 4_046.872_609_874_252, "us_acre"),
    metric(Quantity::Area, 1e-20, "ang2 ang^2"),
    metric(Quantity::Area, 100.0, "ar"),
    unit(Quantity::Area, FOOT * FOOT, "ft2 ft^2"),
    unit(Quantity::Area, 10_000.0, "ha"),
    unit(Quantity::Area, INCH * INCH, "in2 in^2"),
    unit(Quantity::Area, LIGHT_YEAR * LIGHT_YEAR, "ly2 ly^2"),
    metric(Quantity::Area, 1.0, "m2 m^2"),
    unit(Quantity::Area, 2_500.0, "Morgen"),
    unit(Quantity::Area, MILE * MILE, "mi2 mi^2"),
    unit(Quantity::Area, NAUTICAL_MILE * NAUTICAL_MILE, "Nmi2 Nmi^2"),
    unit(Quantity::Area, PICA_POINT * PICA_POINT, "Picapt2 Pica2 Pica^2 Picapt^2"),
    unit(Quantity::Area, YARD * YARD, "yd2 yd^2"),
    Unit { prefixes: Prefixes::MetricAndBinary, ..unit(Quantity::Information, 1.0, "bit") },
    Unit { prefixes: Prefixes::MetricAndBinary, ..unit(Quantity::Information, 8.0, "byte") },
    unit(Quantity::Speed, 6_080.0 * FOOT / 3_600.0, "admkn"),
    unit(Quantity::Speed, NAUTICAL_MILE / 3_600.0, "kn"),
    metric(Quantity::Speed, 1.0 / 3_600.0, "m/h m/hr"),
    metric(Quantity::Speed, 1.0, "m/s m/sec"),
    unit(Quantity::Speed, 0.447_04, "mph"),
];

const METRIC: [(&str, f64); 21] = [
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("da", 1e1),
    ("e", 1e1),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
    ("f", 1e-15),
    ("a", 1e-18),
    ("z", 1e-21),
    ("y", 1e-24),
];

const BINARY: [&str; 8] = ["ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"];

fn named(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.names.split(' ').any(|other| other == name))
}

/// Returns a unit and the factor of its prefix. An exact unit name takes precedence over a prefix.
fn parse(name: &str) -> Result<(&'static Unit, f64), ErrorValue> {
    if let Some(unit) = named(name) {
        return Ok((unit, 1.0));
    }
    for (index, prefix) in BINARY.iter().enumerate() {
        let unit = name.strip_prefix(prefix).and_then(named);
        if let Some(unit) = unit.filter(|unit| unit.prefixes == Prefixes::MetricAndBinary) {
            return Ok((unit, libm::exp2(10.0 * (index as f64 + 1.0))));
        }
    }
    for (prefix, factor) in METRIC {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        if let Some(unit) = named(rest).filter(|unit| unit.prefixes != Prefixes::None) {
            // The prefix of a square or cubic unit is squared or cubed.
            let factor = match rest.chars().last() {
                Some('2') => factor * factor,
                Some('3') => factor * factor * factor,
                _ => factor,
            };
            return Ok((unit, factor));
        }
    }
    Err(ErrorValue::NotAvailable)
}

fn convert(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let number = number(&arguments[0])?;
    let (from_name, to_name) = (text(&arguments[1])?, text(&arguments[2])?);
    let (from, from_factor) = parse(&from_name)?;
    let (to, to_factor) = parse(&to_name)?;
    if from.quantity != to.quantity {
        return Err(ErrorValue::NotAvailable);
    }
    if from_name == to_name {
        return Ok(Value::number(number));
    }
    if from.quantity != Quantity::Temperature {
        return Ok(Value::number(number * (from.factor * from_factor) / (to.factor * to_factor)));
    }
    let kelvins = (number * from_factor + from.offset) * from.factor;
    let converted = (kelvins / to.factor - to.offset) / to_factor;
    // Offsets have two decimals; digits beyond 15 significant ones of the larger term are noise.
    let digits = 1e12;
    let is_small = converted.abs() < 1e3;
    Ok(Value::number(if is_small { (converted * digits).round() / digits } else { converted }))
}
