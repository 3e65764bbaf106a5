//! Passwords that are guessed first: common ones, and those made of words of the service or the
//! person. `docs/security.md` has the rules.

use quadrille_access::Email;

use crate::config::Settings;

/// With its licence, in lines that begin with `#`.
const COMMON: &str = include_str!("common_passwords.txt");

/// The name of the program.
const PRODUCT: &str = "quadrille";

/// Shorter words are in too many passwords by chance.
const WORD_CHARACTERS_MIN: usize = 4;

/// Whether a password is one of the most common ones, in capitals or not.
pub fn is_common(password: &str) -> bool {
    let password = password.to_lowercase();
    COMMON.lines().any(|line| line == password && !line.starts_with('#'))
}

/// The words of a service and a person with which passwords are not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextWords(Vec<String>);

impl ContextWords {
    /// The name of the program.
    pub fn of_program() -> ContextWords {
        ContextWords(vec![PRODUCT.to_owned()])
    }

    /// The words of the server: the name of the program, and those in the host names and paths by
    /// which it is reached.
    pub fn of_server(settings: &Settings) -> ContextWords {
        let urls =
            settings.public_url.iter().map(|url| url.split_once("://").map_or(&**url, |(_, rest)| rest));
        let tenants = settings.tenants.iter().map(|tenant| tenant.name());
        let mut words = ContextWords::of_program();
        urls.chain(tenants).for_each(|text| words.add(text));
        words
    }

    /// These words and those of a person: the name and the e-mail address.
    pub fn with_person(&self, name: &str, email: Option<&Email>) -> ContextWords {
        let mut words = self.clone();
        words.add(name);
        words.add(email.map_or("", Email::as_str));
        words
    }

    fn add(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric());
        // And the whole text, such as an e-mail address.
        let words = words.chain([text]).map(str::to_lowercase);
        self.0.extend(words.filter(|word| word.chars().count() >= WORD_CHARACTERS_MIN));
    }

    /// Whether fewer than `characters_min` characters are left of a password without these words.
    pub fn make_up(&self, password: &str, characters_min: usize) -> bool {
        let whole = password.to_lowercase();
        let mut rest = whole.clone();
        // Long words first: `ada` may be a part of another one.
        let mut words: Vec<&String> = self.0.iter().collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        for word in words {
            rest = rest.replace(word.as_str(), "");
        }
        rest != whole && rest.chars().count() < characters_min
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingsSource;

    #[test]
    fn the_3000_most_common_passwords_are_known() {
        let count = COMMON.lines().filter(|line| !line.starts_with('#')).count();
        assert!(count >= 3_000, "ASVS 5.0, V6.2.4: {count}");
        // From "Most common passwords" of NordPass and SplashData, of at least 8 characters.
        for common in ["password", "12345678", "123456789", "qwertyuiop", "iloveyou", "PASSWORD", "Sunshine"]
        {
            assert!(is_common(common), "{common}");
        }
        for other in ["correct horse battery staple", "#", "# copyright", "", "1234567"] {
            assert!(!is_common(other), "{other}");
        }
    }

    #[test]
    fn words_of_the_service_and_the_person_leave_the_rest_of_a_password() {
        let settings = Settings {
            public_url: vec!["https://sheets.example.org/".into()],
            ..SettingsSource::default().or(SettingsSource::default())
        };
        let email = Email::parse("ada.lovelace@analytical.org");
        let words = ContextWords::of_server(&settings).with_person("Ada King", email.as_ref());
        for refused in [
            "quadrille-2026",
            "Sheets1234",
            "AdaLovelace!",
            "analytical",
            "lovelacelovelace",
            "EXAMPLE.2026",
            "ada king",
            "ada.lovelace@analytical.org",
        ] {
            assert!(words.make_up(refused, 8), "{refused}");
        }
        // `ada`, `org` and `com` are in too many words.
        for allowed in ["quadrille-2026-tangerine", "adamant-orgy", "kings and queens", "tangerine"] {
            assert!(!words.make_up(allowed, 8), "{allowed}");
        }
        let words = ContextWords::of_program();
        assert!(words.make_up("quadrille", 8) && !words.make_up("Sheets1234", 8));
    }
}
