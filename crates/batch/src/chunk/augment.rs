//! Rows of `augment`: a record and its images under random transforms.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_128;

use crate::options::Augmentation;
use quadrille_formats::output::{RecordResult, Row};
use quadrille_model::canonical::{Isomorphs, Transform};
use quadrille_model::random::Random;
use quadrille_model::{Losses, ProblemRef, Puzzle, Symbols};

/// Basic number of consecutive draws without a new image after which `augment` gives up on a record.
///
/// [`DRAWS_PER_IMAGE`] more draws are allowed for each image found so far.
const MIN_DRAWS: usize = 64;
/// Number of additional draws that are allowed for each image found so far.
///
/// With this number, `augment` misses the last image of a record once in nine million records.
const DRAWS_PER_IMAGE: usize = 16;

/// Number of random draws between two checks whether the run was stopped.
const DRAWS_PER_LOOK: usize = 1 << 8;

/// Content of one row: a record or one of its images.
#[derive(Debug)]
pub(crate) struct Image<'a> {
    /// The puzzle as text.
    pub text: &'a [u8],
    pub losses: Losses,
    /// Digits of the given solution, 0-based.
    pub given: Option<&'a [u8]>,
    /// The transform, and the index of the image.
    pub copy: RecordResult,
    /// True for the record itself.
    pub is_record: bool,
}

/// Calls `write` with the record of `row`, and then with each of the record's images in order.
///
/// # Errors
/// Returns the reason if the grid has no images or the format cannot hold one of them. Also returns an error
/// if `write` fails or the run is stopped.
pub(crate) fn each(
    augmentation: &Augmentation,
    row: &Row<'_>,
    is_stopped: impl Fn() -> bool,
    mut write: impl FnMut(&Image<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let Some(problem) = row.problem else { return Ok(()) };
    let mut images = Images::new(augmentation, problem, row.record.symbols)?;
    let mut one = |number, transform: Transform, images: &mut Images<'_>| -> Result<(), String> {
        let (losses, given) = (images.draw_text(&transform)?, row.given);
        images.given.clear();
        if let Some(given) = given {
            transform.image_of_solution(given, &mut images.given);
        }
        let given = given.map(|_| images.given.as_slice());
        let copy = RecordResult::Copy { transform, number };
        write(&Image { text: &images.text, losses, given, copy, is_record: number == 0 })
    };
    if augmentation.undo {
        let text = String::from_utf8_lossy(row.record.id.slice(row.bytes));
        let word = text.split_whitespace().next_back().unwrap_or_default();
        let transform: Transform =
            word.parse().map_err(|error| format!("no transform after the grid: {error}"))?;
        return one(0, transform.inverse(), &mut images);
    }
    let isomorphs = Isomorphs::of(problem, augmentation.only).map_err(|error| error.to_string())?;
    let identity = Transform::identity(isomorphs.side()).ok_or("the side of the grid is unknown")?;
    one(0, identity, &mut images)?;
    let mut random = Random::new(augmentation.seed, row.index, 0);
    let mut seen = HashSet::new();
    if augmentation.distinct {
        seen.insert(xxh3_128(&images.text));
    }
    for copy in 1..=augmentation.copies {
        for draws in 0.. {
            if (copy as usize + draws).is_multiple_of(DRAWS_PER_LOOK) && is_stopped() {
                return Err("the run was stopped".to_owned());
            }
            let transform = isomorphs.draw(&mut random);
            if augmentation.distinct {
                if draws == MIN_DRAWS + DRAWS_PER_IMAGE * seen.len() {
                    return Ok(());
                }
                images.draw_text(&transform)?;
                if !seen.insert(xxh3_128(&images.text)) {
                    continue;
                }
            }
            one(copy.into(), transform, &mut images)?;
            break;
        }
    }
    Ok(())
}

/// Computes the images of one puzzle, and writes them as text.
struct Images<'a> {
    augmentation: &'a Augmentation,
    symbols: Symbols,
    from: From,
    text: Vec<u8>,
    given: Vec<u8>,
}

/// The puzzle whose images are computed, in one of two forms.
enum From {
    /// Clues of a 9x9 puzzle that is written as digits.
    Cells(Box<[u8; 81]>),
    /// Any other puzzle, and a second puzzle that is overwritten with the image.
    Puzzle(Box<[Puzzle; 2]>),
}

impl<'a> Images<'a> {
    fn new(
        augmentation: &'a Augmentation,
        problem: ProblemRef<'_>,
        symbols: Symbols,
    ) -> Result<Self, String> {
        let from = match (problem, augmentation.conversion.plain_cells(problem, symbols)) {
            (_, Some(cells)) => From::Cells(Box::new(cells)),
            (ProblemRef::Packed(packed), None) => {
                let puzzle = Puzzle::from(*packed);
                From::Puzzle(Box::new([puzzle.clone(), puzzle]))
            }
            (ProblemRef::Puzzle(puzzle), None) => From::Puzzle(Box::new([puzzle.clone(), puzzle.clone()])),
            (ProblemRef::Cover(_), None) => return Err("an exact cover problem is not a grid".to_owned()),
        };
        Ok(Images { augmentation, symbols, from, text: Vec::new(), given: Vec::new() })
    }

    /// Sets `text` to the image of the puzzle under `transform`. Returns the values of the puzzle that the
    /// text cannot hold.
    fn draw_text(&mut self, transform: &Transform) -> Result<Losses, String> {
        let conversion = &self.augmentation.conversion;
        self.text.clear();
        match &mut self.from {
            From::Cells(cells) if transform.side() == 9 => {
                self.text.extend_from_slice(&transform.line_of_9x9(cells, conversion.empty));
                Ok(Losses::default())
            }
            From::Cells(_) => Err(format!("the transform is for side {}", transform.side())),
            From::Puzzle(puzzles) => {
                let [puzzle, image] = &mut **puzzles;
                transform.image(puzzle, image).map_err(|error| error.to_string())?;
                conversion.write(ProblemRef::Puzzle(image), self.symbols, &mut self.text)
            }
        }
    }
}
