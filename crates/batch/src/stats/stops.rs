//! What ends a run before its input.

use quadrille_model::{EndedBy, worded};

worded! {
    /// What ended a run before its input.
    pub(crate) Stop, word, from_word {
        Cancel = "cancel",
        Deadline = "deadline",
        /// An error of the run as a whole.
        Error = "error",
        /// The reader of the output went away.
        Closed = "closed",
    }
}

impl Stop {
    /// The stop of a run that was told to end.
    pub(crate) fn told(by: EndedBy) -> Stop {
        if by == EndedBy::Deadline { Stop::Deadline } else { Stop::Cancel }
    }
}
