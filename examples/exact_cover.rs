//! An exact cover problem with named items: every task is done once, and each person works at most once.

use quadrille::{CoverBuilder, CoverQuestions, Result};

fn main() -> Result<()> {
    let mut builder = CoverBuilder::new();
    for task in ["cook", "clean", "shop"] {
        builder.primary(task)?; // covered exactly once
    }
    for person in ["ada", "ben", "cleo"] {
        builder.secondary(person)?; // at most once
    }
    for option in [
        &["ada", "cook"][..],
        &["ben", "cook", "shop"],
        &["cleo", "shop"],
        &["ada", "clean"],
        &["ben", "clean"],
    ] {
        builder.option(option)?;
    }
    let cover = builder.build()?;
    let mut plans = Vec::new();
    for solution in cover.solutions() {
        let mut plan = Vec::new();
        for option in solution? {
            cover.write_option(option as usize, &mut plan);
            plan.extend(b"; ");
        }
        plans.push(String::from_utf8_lossy(&plan).into_owned());
    }
    plans.iter().for_each(|plan| println!("{plan}"));
    assert_eq!(plans.len() as u64, cover.count(100)?);
    assert_eq!(plans, ["ada cook; cleo shop; ben clean; ", "ben cook shop; ada clean; "]);
    Ok(())
}
