//! Results as a table and as JSON.

use std::process::Command;

use serde_json::{Value, json};

use crate::race::{Class, Line, Spread, best};

/// Description of a race, for the head of a report.
pub struct Head {
    pub problem: String,
    /// Number of problems per round.
    pub count: usize,
    pub goal: String,
    pub rounds: usize,
}

/// Columns with ratios: a heading, and the classes whose best solver is compared.
const COMPARED: [(&str, &[Class]); 2] =
    [("x best links", &[Class::Links]), ("x best rival", &[Class::Links, Class::Grids])];

fn said_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    output
        .map_or_else(|| "unknown".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, model)| model.to_string())
}

fn spread(spread: Spread, digits: usize) -> String {
    let Spread { median, least, greatest } = spread;
    format!("{median:.digits$} ({least:.digits$}-{greatest:.digits$})")
}

/// Prints a race as a table or as JSON.
pub fn print(head: &Head, lines: &[Line], as_json: bool) {
    let context = [
        ("commit", said_by("git", &["describe", "--always", "--dirty"])),
        ("machine", machine()),
        ("date", said_by("date", &["-u", "+%Y-%m-%d"])),
    ];
    if as_json {
        println!("{}", to_json(head, lines, &context));
        return;
    }
    println!(
        "\n{}: {} problems, {}, one thread, {} rounds",
        head.problem, head.count, head.goal, head.rounds
    );
    println!("{}\n", context.map(|(name, value)| format!("{name} {value}")).join(", "));
    let mut rows = vec![[
        "solver".to_string(),
        "per second".into(),
        "us each".into(),
        "guesses each".into(),
        COMPARED[0].0.into(),
        COMPARED[1].0.into(),
    ]];
    let count = head.count as f64;
    for line in lines {
        let ratio = |classes| match best(lines, classes) {
            Some(rival) if line.class == Class::Ours => spread(line.ratio_to(rival), 2),
            _ => String::new(),
        };
        let each = Spread::of(line.seconds.iter().map(|seconds| 1e6 * seconds / count));
        rows.push([
            line.name.clone(),
            format!("{:.0}", count / line.time().median),
            spread(each, 2),
            line.guesses.map_or("-".into(), |guesses| format!("{:.2}", guesses as f64 / count)),
            ratio(COMPARED[0].1),
            ratio(COMPARED[1].1),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    for row in &rows {
        let cells: Vec<String> = (0..6)
            .map(|column| match column {
                0 => format!("{:<1$}", row[0], widths[0]),
                _ => format!("{:>1$}", row[column], widths[column]),
            })
            .collect();
        println!("{}", cells.join("  ").trim_end());
    }
}

fn to_json(head: &Head, lines: &[Line], context: &[(&str, String)]) -> Value {
    let solvers: Vec<Value> = lines
        .iter()
        .map(|line| {
            let ratios: serde_json::Map<String, Value> = COMPARED
                .iter()
                .filter(|_| line.class == Class::Ours)
                .filter_map(|(name, classes)| {
                    let Spread { median, least, greatest } = line.ratio_to(best(lines, classes)?);
                    Some((name.to_string(), json!({"median": median, "min": least, "max": greatest})))
                })
                .collect();
            json!({
                "name": line.name,
                "seconds": line.seconds,
                "us_each": 1e6 * line.time().median / head.count as f64,
                "guesses": line.guesses,
                "ratios": ratios,
            })
        })
        .collect();
    let context: serde_json::Map<String, Value> =
        context.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    json!({
        "problem": head.problem,
        "count": head.count,
        "goal": head.goal,
        "rounds": head.rounds,
        "context": context,
        "solvers": solvers,
    })
}
