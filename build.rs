//! Passes facts about the build to `quadrille --version --verbose`: the target, whether it is optimised, and the commit.
//!
//! The commit comes from the environment variable `QUADRILLE_COMMIT`, or from the file that `cargo package` writes, or
//! from git. Without any of them the program prints `unknown`. Builds without optimisation do not ask git; otherwise
//! every test would be linked again after each commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=QUADRILLE_COMMIT");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo::rustc-env=QUADRILLE_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=QUADRILLE_OPT_LEVEL={}", variable("OPT_LEVEL"));
    let directory = variable("CARGO_MANIFEST_DIR");
    let given = Some(variable("QUADRILLE_COMMIT")).filter(|commit| !commit.is_empty());
    let commit = given
        .or_else(|| packaged(Path::new(&directory)))
        .or_else(|| if variable("PROFILE") == "release" { checked_out(Path::new(&directory)) } else { None });
    if let Some(commit) = commit.filter(|commit| commit.bytes().all(|byte| byte.is_ascii_graphic())) {
        println!("cargo::rustc-env=QUADRILLE_COMMIT_FOUND={commit}");
    }
}

/// Returns the commit in the file that `cargo package` puts into a package.
fn packaged(directory: &Path) -> Option<String> {
    let text = std::fs::read_to_string(directory.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    Some(rest.split('"').nth(1)?.to_owned())
}

/// Returns the checked-out commit, or `None` if the package is not the top folder of a git repository.
fn checked_out(directory: &Path) -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(directory).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != directory.canonicalize().ok()? {
        return None;
    }
    // git extends the log with every commit and checkout, on any branch.
    for name in ["logs/HEAD", "HEAD"] {
        let path = directory.join(git(&["rev-parse", "--git-path", name])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["rev-parse", "HEAD"])
}
