//! Combines the answers for the cubes of a problem. The cubes are the parts that the problem was cut into.
//!
//! Every cube must have exactly one complete answer.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::fmt;

use num_bigint::BigUint;

use quadrille_model::{Count, CubeName, Error, Fingerprint, Purpose, Result};

/// The answer for one cube, or the combined answer for all cubes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Total {
    /// The number of solutions.
    Count(Count),
    /// The best score, and a solution with this score as text from an answer. `None` if no cube has a
    /// solution.
    ///
    /// If several cubes have the best score, the solution comes from the first of them.
    Best(Option<(i64, String)>),
    /// All solutions as written in the answers, in the order of the cubes.
    Every(Vec<String>),
}

/// Writes the total in the form that `combine` prints, without the last newline.
impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Total::Count(count) => count.fmt(f),
            Total::Best(Some((score, solution))) => write!(f, "{score}\t{solution}"),
            Total::Every(solutions) if !solutions.is_empty() => f.write_str(&solutions.join("\n")),
            Total::Best(None) | Total::Every(_) => f.write_str("none"),
        }
    }
}

/// Combines lines written by `count --cubes`, `best --cubes` or `solve --all --cubes`.
///
/// The lines may be in any order and from any number of files. The solutions of one cube are in the order of
/// their lines, and the line after them states their number. Any earlier solutions of the cube are from a run
/// that did not finish.
///
/// ```
/// use quadrille::cubes::{CubeAnswers, Total};
/// use quadrille::Count;
/// let mut sum = CubeAnswers::default();
/// sum.add("count:0123456789abcdef-0123456789abcdef 2/2\t40")?;
/// assert_eq!(sum.missing().collect::<Vec<_>>(), [1]);
/// sum.add("count:0123456789abcdef-0123456789abcdef 1/2\t2")?;
/// assert_eq!(sum.total()?, Total::Count(Count::from(42)));
/// # Ok::<(), quadrille::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CubeAnswers {
    /// The cut that the answers belong to: its fingerprint and its number of cubes. `None` if no line has
    /// named the cut yet.
    of: Option<(Fingerprint, u64)>,
    /// Answers, indexed by the number of the cube.
    answers: BTreeMap<u64, Total>,
    /// Solutions, indexed by the number of the cube. Contains only cubes whose end line has not been read.
    open: BTreeMap<u64, Vec<String>>,
}

impl CubeAnswers {
    /// Adds a line of an answer, given without its line end.
    ///
    /// With `--unordered`, a line begins with a record number, which this function ignores. If the line says
    /// that a search ended early, its cube still counts as missing.
    ///
    /// # Errors
    /// Returns `ErrorKind::Model` in four cases: the line is malformed, its cube does not belong to the cut
    /// of the earlier lines, its cube already has an answer, or some solutions of the cube are missing.
    pub fn add(&mut self, line: &str) -> Result<()> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let line = line.split_once('\t').filter(|(first, _)| is_number(first)).map_or(line, |(_, rest)| rest);
        let (name, rest) = line
            .split_once('\t')
            .ok_or_else(|| Error::model("invalid answer: expected the name of a cube, a tab and a result"))?;
        let name: CubeName = name.parse().map_err(Error::model)?;
        self.expect(&name)?;
        let answer = match read(rest, name.of.purpose)? {
            AnswerLine::Answer(answer) => answer,
            AnswerLine::Solution(solution) => {
                self.open.entry(name.number).or_default().push(solution.to_owned());
                return Ok(());
            }
            AnswerLine::Listed(number) => {
                let mut solutions = self.open.remove(&name.number).unwrap_or_default();
                let Some(before) = (solutions.len() as u64).checked_sub(number) else {
                    let (cube, count, here) = (name.number, name.count, solutions.len());
                    let lost = format!(
                        "cube {cube}/{count} has {number} solutions, but only {here} of them are in the input"
                    );
                    return Err(Error::model(lost));
                };
                solutions.drain(..before as usize);
                Total::Every(solutions)
            }
            AnswerLine::Unfinished => {
                self.open.remove(&name.number);
                return Ok(());
            }
        };
        match self.answers.entry(name.number) {
            Vacant(place) => drop(place.insert(answer)),
            Occupied(_) => {
                return Err(Error::model(format!("two answers of cube {}/{}", name.number, name.count)));
            }
        }
        Ok(())
    }

    /// Sets the cut whose answers are combined. `name` is any cube of this cut.
    ///
    /// # Errors
    /// Returns `ErrorKind::Model` if an earlier line or call named another cut.
    pub fn expect(&mut self, name: &CubeName) -> Result<()> {
        let (of, count) = *self.of.get_or_insert((name.of, name.count));
        let what = if name.of.purpose != of.purpose {
            "a cube that was cut for another purpose"
        } else if name.of.problem != of.problem {
            "a cube of another problem"
        } else if (name.of.cut, name.count) != (of.cut, count) {
            "a cube of another cut of the same problem"
        } else {
            return Ok(());
        };
        Err(Error::model(format!("{what} than the first")))
    }

    /// Returns the number of cubes of the cut, or `None` if the cut is not known yet.
    pub fn cubes(&self) -> Option<u64> {
        self.of.map(|(_, count)| count)
    }

    /// Returns true if the cube with this number has an answer.
    pub fn has(&self, number: u64) -> bool {
        self.answers.contains_key(&number)
    }

    /// Returns the numbers of the cubes that have no answer, ascending.
    pub fn missing(&self) -> impl Iterator<Item = u64> {
        (1..=self.cubes().unwrap_or(0)).filter(|&number| !self.has(number))
    }

    /// Returns the combined answer: the sum of all counts, the best answer, or all solutions.
    ///
    /// # Errors
    /// Returns `ErrorKind::Model` if the answers for some cubes are missing, and names some of these cubes.
    /// Also returns this error if no answer was added.
    pub fn total(&self) -> Result<Total> {
        let Some((of, count)) = self.of else { return Err(Error::model("no answers")) };
        // A loop over all cubes could be slow, because the name of a cube may state a huge number of cubes.
        // So the missing answers are counted by subtraction.
        let missing = count - self.answers.len() as u64;
        if missing > 0 {
            let named = named(self.missing());
            return Err(Error::model(format!("{missing} of {count} cubes have no finished answer: {named}")));
        }
        let answers = self.answers.values();
        Ok(match of.purpose {
            Purpose::Count => Total::Count(answers.fold(Count::ZERO, |mut sum, answer| {
                if let Total::Count(count) = answer {
                    sum += count;
                }
                sum
            })),
            Purpose::Every => Total::Every(
                answers
                    .flat_map(|answer| match answer {
                        Total::Every(solutions) => solutions.as_slice(),
                        Total::Count(_) | Total::Best(_) => &[],
                    })
                    .cloned()
                    .collect(),
            ),
            Purpose::Best(direction) => {
                let scored = answers.filter_map(|answer| match answer {
                    Total::Best(best) => best.as_ref(),
                    Total::Count(_) | Total::Every(_) => None,
                });
                let best = scored.reduce(
                    |best, other| {
                        if direction.is_better(other.0, best.0) { other } else { best }
                    },
                );
                Total::Best(best.cloned())
            }
        })
    }
}

/// Returns the first ten cube numbers as text, followed by `...` if there are more.
pub fn named(mut numbers: impl Iterator<Item = u64>) -> String {
    const NAMED: usize = 10;
    let named: Vec<String> = numbers.by_ref().take(NAMED).map(|number| number.to_string()).collect();
    named.join(", ") + if numbers.next().is_some() { ", ..." } else { "" }
}

/// The meaning of a line.
enum AnswerLine<'a> {
    /// The complete answer of a cube.
    Answer(Total),
    /// One of the cube's solutions.
    Solution(&'a str),
    /// The end of the cube's list of solutions, with the number of solutions.
    Listed(u64),
    /// The cube's search ended early, or the cube was not searched.
    Unfinished,
}

/// Reads a line of the answer for a cube.
fn read(text: &str, purpose: Purpose) -> Result<AnswerLine<'_>> {
    const UNFINISHED: [&str; 3] = ["unknown", "internal", "invalid"];
    const LISTED: [&str; 3] = ["solved", "unique", "multiple"];
    let mut columns = text.split('\t');
    let first = columns.next().unwrap_or_default();
    if UNFINISHED.contains(&first) || first.starts_with(">=") {
        return Ok(AnswerLine::Unfinished);
    }
    let wrong = || {
        let short: String = text.chars().take(40).collect();
        Error::model(format!("'{short}' is not an answer for {}", purpose.word()))
    };
    match purpose {
        Purpose::Count => {
            let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
            let count = first.parse::<BigUint>().ok().filter(|_| is_number && columns.next().is_none());
            Ok(AnswerLine::Answer(Total::Count(count.ok_or_else(wrong)?.into())))
        }
        Purpose::Every if first == "none" => Ok(AnswerLine::Answer(Total::Every(Vec::new()))),
        Purpose::Every if LISTED.contains(&first) => {
            // The verdict is followed by the number of solutions, or by the reason why the search ended.
            let number = columns.next().and_then(|number| number.parse().ok());
            Ok(number.filter(|_| columns.next().is_none()).map_or(AnswerLine::Unfinished, AnswerLine::Listed))
        }
        Purpose::Every if columns.next().is_none() => Ok(AnswerLine::Solution(text)),
        Purpose::Every => Err(wrong()),
        Purpose::Best(_) if first == "none" => Ok(AnswerLine::Answer(Total::Best(None))),
        Purpose::Best(_) => {
            let score = first.parse().map_err(|_| wrong())?;
            let solution = columns.next().ok_or_else(wrong)?;
            let is_all = columns.next().is_none();
            let best = || Total::Best(Some((score, solution.to_owned())));
            Ok(if is_all { AnswerLine::Answer(best()) } else { AnswerLine::Unfinished })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASHES: &str = "0123456789abcdef-0123456789abcdef";

    fn sum(purpose: &str, lines: &[&str]) -> Result<Total> {
        let mut sum = CubeAnswers::default();
        for line in lines {
            sum.add(&format!("{purpose}:{HASHES} {line}"))?;
        }
        sum.total()
    }

    fn error(purpose: &str, lines: &[&str]) -> String {
        sum(purpose, lines).unwrap_err().to_string()
    }

    #[test]
    fn counts_of_any_size_are_added() {
        let large = "99999999999999999999999999999999";
        let total = sum("count", &[&format!("1/3\t{large}"), "3/3\t0", "2/3\t1"]).unwrap();
        let Total::Count(count) = total else { panic!("counts are counted") };
        assert_eq!(count.to_string(), "100000000000000000000000000000000");
    }

    #[test]
    fn any_number_of_cubes_may_be_missing() {
        let missing = error("count", &["1/18446744073709551615\t5"]);
        assert!(missing.starts_with("18446744073709551614 of 18446744073709551615 cubes"), "{missing}");
    }

    #[test]
    fn the_first_of_the_best_wins() {
        let lines = ["3/3\t7\tc", "1/3\tnone", "2/3\t7\tb"];
        assert_eq!(sum("max", &lines).unwrap(), Total::Best(Some((7, "b".into()))));
        assert_eq!(sum("min", &["1/2\t-3\ta", "2/2\t5\tb"]).unwrap(), Total::Best(Some((-3, "a".into()))));
        assert_eq!(sum("min", &["1/1\tnone"]).unwrap(), Total::Best(None));
    }

    #[test]
    fn cubes_that_do_not_add_up_are_refused() {
        assert_eq!(error("count", &["1/3\t5", "3/3\t5"]), "1 of 3 cubes have no finished answer: 2");
        assert_eq!(error("count", &["1/2\t5", "1/2\t5"]), "two answers of cube 1/2");
        assert_eq!(
            error("count", &["1/2\t5", "1/3\t5"]),
            "a cube of another cut of the same problem than the first"
        );
        for unfinished in [">=12\tdeadline", "unknown\tnodes", "invalid\tno text"] {
            let lines = [&format!("1/2\t{unfinished}")[..], "2/2\t1"];
            assert_eq!(error("count", &lines), "1 of 2 cubes have no finished answer: 1", "{unfinished}");
            assert!(sum("count", &[lines[0], lines[1], "1/2\t4"]).is_ok(), "a later answer counts");
        }
        assert_eq!(error("max", &["1/1\t5\ta\tfeasible\t9"]), "1 of 1 cubes have no finished answer: 1");
        for wrong in ["1/1\t5\ta", "1/1\t-5", "1/1\t5x", "1/1\t", "1/1\tnone"] {
            assert!(error("count", &[wrong]).contains("is not an answer for count"), "{wrong}");
        }
        assert!(error("max", &["1/1\t5"]).contains("is not an answer for max"));
        let mut sum = CubeAnswers::default();
        sum.add(&format!("count:{HASHES} 1/2\t5")).unwrap();
        for (foreign, what) in [
            (format!("max:{HASHES} 2/2\tnone"), "another purpose"),
            (format!("count:{} 2/2\t5", HASHES.replacen('0', "1", 1)), "another problem"),
        ] {
            assert!(sum.add(&foreign).unwrap_err().to_string().contains(what), "{foreign}");
        }
        assert_eq!(CubeAnswers::default().total().unwrap_err().to_string(), "no answers");
    }
}
