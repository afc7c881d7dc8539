//! A 9x9 assembled from whole templates. Only a few templates remain once prices are good.
//!
//! At given prices every template has a *loss*: the net worth of its digit's best template less its own net worth. A
//! grid is nine templates that cover every cell once. So it pays every price once, and its value is exactly the bound
//! less the losses of its nine templates. A grid within a *slack* of the bound consists of templates whose losses add
//! up to at most the slack. With good prices there is a handful of these per digit: nearly always the optimum equals
//! the bound, rounded down.
//!
//! The templates are listed for a small slack and searched as an exact cover. If too few grids are found, the slack
//! grows. A completed search has seen every grid within its slack, so its solutions are proved without any tree below
//! the root. If lists or the search grow too long, the assembly gives up, and the tree of the board takes over.
//!
//! ```text
//! slack 0.3   digit 1: 2 templates   digit 2: 5   ...   digit 9: 3     no grid
//! slack 1.3            4                      9                 5     two grids: the best of all is the better one
//! ```
//!
//! A node keeps a copy of the templates still possible, by digit in the order of their losses. It depends only on the
//! lists and the slack; a better grid lowers the slack. Letter groups cost nothing: a template with some but not all
//! cells of a group is not listed.

use crate::best_walk::{Listing, Template};
use crate::search_context::SearchContext;
use quadrille_model::bits::Bits;
use quadrille_model::{Constraint, EndedBy, Puzzle};

/// Maximum number of templates in the lists of all digits together.
const MAX_LISTED: usize = 12_000;
/// Maximum number of templates checked for one problem, over all searches, before the assembly gives up.
const MAX_WORK: u64 = 20_000_000;
/// All cells of a grid, one bit per cell.
const GRID: u128 = (1 << 81) - 1;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assembled {
    /// The search visited every grid whose total loss is within the slack. There may be grids with larger
    /// losses.
    All,
    /// The search visited every grid that exists, because no grid has a total loss larger than the slack.
    AllThereAre,
    /// The search was too long.
    GivenUp,
}

/// Work space of an assembly.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    groups: Vec<u128>,
    /// The lists of templates of all nodes on the path, one node after the other.
    pieces: Vec<Template>,
    levels: Vec<Level>,
    digits: Vec<u8>,
    work: u64,
}

/// For each digit, the range of a node's templates in `pieces`: begin and end.
type Lists = [(u32, u32); 9];

/// A branching on the path.
#[derive(Debug, Clone, Copy)]
struct Level {
    lists: Lists,
    /// End of the node's lists in `pieces`. The lists of its child nodes begin here.
    top: usize,
    cell: u32,
    /// Untried digits of the cell, each with the smallest loss of any grid that has the digit in this cell.
    ///
    /// The digit to try next comes last.
    untried: [(i64, u8); 9],
    count: u32,
}

/// The result of checking a node.
enum NodeStatus {
    Closed,
    Solved,
    Open,
}

impl Assembly {
    /// Prepares the work space for a puzzle.
    pub(super) fn reset(&mut self, puzzle: &Puzzle) {
        self.work = 0;
        self.groups.clear();
        self.groups.extend(puzzle.constraints().iter().map(|constraint| {
            let Constraint::SameDigit { cells, .. } = constraint;
            cells.iter().fold(0, |group, &cell| group | 1u128 << cell)
        }));
    }

    /// Visits every grid on a board whose losses add up to at most `slack`.
    ///
    /// `list_templates` appends the templates that a [`Listing`] asks for. It returns true if the digit has
    /// no other templates. `take` receives the digits of each grid, and returns the slack for the grids that
    /// follow.
    pub(super) fn search(
        &mut self,
        mut list_templates: impl FnMut(Listing<'_>, &mut Vec<Template>) -> bool,
        slack: i64,
        run: &mut SearchContext<'_>,
        take: &mut dyn FnMut(&[u8]) -> i64,
    ) -> Result<Assembled, EndedBy> {
        self.pieces.clear();
        self.levels.clear();
        let mut all = true;
        let mut lists = Lists::default();
        for (digit, list) in lists.iter_mut().enumerate() {
            let begin = self.pieces.len();
            let listing = Listing { digit, slack, groups: &self.groups, most: MAX_LISTED };
            all &= list_templates(listing, &mut self.pieces);
            if self.pieces.len() > MAX_LISTED {
                return Ok(Assembled::GivenUp);
            }
            self.pieces[begin..].sort_unstable_by_key(|piece| (piece.loss, piece.cells));
            *list = (begin as u32, self.pieces.len() as u32);
        }
        let worst = lists.iter().map(|&list| self.list(list).last().map_or(0, |piece| piece.loss));
        all &= worst.fold(0, i64::saturating_add) <= slack;
        let (mut slack, mut below) = (slack, lists);
        loop {
            if self.work > MAX_WORK {
                return Ok(Assembled::GivenUp);
            }
            run.budget.enter()?;
            match self.look(&mut below, slack)? {
                NodeStatus::Solved => {
                    self.write_digits(&below);
                    slack = slack.min(take(&self.digits));
                }
                NodeStatus::Open | NodeStatus::Closed => {}
            }
            match self.next(slack, run)? {
                Some(lists) => below = lists,
                None => return Ok(if all { Assembled::AllThereAre } else { Assembled::All }),
            }
        }
    }

    fn list(&self, (begin, end): (u32, u32)) -> &[Template] {
        &self.pieces[begin as usize..end as usize]
    }

    /// Removes templates that occur only in grids with a total loss above `slack`. Repeats this until nothing
    /// changes.
    ///
    /// Adds a branching to the stack if the node is still open.
    fn look(&mut self, lists: &mut Lists, slack: i64) -> Result<NodeStatus, EndedBy> {
        loop {
            let mut total = 0i64;
            for &list in lists.iter() {
                let Some(first) = self.list(list).first() else { return Ok(NodeStatus::Closed) };
                total = total.saturating_add(first.loss);
            }
            if total > slack {
                return Ok(NodeStatus::Closed);
            }
            // `once` has the cells that templates of at least one digit contain. `twice` has the cells that
            // templates of at least two digits contain.
            //
            // For each digit, `any` is the union of its templates, and `all` is their intersection.
            let (mut once, mut twice) = (0u128, 0u128);
            let (mut any, mut all) = ([0u128; 9], [GRID; 9]);
            let mut taken = 0u128;
            for digit in 0..9 {
                let list = lists[digit];
                let most = slack - total + self.pieces[list.0 as usize].loss;
                let mut end = list.0;
                for piece in self.list(list) {
                    if piece.loss > most {
                        break;
                    }
                    any[digit] |= piece.cells;
                    all[digit] &= piece.cells;
                    end += 1;
                }
                lists[digit].1 = end;
                self.work += u64::from(end - list.0);
                if taken & all[digit] != 0 {
                    return Ok(NodeStatus::Closed);
                }
                taken |= all[digit];
                twice |= once & any[digit];
                once |= any[digit];
            }
            if once != GRID {
                return Ok(NodeStatus::Closed);
            }
            if twice == 0 {
                return Ok(NodeStatus::Solved);
            }
            let mut changed = false;
            for digit in 0..9 {
                let must = any[digit] & !twice;
                let not = taken & !all[digit];
                let (begin, end) = (lists[digit].0 as usize, lists[digit].1 as usize);
                if any[digit] & not == 0 && all[digit] & must == must {
                    continue;
                }
                let mut kept = begin;
                for place in begin..end {
                    let piece = self.pieces[place];
                    if piece.cells & not == 0 && piece.cells & must == must {
                        self.pieces[kept] = piece;
                        kept += 1;
                    }
                }
                changed |= kept < end;
                lists[digit].1 = kept as u32;
            }
            if !changed {
                self.branch(*lists, total, twice)?;
                return Ok(NodeStatus::Open);
            }
        }
    }

    /// Adds a branching on the cell whose second-best digit has the largest loss.
    ///
    /// If there are several such cells, chooses the one with the fewest digits.
    fn branch(&mut self, lists: Lists, total: i64, open: u128) -> Result<(), EndedBy> {
        // For each cell and digit, the smallest loss of a grid with this digit in the cell.
        let mut through = [[i64::MAX; 9]; 81];
        for (digit, &list) in lists.iter().enumerate() {
            let list = self.list(list);
            let rest = total - list.first().map_or(0, |piece| piece.loss);
            let mut seen = !open;
            for piece in list {
                for cell in Bits(piece.cells & !seen) {
                    through[cell][digit] = rest + piece.loss;
                }
                seen |= piece.cells;
            }
        }
        let mut chosen = (0, (i64::MIN, 0));
        for cell in Bits(open) {
            let (mut least, mut second, mut count) = (i64::MAX, i64::MAX, 0);
            for &loss in &through[cell] {
                count += i64::from(loss < i64::MAX);
                if loss < least {
                    (least, second) = (loss, least);
                } else {
                    second = second.min(loss);
                }
            }
            if (second, -count) > chosen.1 {
                chosen = (cell, (second, -count));
            }
        }
        let cell = chosen.0;
        let mut level =
            Level { lists, top: self.top(&lists), cell: cell as u32, untried: [(0, 0); 9], count: 0 };
        for (digit, &loss) in through[cell].iter().enumerate() {
            if loss < i64::MAX {
                level.untried[level.count as usize] = (loss, digit as u8);
                level.count += 1;
            }
        }
        level.untried[..level.count as usize].sort_unstable_by(|a, b| b.cmp(a));
        self.levels.try_reserve(1)?;
        self.levels.push(level);
        Ok(())
    }

    fn top(&self, lists: &Lists) -> usize {
        lists[8].1 as usize
    }

    /// Moves to the next node whose loss is at most `slack`, and makes the lists of this node. Returns `None`
    /// if there is no such node.
    fn next(&mut self, slack: i64, run: &mut SearchContext<'_>) -> Result<Option<Lists>, EndedBy> {
        loop {
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            let next = level.count.checked_sub(1).map(|last| level.untried[last as usize]);
            let Some((_, chosen)) = next.filter(|&(loss, _)| loss <= slack) else {
                self.levels.pop();
                continue;
            };
            level.count -= 1;
            run.guesses += u64::from(level.count > 0);
            let Level { lists, top, cell, .. } = *level;
            self.pieces.truncate(top);
            self.pieces.try_reserve(top)?;
            let mut below = Lists::default();
            for (digit, &(begin, end)) in lists.iter().enumerate() {
                let first = self.pieces.len() as u32;
                for place in begin as usize..end as usize {
                    let piece = self.pieces[place];
                    if (piece.cells >> cell & 1 != 0) == (digit == usize::from(chosen)) {
                        self.pieces.push(piece);
                    }
                }
                below[digit] = (first, self.pieces.len() as u32);
                self.work += u64::from(end - begin);
            }
            return Ok(Some(below));
        }
    }

    /// Writes the digits of a solved node. In such a node, each digit has only one template left.
    fn write_digits(&mut self, lists: &Lists) {
        self.digits.clear();
        self.digits.resize(81, 0);
        for (digit, list) in (0..).zip(lists) {
            Bits(self.pieces[list.0 as usize].cells).for_each(|cell| self.digits[cell] = digit);
        }
    }
}
