//! Conditions on the steps of a puzzle's path.

use super::{Rating, RatingBound, Technique, Tenths};

/// A set of techniques: one technique or a named group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TechniqueSet(u128);

/// A group of techniques: its name, its description, and the first and last technique of each range of
/// techniques in the group.
type Group = (&'static str, &'static str, &'static [(Technique, Technique)]);

const GROUPS: &[Group] = {
    use Technique::*;
    &[
        ("chains", "cycles and chains of every kind", &[(XCycle, ForcingChain), (Nishio, NestedHouse)]),
        ("loops", "unique rectangles and loops", &[(UniqueLoop1, UniqueLoop4)]),
        ("graves", "bivalue universal graves", &[(BivalueGrave1, BivalueGrave4)]),
        ("wings", "xy-wings and xyz-wings", &[(XyWing, XyzWing)]),
        (
            "singles",
            "last cells, hidden and naked singles",
            &[(LastCell, HiddenSingleInLine), (NakedSingle, NakedSingle)],
        ),
        ("locking", "pointing and claiming", &[(DirectPointing, DirectClaiming), (Pointing, Claiming)]),
        (
            "fish",
            "x-wings, swordfish, jellyfish",
            &[(XWing, XWing), (Swordfish, Swordfish), (Jellyfish, Jellyfish)],
        ),
    ]
};

impl TechniqueSet {
    /// Returns the words for all sets of techniques, with descriptions.
    ///
    /// Words for groups come first, followed by the words for single techniques.
    pub fn words() -> impl Iterator<Item = (String, &'static str)> {
        let groups = GROUPS.iter().map(|&(name, about, _)| (name.to_owned(), about));
        groups.chain(Technique::all().map(|technique| (word_of(technique), "")))
    }

    /// Returns the set that a word such as `x-wing` or `chains` names, or `None` if the word names no set.
    pub fn from_word(word: &str) -> Option<Self> {
        let ranges = GROUPS.iter().find(|(name, ..)| *name == word).map(|(_, _, ranges)| *ranges);
        let is_in = |technique: &Technique| match ranges {
            Some(ranges) => ranges.iter().any(|(first, last)| (first..=last).contains(&technique)),
            None => word_of(*technique) == word,
        };
        let set = Technique::all().filter(is_in).map(|technique| 1 << technique as u8).sum();
        (set != 0).then_some(TechniqueSet(set))
    }

    /// Returns true if the rated path used a technique in this set. The rating must have step counts.
    fn is_used(self, rating: &Rating) -> bool {
        rating.techniques().any(|(technique, _)| self.0 >> technique as u8 & 1 != 0)
    }

    /// Returns the lowest rating that a step with one of these techniques can have.
    pub fn least(self) -> Tenths {
        self.techniques().map(Technique::least).min().unwrap_or(Tenths(0))
    }

    /// Returns the highest one among the minimum ratings of the techniques.
    pub fn hardest(self) -> Tenths {
        self.techniques().map(Technique::least).max().unwrap_or(Tenths(0))
    }

    fn techniques(self) -> impl Iterator<Item = Technique> {
        Technique::all().filter(move |&technique| self.0 >> technique as u8 & 1 != 0)
    }
}

/// Returns the name of a technique with hyphens instead of spaces.
fn word_of(technique: Technique) -> String {
    technique.name().replace(' ', "-")
}

/// Conditions on the steps of a path. The default has no conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StepFilter {
    /// Sets of techniques, each with its word. The path must use at least one technique from each set.
    pub needs: Vec<(String, TechniqueSet)>,
    /// Sets of techniques that the path must not use, each with its word.
    pub without: Vec<(String, TechniqueSet)>,
    /// Lowest and highest rating that the hardest step may have.
    ///
    /// If a rating is only known to exceed a bound, it does not meet this condition.
    pub hardest: Option<(Tenths, Tenths)>,
}

impl StepFilter {
    /// Creates a filter from conditions on the techniques of a path.
    pub fn new(needs: Vec<(String, TechniqueSet)>, without: Vec<(String, TechniqueSet)>) -> Self {
        StepFilter { needs, without, hardest: None }
    }

    /// Returns true if there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == StepFilter::default()
    }

    /// Returns true if the conditions can only be checked with the number of steps per technique.
    pub fn needs_counts(&self) -> bool {
        !(self.needs.is_empty() && self.without.is_empty())
    }

    /// Returns an error message if no puzzle with a rating of at most `most` can meet the conditions.
    pub fn contradiction(&self, most: Option<Tenths>) -> Option<String> {
        let excluded = self.without.iter().fold(0, |all, (_, set)| all | set.0);
        if excluded >> Technique::LastCell as u8 & 1 != 0 {
            return Some("--without last-cell: every puzzle ends with a last cell".to_owned());
        }
        self.needs.iter().find_map(|(word, set)| match most {
            _ if set.0 & !excluded == 0 => Some(format!("--needs {word}: --without excludes it")),
            Some(most) if set.least() > most => {
                Some(format!("--needs {word}: its rating is at least {}, more than {most}", set.least()))
            }
            _ => None,
        })
    }

    /// Returns true if a rating is certain to meet the conditions.
    ///
    /// If a path is unfinished, its later steps are unknown.
    pub fn accepts(&self, rating: &Rating) -> bool {
        let is_within = |&(least, most): &(Tenths, Tenths)| match rating.er {
            RatingBound::Exactly(er) => (least..=most).contains(&er),
            RatingBound::Above(_) => false,
        };
        self.needs.iter().all(|(_, set)| set.is_used(rating))
            && (self.without.is_empty() || rating.er.is_exact())
            && !self.without.iter().any(|(_, set)| set.is_used(rating))
            && self.hardest.as_ref().is_none_or(is_within)
    }

    /// Returns the conditions as command-line options, each with its name and value.
    pub fn settings(&self) -> [(&'static str, Option<String>); 3] {
        let words = |sets: &[(String, TechniqueSet)]| {
            let words: Vec<&str> = sets.iter().map(|(word, _)| word.as_str()).collect();
            (!words.is_empty()).then(|| words.join(","))
        };
        let hardest = self.hardest.map(|(least, most)| format!("{least}..{most}"));
        [("--needs", words(&self.needs)), ("--without", words(&self.without)), ("--rating", hardest)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_names_a_set() {
        for (word, _) in TechniqueSet::words() {
            assert!(TechniqueSet::from_word(&word).is_some_and(|set| set.0 != 0), "{word}");
        }
        assert_eq!(TechniqueSet::from_word("x-wing").map(TechniqueSet::least), Some(Tenths(32)));
        assert_eq!(TechniqueSet::from_word("chains").map(TechniqueSet::least), Some(Tenths(65)));
        assert_eq!(TechniqueSet::from_word("dragon"), None);
    }

    #[test]
    fn contradictory_conditions_are_found() {
        let sets = |words: &[&str]| {
            words
                .iter()
                .map(|&word| (word.to_owned(), TechniqueSet::from_word(word).expect("a set")))
                .collect()
        };
        let found = |needs: &[&str], without: &[&str]| {
            StepFilter::new(sets(needs), sets(without)).contradiction(Some(Tenths(70)))
        };
        assert_eq!(
            found(&["naked-pair", "x-wing"], &["fish"]).as_deref(),
            Some("--needs x-wing: --without excludes it")
        );
        let said = "--needs nishio-forcing-chain: its rating is at least 7.5, more than 7.0";
        assert_eq!(found(&["nishio-forcing-chain"], &[]).as_deref(), Some(said));
        assert!(found(&["wings"], &["xy-wing", "xyz-wing"]).is_some());
        assert!(found(&[], &["fish", "last-cell"]).is_some());
        assert!(found(&["fish", "wings"], &["x-wing", "xy-wing"]).is_none());
        assert!(found(&[], &["chains"]).is_none() && found(&["chains"], &[]).is_none());
    }
}
