//! Reasons why a run stops before the end of its input.

use quadrille_model::{EndedBy, worded};

worded! {
    /// Reason why a run stopped before the end of its input.
    pub(crate) Stop, word, from_word {
        Cancel = "cancel",
        Deadline = "deadline",
        /// An error that stopped the whole run.
        Error = "error",
        /// The program that reads the output closed the pipe.
        Closed = "closed",
    }
}

impl Stop {
    /// Returns the reason for a run that was cancelled or reached its deadline.
    pub(crate) fn told(by: EndedBy) -> Stop {
        if by == EndedBy::Deadline { Stop::Deadline } else { Stop::Cancel }
    }
}
