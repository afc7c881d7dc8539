//! Graphs of all solutions and their certificates, for exact cover problems made from any bytes.

use std::collections::BTreeSet;

use quadrille::engine::{Cases, Control, CountGraph, Flow, Solver, Task};
use quadrille::{Count, Goal, Limits, ProblemRef, Solution, verify};

use super::bytes::Bytes;
use super::engines::cover;

/// Maximum number of solutions that are listed.
const LISTED: u64 = 500;

/// Compares a graph, in memory and in a file, with all solutions, and adds up its certificate. A problem with
/// multiplicities has no graph; its marginals are compared.
///
/// # Panics
/// Panics if the answers differ.
pub fn certificates_add_up(data: &[u8]) {
    let Some(cover) = cover(&mut Bytes(data)) else { return };
    let (problem, control, limits) = (ProblemRef::Cover(&cover), Control::new(), Limits::default());
    let mut solutions = BTreeSet::new();
    let mut keep = |solution: Solution<'_>| {
        let Solution::Options(options) = solution else { return Flow::Stop };
        let mut options = options.to_vec();
        options.sort_unstable();
        solutions.insert(options);
        Flow::Continue
    };
    Solver::default()
        .search(&Task::whole(problem, Goal::First(LISTED), limits), &control, &mut keep)
        .expect("an engine");
    if solutions.len() as u64 == LISTED {
        return;
    }
    let having = |option: u32| solutions.iter().filter(|options| options.contains(&option)).count() as u64;
    let expected: Vec<Count> = (0..cover.options() as u32).map(having).map(Count::from).collect();
    let cases = Cases::new(problem, limits, &control).expect("a count");
    assert_eq!(cases.of_options().expect("counts"), expected);
    let Ok(graph) = CountGraph::build(&cover, limits, &control) else {
        assert!(cover.has_multiplicities());
        return;
    };
    assert_eq!(*graph.count(), Count::from(solutions.len() as u64));
    assert_eq!(graph.marginals(&control).expect("not stopped"), expected);
    let ranks = 0..solutions.len() as u64;
    let ranked = ranks.map(|rank| graph.solution(&Count::from(rank)).expect("in memory"));
    let ranked: BTreeSet<Vec<u32>> =
        ranked.inspect(|options| assert_eq!(verify(problem, Solution::Options(options)), Ok(()))).collect();
    assert_eq!(ranked, solutions);
    let text = certificate(&graph);
    assert_eq!(added_up(&text), solutions.len() as u64, "{text}");
    // As little memory as some problems need.
    let scarce = Limits { memory: Some(1 << 13), ..limits };
    let file = tempfile::tempfile().expect("a file");
    if let Ok(graph) = CountGraph::build_with_file(&cover, scarce, &control, file) {
        assert_eq!(certificate(&graph), text);
        assert_eq!(graph.marginals(&control).expect("not stopped"), expected);
    }
}

fn certificate(graph: &CountGraph) -> String {
    let mut text = Vec::new();
    graph.write_certificate(&mut text).expect("memory");
    String::from_utf8(text).expect("text")
}

/// Returns the count of the root, after all counts were computed from those of earlier lines.
fn added_up(text: &str) -> u64 {
    let mut counts = vec![1];
    for line in text.lines().skip(2) {
        let (children, count) = line.split_once(" = ").expect("a count");
        let known = |child: &str| {
            let child = child.split(':').next_back().expect("a child");
            if child == "-" { 0 } else { counts[child.parse::<usize>().expect("a node")] }
        };
        let sum = match (children.split_once("* "), children.split_once("| ")) {
            (Some((_, parts)), _) => parts.split(' ').map(known).product(),
            (_, Some((_, choices))) => choices.split(' ').skip(1).map(known).sum(),
            _ => known(children.strip_prefix("root ").expect("the last line")),
        };
        assert_eq!(sum, count.parse::<u64>().expect("a number"), "{line}");
        counts.push(sum);
    }
    *counts.last().expect("a root")
}
