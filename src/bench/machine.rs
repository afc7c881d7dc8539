//! The machine on which a race was measured.

use super::report::Machine;
use quadrille_model::simd::Isa;

impl Machine {
    /// Returns the description of this machine.
    pub(crate) fn current() -> Self {
        Machine {
            cpu: cpu_name().unwrap_or_else(|| "unknown processor".to_owned()),
            architecture: std::env::consts::ARCH.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            isas: Isa::available().map(|isa| isa.name().to_owned()).collect(),
        }
    }
}

/// Returns the name of the processor, or `None` if the system has no file that names it.
fn cpu_name() -> Option<String> {
    let about = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = about.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}
