//! Reasons why a run ends before its input.

use quadrille_model::{EndedBy, worded};

worded! {
    /// A reason why a run ended before the end of its input.
    pub(crate) Stop, word, from_word {
        Cancel = "cancel",
        Deadline = "deadline",
        /// An error of the run as a whole.
        Error = "error",
        /// The reader of the output closed it.
        Closed = "closed",
    }
}

impl Stop {
    /// Returns the stop of a run that was cancelled or reached its deadline.
    pub(crate) fn told(by: EndedBy) -> Stop {
        if by == EndedBy::Deadline { Stop::Deadline } else { Stop::Cancel }
    }
}
