//! The noise checklist: properties of the machine that are known to change times. They are
//! recorded with every run.

use std::fs::read_to_string;

/// A name and its value as the kernel says it; what cannot be read is left out.
pub type Fact = (&'static str, String);

/// What can be read of this machine now. Costs a few small files.
pub fn facts() -> Vec<Fact> {
    let file = |path: &str| read_to_string(path).ok().map(|text| text.trim().to_owned());
    let cpu = "/sys/devices/system/cpu";
    let mut all = vec![
        ("cpu_model", cpu_field("model name")),
        ("cores", std::thread::available_parallelism().ok().map(|n| n.to_string())),
        ("threads_per_core", file(&format!("{cpu}/cpu0/topology/thread_siblings_list"))),
        ("smt", file(&format!("{cpu}/smt/active"))),
        ("governor", file(&format!("{cpu}/cpu0/cpufreq/scaling_governor"))),
        ("no_turbo", file(&format!("{cpu}/intel_pstate/no_turbo"))),
        ("boost", file(&format!("{cpu}/cpufreq/boost"))),
        ("numa_nodes", file("/sys/devices/system/node/online")),
        ("transparent_huge_pages", file("/sys/kernel/mm/transparent_hugepage/enabled")),
        ("swappiness", file("/proc/sys/vm/swappiness")),
        ("randomize_va_space", file("/proc/sys/kernel/randomize_va_space")),
        ("kernel", file("/proc/sys/kernel/osrelease")),
        ("load", file("/proc/loadavg")),
        (
            "hypervisor",
            cpu_field("flags").map(|f| f.split(' ').any(|f| f == "hypervisor").to_string()),
        ),
    ];
    let memory = file("/proc/meminfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    all.push(("memory", memory));
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn cpu_field(name: &str) -> Option<String> {
    let text = read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// This host's name.
pub fn host() -> String {
    read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "unknown".into(), |n| n.trim().into())
}

/// The processor's model, by which history tells machines apart.
pub fn cpu_model() -> String {
    cpu_field("model name").unwrap_or_else(|| "unknown".into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn facts_have_values() {
        let facts = super::facts();
        assert!(facts.iter().any(|(name, value)| *name == "cores" && value != "0"));
        assert!(facts.iter().all(|(_, value)| !value.is_empty()));
    }
}
