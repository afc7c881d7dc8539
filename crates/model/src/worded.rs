//! A macro for enums in which each value has a word. One list of values and words takes the place of an enum,
//! a constant and two `match` expressions.

/// Declares an enum from a list of its values and their words.
///
/// Also declares the list `ALL`, a function that returns the word of a value, and a function that returns the
/// value of a word. If each word is followed by a description, also declares the function `about`.
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

            /// Returns the word for this value. The command line and all outputs use this word.
            pub const fn $word(self) -> &'static str {
                match self { $($type::$variant => $text),+ }
            }

            /// Returns the value that has the given word, or `None` if no value has it.
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
            /// Returns a short description of this value for the help text.
            pub const fn about(self) -> &'static str {
                match self { $($type::$variant => $about),+ }
            }
        }
    };
}
