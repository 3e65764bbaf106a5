//! [`FoldedText`]: text as a case-insensitive key of hash maps.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::wildcard::{equals_folded, fold_char};

/// Text with the equality of lookups and criteria, which ignore case.
#[derive(Clone, Debug)]
pub struct FoldedText(pub Arc<str>);

impl PartialEq for FoldedText {
    fn eq(&self, other: &FoldedText) -> bool {
        equals_folded(&self.0, &other.0)
    }
}

impl Eq for FoldedText {}

impl Hash for FoldedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Eight ASCII characters at a time; other text is folded character by character below.
        if self.0.is_ascii() {
            let (words, rest) = self.0.as_bytes().as_chunks::<8>();
            let folded = |bytes: &[u8]| {
                bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(byte.to_ascii_lowercase()))
            };
            for word in words {
                state.write_u64(folded(word));
            }
            state.write_u64(folded(rest));
            return;
        }
        let mut word = 0;
        let mut count = 0;
        for character in self.0.chars().map(fold_char) {
            // Must equal the ASCII hash: the Kelvin sign U+212A folds to `k`.
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                word |= u64::from(byte) << (8 * count);
                count += 1;
                if count == 8 {
                    state.write_u64(word);
                    (word, count) = (0, 0);
                }
            }
        }
        state.write_u64(word);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use super::*;
    use proptest::prelude::*;

    fn hash_of(text: &FoldedText) -> u64 {
        BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
    }

    proptest! {
        #[test]
        fn equal_texts_have_equal_hashes(a in "[aAkK\u{212A}éÉßſsS1]{0,20}", b in "[aAkK\u{212A}éÉßſsS1]{0,20}") {
            let (a, b) = (FoldedText(a.as_str().into()), FoldedText(b.as_str().into()));
            let upper = FoldedText(a.0.chars().map(|c| if c == 'k' { '\u{212A}' } else { c }).collect::<String>().into());
            prop_assert_eq!(&a, &upper);
            prop_assert_eq!(hash_of(&a), hash_of(&upper));
            if a == b {
                prop_assert_eq!(hash_of(&a), hash_of(&b));
            }
        }
    }
}
