//! `quadrille --version --verbose`: prints how the program was built, for bug reports and for comparing
//! results.

use std::ffi::OsString;
use std::fmt::Write as _;

use quadrille_engine::ENGINES;
use quadrille_engine::scales::Scale;
use quadrille_model::simd::Isa;

/// Names of the optional parts of the program. The value is true if the part was built in.
const FEATURES: [(&str, bool); 2] =
    [("parquet", cfg!(feature = "parquet")), ("faults", cfg!(feature = "faults"))];

/// Returns true if `words` are the program's name, then `--version` and `--verbose` in either order.
pub(super) fn is_asked(words: &[OsString]) -> bool {
    let is = |word: &OsString, names: &[&str]| names.iter().any(|name| word == name);
    matches!(words, [_, one, two] if [(one, two), (two, one)].iter().any(|(version, verbose)| {
        is(version, &["--version", "-V"]) && is(verbose, &["--verbose"])
    }))
}

/// Returns one line per fact about the build. Each line begins with the name of the fact.
pub(super) fn facts() -> String {
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let features = FEATURES.iter().filter(|(_, is_built)| *is_built).map(|(name, _)| *name).collect();
    let optimised = if env!("QUADRILLE_OPT_LEVEL") == "0" { "not optimised" } else { "optimised" };
    let mut text = format!("quadrille {}\n", env!("CARGO_PKG_VERSION"));
    let mut fact = |name: &str, value: &str| {
        writeln!(text, "{name}: {value}").expect("writing to memory does not fail");
    };
    fact("commit", option_env!("QUADRILLE_COMMIT_FOUND").unwrap_or("unknown"));
    fact("built for", &format!("{}, {optimised}", env!("QUADRILLE_TARGET")));
    fact("features", &list(features));
    fact("instruction sets", &list(Isa::available().map(Isa::name).collect()));
    fact("instruction set in use", Isa::best().name());
    for scale in Scale::ALL {
        let mut versions: Vec<&str> = ENGINES.iter().map(|info| scale.version(info.kind)).collect();
        versions.dedup();
        fact("rating scale", &versions.join(", "));
    }
    text
}
