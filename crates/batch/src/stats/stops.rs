//! What ends a run before its input.

use quadrille_model::EndedBy;

/// What ended a run before its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Cancel,
    Deadline,
    /// An error of the run as a whole.
    Error,
    /// The reader of the output went away.
    Closed,
}

impl Stop {
    pub(super) const ALL: [Stop; 4] = [Stop::Cancel, Stop::Deadline, Stop::Error, Stop::Closed];

    /// The stop of a run that was told to end.
    pub(crate) fn told(by: EndedBy) -> Stop {
        if by == EndedBy::Deadline { Stop::Deadline } else { Stop::Cancel }
    }

    /// The word in statistics.
    pub(super) fn word(self) -> &'static str {
        match self {
            Stop::Cancel => EndedBy::Cancel.word(),
            Stop::Deadline => EndedBy::Deadline.word(),
            Stop::Error => "error",
            Stop::Closed => "closed",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Stop> {
        Stop::ALL.into_iter().find(|stop| stop.word() == word)
    }
}
