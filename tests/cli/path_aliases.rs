//! Random runs with files of any name in every role.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::quadrille;
use super::roles::{Case, Known};

/// Runs the program with these arguments; the first one is its name. Panics after a minute.
fn runs(arguments: &[String]) -> Option<i32> {
    let mut command = quadrille("").command;
    command.args(&arguments[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            return status.code();
        }
        if began.elapsed() > Duration::from_secs(60) {
            child.kill().expect("it is ours");
            panic!("{arguments:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// `QUADRILLE_ROLES` sets the number of cases.
#[test]
fn files_in_any_role_under_any_name_are_safe() {
    let cases = std::env::var("QUADRILLE_ROLES").map_or(250, |cases| cases.parse().expect("a number"));
    let mut known = Known::default();
    let (mut state, mut counts) = (1u64, [0; 4]);
    for _ in 0..cases {
        let mut data = [0; 48];
        for byte in &mut data {
            // Knuth's MMIX generator; only its high bits are random enough for choices.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
        let case = known.try_roles(&data, &mut runs);
        counts[[Case::Waits, Case::Refused, Case::Failed, Case::Done]
            .iter()
            .position(|of| *of == case)
            .expect("one")] += 1;
    }
    println!(
        "{cases} cases: {} not run, {} refused, {} failed, {} done",
        counts[0], counts[1], counts[2], counts[3]
    );
    assert!(counts[1..].iter().all(|&count| count > cases / 50), "{counts:?}");
}
