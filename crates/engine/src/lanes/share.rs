//! Sharing of puzzles: lanes that would idle take parts of other lanes' puzzles.
//!
//! When the client has no more puzzles, a lane without one takes the oldest state from another lane's stack.
//! The subtree of that state comes last in the other lane's search. So a puzzle becomes a chain of parts in
//! depth-first order:
//!
//! ```text
//!     head -> part -> part -> part        the part made from a lane's oldest state comes
//!     lane    lane    done    lane        directly after what that lane works on
//! ```
//!
//! Only the head reports to the client and counts for the puzzle. A later part counts for itself and keeps
//! its solutions, each with the part's counters at that moment. When the head has nothing left, it takes over
//! the part that follows it: it reports the solutions of the part, adds its counters, and continues with the
//! states that are left. So the client sees the same search, with the same counts, as from one lane alone.
//!
//! A limit on nodes, or on solutions that are only counted, may fall inside a part. Then the head drops all
//! parts that follow and searches that part again from its beginning. A part waits for its turn without a
//! lane if it has kept many solutions, or if the client has puzzles again. There are at most
//! [`MAX_PARTS`](super::parts::MAX_PARTS) parts. All of this costs only time that would have been idle.

use super::kind::GridKind;
use super::parts::{Kept, NONE, Part, Totals};
use super::search::Search;
use crate::{Client, Event, Flow};
use quadrille_model::bits::bits_of;
use quadrille_model::simd::Vector;
use quadrille_model::{EndedBy, Solution};

/// Number of unreported solutions that every part may store. This does not depend on the total of all parts.
const MAX_KEPT: usize = 32;
/// Total number of unreported solutions in all parts from which on each part must keep to [`MAX_KEPT`].
const MAX_KEPT_IN_ALL: usize = 1 << 16;

impl<V: Vector, K: GridKind<V>> Search<V, K> {
    /// Gives parts of running searches to idle lanes, as long as other lanes have states that they can give
    /// away.
    ///
    /// One lane of every 64 stays free, because the client can be asked for another puzzle only if a lane is
    /// free.
    pub(super) fn share(&mut self, client: &mut dyn Client) {
        // Leave out the lowest free lane of each 64 lanes, so that it can take a new puzzle.
        let mut idle = self.busy.map(|word| !word & !word.wrapping_add(1));
        idle[V::WORDS..].fill(0);
        if idle == [0; 8] {
            return;
        }
        let mut idle = bits_of(idle);
        for giver in bits_of(self.busy) {
            let held = &self.lanes[giver];
            // A search that ends at its third solution or later may never reach its last states. So it does
            // not give them away.
            let ends_early = held.totals.found != 0 && (3..u64::MAX).contains(&held.wanted);
            if held.stack.is_empty() || ends_early || held.least.is_some() || self.parts.is_full() {
                continue;
            }
            let Some(lane) = idle.next() else { return };
            let held = &mut self.lanes[giver];
            let root = held.stack.remove(0);
            let (ticket, wanted, emits, node_limit) = (held.ticket, held.wanted, held.emits, held.node_limit);
            let (before, behind) = match held.part {
                NONE => (None, held.next),
                before => (Some(before as usize), self.parts.all[before as usize].next),
            };
            let part = self.parts.add(root, behind, lane).expect("there is room for one more part");
            match before {
                None => held.next = part,
                Some(before) => self.parts.all[before].next = part,
            }
            let taker = &mut self.lanes[lane];
            (taker.ticket, taker.wanted, taker.emits) = (ticket, wanted, emits);
            taker.node_limit = node_limit;
            taker.totals = Totals::default();
            taker.part = part;
            self.load(lane, &root, client);
        }
    }

    /// Records a solution that a lane has found in a later part of its puzzle. The earlier parts are not done
    /// yet, so the solution is not reported now.
    ///
    /// Returns `false` if the lane was freed.
    pub(super) fn found_early(&mut self, lane: usize, digits: Option<[u8; 81]>) -> bool {
        let held = &self.lanes[lane];
        let part = &mut self.parts.all[held.part as usize];
        if let Some(digits) = digits {
            part.kept.push(Kept { digits, totals: held.totals });
            self.parts.kept += 1;
        }
        let full = part.kept.len() >= MAX_KEPT && self.parts.kept >= MAX_KEPT_IN_ALL;
        let enough = held.totals.found >= held.wanted || full;
        if enough {
            self.set_aside(lane);
        }
        !enough
    }

    /// Frees a lane. Its part is done, or its part must wait until the earlier parts of the puzzle are done.
    pub(super) fn set_aside(&mut self, lane: usize) {
        let held = &mut self.lanes[lane];
        let part = &mut self.parts.all[held.part as usize];
        part.lane = None;
        part.totals = held.totals;
        std::mem::swap(&mut part.stack, &mut held.stack);
        self.free(lane);
    }

    /// Drops all parts after the first part of a puzzle and frees their lanes. `head` is the lane of the
    /// first part.
    pub(super) fn drop_after(&mut self, head: usize) {
        let mut part = std::mem::replace(&mut self.lanes[head].next, NONE);
        while part != NONE {
            let Part { next, lane, .. } = self.parts.all[part as usize];
            if let Some(lane) = lane {
                self.free(lane);
            }
            self.parts.release(part);
            part = next;
        }
    }

    /// Continues a puzzle with its next part. The lane `head` has searched all states of the parts before it.
    pub(super) fn go_on(&mut self, head: usize, client: &mut dyn Client) {
        loop {
            let id = self.lanes[head].next;
            if id == NONE {
                return self.finish(head, EndedBy::Complete, client);
            }
            let part = &self.parts.all[id as usize];
            let Totals { found, nodes, guesses } =
                part.lane.map_or(part.totals, |lane| self.lanes[lane].totals);
            let held = &self.lanes[head];
            let has_enough = !held.emits && held.totals.found + found >= held.wanted;
            if held.totals.nodes + nodes > held.node_limit || has_enough {
                let root = part.root;
                self.drop_after(head);
                return self.load(head, &root, client);
            }
            if let Some(ended_by) = self.report(head, id, client) {
                return self.finish(head, ended_by, client);
            }
            let part = &mut self.parts.all[id as usize];
            let held = &mut self.lanes[head];
            held.next = part.next;
            held.totals.nodes += nodes;
            held.totals.guesses += guesses;
            if !held.emits {
                held.totals.found += found;
            }
            if let Some(lane) = part.lane {
                let [held, heir] = self.lanes.get_disjoint_mut([head, lane]).expect("two lanes");
                heir.totals = held.totals;
                (heir.part, heir.next, heir.ends) = (NONE, held.next, held.ends.take());
                heir.in_series = held.in_series;
                held.next = NONE;
                self.parts.release(id);
                return self.free(head);
            }
            std::mem::swap(&mut held.stack, &mut part.stack);
            self.parts.release(id);
            if !self.lanes[head].stack.is_empty() {
                return self.backtrack(head, client);
            }
        }
    }

    /// Reports the stored solutions of a part.
    ///
    /// If the search of the puzzle must stop at one of these solutions, returns the reason. Otherwise returns
    /// `None`.
    fn report(&mut self, head: usize, id: u32, client: &mut dyn Client) -> Option<EndedBy> {
        self.deliver(client);
        let held = &mut self.lanes[head];
        for kept in &self.parts.all[id as usize].kept {
            held.totals.found += 1;
            let solution = Solution::Digits(&kept.digits);
            let ended_by = match client.report(Event::Solution { ticket: held.ticket, solution }) {
                _ if held.totals.found >= held.wanted => EndedBy::Limit,
                Flow::Stop => EndedBy::Cancel,
                Flow::Continue => continue,
            };
            held.totals.nodes += kept.totals.nodes;
            held.totals.guesses += kept.totals.guesses;
            return Some(ended_by);
        }
        None
    }
}
