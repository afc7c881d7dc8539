//! Compiles a text of rules into tables, one item after another.

use super::builder::Compiler;
use super::{RuleError, Rules, Shape, kinds, pairs, text};

/// Maximum number of items in a text.
///
/// This limit and the two limits below keep the tables from becoming far larger than the text.
const MAX_ITEMS: usize = 10_000;
/// Maximum number of houses.
const MAX_HOUSES: usize = 10_000;
/// Maximum number of relations.
const MAX_RELATIONS: usize = 200_000;

/// Compiles a text without white space, for grids of a shape.
///
/// The time grows with the text, and with the square of the side for items that concern all cells.
///
/// # Errors
/// Returns an error for the first item that is unknown or does not fit the grid.
///
/// ```
/// use quadrille::rules::{Shape, compile};
/// let shape = Shape { box_rows: 3, box_columns: 3 };
/// let rules = compile(".Diagonal~1.AntiKnight", shape)?;
/// assert_eq!((rules.houses().len(), rules.has_only_houses()), (28, true));
/// assert!(compile(".Diagonal~1.Dragon", shape).unwrap_err().to_string().contains("`.Dragon` is not supported"));
/// # Ok::<(), quadrille::rules::RuleError>(())
/// ```
pub fn compile(text: &str, shape: Shape) -> Result<Rules, RuleError> {
    // Checks the number of items before listing them. A list of millions of items would need much more memory
    // than the text.
    if let Some(body) = text.split('.').nth(MAX_ITEMS + 1) {
        let (number, item) = (MAX_ITEMS + 1, text::shortened(&format!(".{body}")));
        return Err(RuleError::Invalid { number, item, reason: format!("more than {MAX_ITEMS} items") });
    }
    let items = text::items(text)?;
    let no_boxes = !shape.has_boxes() || items.iter().any(|item| item.name == "NoBoxes");
    let mut compiler = Compiler::new(shape, no_boxes);
    for (at, item) in items.iter().enumerate() {
        // A repeated item without arguments has no further effect.
        if item.arguments.is_empty() && items[..at].iter().any(|before| before.text == item.text) {
            continue;
        }
        let kind = kinds::find(item.name).ok_or_else(|| RuleError::Unsupported {
            number: item.number,
            name: text::shortened(&format!(".{}", item.name)),
        })?;
        (kind.compile)(&mut compiler, item)?;
        if compiler.rules.houses.len() > MAX_HOUSES || compiler.rules.relations.len() > MAX_RELATIONS {
            return Err(item.invalid("too many rules: a grid cannot hold this rule in addition"));
        }
    }
    pairs::add_strict(&mut compiler);
    Ok(compiler.into_rules(text))
}

/// Returns the candidates that a text leaves, if the text only restricts candidates.
///
/// Each entry is a cell with its mask of digits. The text must not contain white space. Returns `None` if the
/// text has items other than givens and shapes. [`compile`] gives the same candidates, but is much slower.
pub fn candidates_alone(text: &str, shape: Shape) -> Option<Result<Vec<(u16, u64)>, RuleError>> {
    // Most texts have other items, and [`compile`] reads these texts afterwards. Without this check, such a
    // text would be split into items and words twice.
    let is_candidates = |item: &str| matches!(item.split('~').next(), Some("" | "Shape"));
    if !text.split('.').skip(1).all(is_candidates) || text.split('.').nth(MAX_ITEMS + 1).is_some() {
        return None;
    }
    let items = text::items(text).ok()?;
    let mut compiler = Compiler::bare(shape);
    let added = items.iter().try_for_each(|item| {
        kinds::find(item.name).map_or(Ok(()), |kind| (kind.compile)(&mut compiler, item))
    });
    Some(added.map(|()| compiler.rules.masks))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINE: Shape = Shape { box_rows: 3, box_columns: 3 };

    fn message(text: &str) -> String {
        compile(text, NINE).unwrap_err().to_string()
    }

    #[test]
    fn faults_name_the_item() {
        assert_eq!(message("x"), "rules: `x` is not an item: an item begins with a dot, as in `.AntiKnight`");
        assert_eq!(message(".AntiKing.Foo~1"), "rules: item 2: `.Foo` is not supported");
        assert_eq!(
            message(".AllDifferent~R1C1~R1CA"),
            "rules: item 1 `.AllDifferent~R1C1~R1CA`: `R1CA` is not a cell of a 9x9"
        );
        assert_eq!(message(".AllDifferent~R1C1~R1C1"), "rules: item 1 `.AllDifferent~R1C1~R1C1`: R1C1 twice");
        assert!(message(".AntiKnight~1").contains("takes no arguments"));
        let many = ".AntiKing".repeat(MAX_ITEMS);
        assert!(compile(&many, NINE).is_ok());
        assert_eq!(message(&(many + ".X")), "rules: item 10001 `.X`: more than 10000 items");
        assert!(message(&format!(".Jigsaw~{}", "a".repeat(81))).ends_with("no region has 9 cells"));
    }

    #[test]
    fn cells_that_are_known_from_each_other_differ_from_the_same_cells() {
        let implied = |text: &str| compile(text, NINE).unwrap().implied_different().to_vec();
        assert!(implied(".AntiKnight.Thermo~R1C1~R1C2.Palindrome~R5C5~R5C6~R5C5").is_empty());
        for text in [".Palindrome~R1C1~R2C2~R5C5", ".Sum~0_=_2_-2~R5C5~R1C1", ".Arrow~R1C1~R5C5"] {
            let pairs = implied(text);
            assert!(pairs.is_sorted_by(|one, other| one < other), "{text}: each pair once, in order");
            // The two equal cells see 20 cells each. Two of the seen cells are the same, so together the two
            // equal cells see 38 cells. Each of the two equal cells differs from all 38.
            assert_eq!(pairs.len(), 2 * 38, "{text}");
            for pair in [(0, 8), (8, 40), (0, 36), (0, 44), (36, 40)] {
                assert!(pairs.contains(&pair), "{text}: {pair:?}");
            }
        }
        // R1C3 and R6C5 both have ten minus the same digit, although no item relates the two cells directly.
        let pairs = implied(".X~R1C2~R1C3.Sum~0_=_1_-1~R1C2~R5C5.X~R5C5~R6C5");
        assert!(pairs.contains(&(1, 44)) && pairs.contains(&(2, 53)), "{pairs:?}");
        // With two X marks, the second cells of the marks differ because the first cells differ.
        assert_eq!(implied(".X~R1C1~R2C1.X~R1C9~R2C9"), [(0, 8), (9, 17)]);
        assert_eq!(implied(".X~R1C1~R2C1.X~R4C1~R4C2"), [(0, 27), (0, 28), (9, 27), (9, 28)]);
    }
}
