//! Enums whose values have words: one list instead of an enum, a constant and two matches.

/// Declares an enum from a list of its values and their words.
///
/// Also declares `ALL` and functions from a value to its word and back, and `about` if each word is followed by a
/// description.
#[macro_export]
macro_rules! worded {
    ($(#[$meta:meta])* $vis:vis $type:ident, $word:ident, $from:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        $vis enum $type { $($(#[$doc])* $variant),+ }

        impl $type {
            /// All values, in the order of the documentation.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// Returns the word for the value, which the command line and all outputs use.
            pub const fn $word(self) -> &'static str {
                match self { $($type::$variant => $text),+ }
            }

            /// Returns the value with a word, or `None` if there is none.
            pub fn $from(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.$word() == word)
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis $type:ident, $word:ident, $from:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal => $about:literal),+ $(,)?
    }) => {
        $crate::worded! { $(#[$meta])* $vis $type, $word, $from { $($(#[$doc])* $variant = $text),+ } }

        impl $type {
            /// Returns a short description of the value, for help.
            pub const fn about(self) -> &'static str {
                match self { $($type::$variant => $about),+ }
            }
        }
    };
}
