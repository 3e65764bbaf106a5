//! The documented settings, and where their values come from.

use super::*;
use clap::{CommandFactory, Parser};

#[derive(Parser)]
struct Probe {
    #[command(flatten)]
    given: SettingsSource,
}

/// The documented rows: (flag, variable, key, default).
fn documented() -> Vec<(String, String, String, String)> {
    include_str!("../../../../docs/configuration.md")
        .lines()
        .filter(|line| line.starts_with("| `--"))
        .map(|line| {
            let mut cells = line.split('|').skip(1).map(|cell| cell.trim().trim_matches('`').to_owned());
            let mut next = || cells.next().expect("four columns");
            (next(), next(), next(), next())
        })
        .collect()
}

#[test]
fn the_documented_settings_match_the_code() {
    let defaults =
        toml::Table::try_from(SettingsSource::default().or(SettingsSource::default())).expect("plain");
    let command = Probe::command();
    let expected: Vec<_> = command
        .get_arguments()
        .filter(|argument| argument.get_long().is_some_and(|long| long != "help"))
        .map(|argument| {
            let key = argument.get_id().to_string();
            let flag = format!("--{}", argument.get_long().expect("filtered"));
            assert_eq!(flag, format!("--{}", key.replace('_', "-")));
            let variable =
                argument.get_env().expect("every flag has a variable").to_string_lossy().into_owned();
            assert_eq!(variable, format!("QUADRILLE_{}", key.to_uppercase()));
            let default = defaults[&key].to_string();
            (flag, variable, key, default)
        })
        .collect();
    assert_eq!(documented(), expected);
}

#[test]
fn a_value_of_the_first_source_overrides_the_fallback() {
    let flags = SettingsSource { listen: Some("[::1]:1".into()), ..SettingsSource::default() };
    let file: SettingsSource = toml::from_str("listen = \"[::1]:2\"\nroom_threads = 3").expect("valid");
    let settings = flags.or(file);
    assert_eq!((settings.listen.as_str(), settings.room_threads, settings.drain_seconds), ("[::1]:1", 3, 25));
}

#[test]
fn unknown_keys_of_the_file_are_errors() {
    let error = toml::from_str::<SettingsSource>("listne = \"x\"").expect_err("misspelt").to_string();
    assert!(error.contains("unknown field `listne`"), "{error}");
}
