//! How much memory there is and how much of it is left: on the machine, in the control groups
//! (versions 1 and 2) that the process is in, and in its address space.
//!
//! A container sees the machine's `/proc/meminfo`, but what it may really use is in the files of
//! its control group and of the enclosing groups. Therefore the smallest of all these figures
//! counts.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Knows the files from which the figures are read; see the module.
#[derive(Debug)]
pub struct MachineMemory {
    meminfo: PathBuf,
    groups: Vec<Group>,
    /// Bytes of address space that the process may use (`ulimit -v`); `None` without a limit.
    addresses: Option<u64>,
}

/// A control group that limits memory, with the file names of its version.
#[derive(Debug)]
struct Group {
    folder: PathBuf,
    files: &'static Files,
}

#[derive(Debug)]
struct Files {
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` with the bytes of cached file contents that the kernel can drop.
    droppable: &'static str,
}

const VERSION_1: Files = Files {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    droppable: "total_inactive_file",
};
const VERSION_2: Files =
    Files { limit: "memory.max", usage: "memory.current", droppable: "inactive_file" };

impl Group {
    fn number(&self, file: &str) -> Option<u64> {
        read_to_string(self.folder.join(file)).ok()?.trim().parse().ok()
    }

    /// `None` if there is no limit: version 2 writes `max` then.
    fn limit(&self) -> Option<u64> {
        self.number(self.files.limit)
    }

    fn available(&self) -> Option<u64> {
        let (limit, used) = (self.limit()?, self.number(self.files.usage)?);
        let stat = read_to_string(self.folder.join("memory.stat")).unwrap_or_default();
        let line = |line: &str| line.strip_prefix(self.files.droppable)?.trim().parse().ok();
        let droppable: u64 = stat.lines().find_map(line).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(droppable)))
    }
}

impl MachineMemory {
    /// The figures of this process on this machine.
    pub fn find() -> Self {
        Self::beneath(Path::new("/"))
    }

    /// Reads the files beneath `root` instead of `/`, for tests.
    pub fn beneath(root: &Path) -> Self {
        let proc = root.join("proc");
        let text = |name: &str| read_to_string(proc.join(name)).unwrap_or_default();
        let meminfo = proc.join("meminfo");
        let whole = field(&meminfo, "MemTotal:").unwrap_or(u64::MAX);
        let mut groups = groups(root, &text("self/mountinfo"), &text("self/cgroup"));
        // Version 1 writes a very large number if there is no limit.
        groups.retain(|group| group.limit().is_some_and(|limit| limit < whole));
        Self { meminfo, groups, addresses: addresses(&text("self/limits")) }
    }

    /// Bytes that the process may use in total, if known.
    pub fn total(&self) -> Option<u64> {
        let of_groups = self.groups.iter().filter_map(Group::limit);
        let whole = field(&self.meminfo, "MemTotal:");
        of_groups.chain(whole).chain(self.addresses).min()
    }

    /// Bytes that can still be allocated before the system has to end a process, if known.
    pub fn available(&self) -> Option<u64> {
        let of_groups = self.groups.iter().filter_map(Group::available);
        of_groups.chain(field(&self.meminfo, "MemAvailable:")).min()
    }
}

/// The bytes in the line of `/proc/meminfo` that starts with `name`.
fn field(meminfo: &Path, name: &str) -> Option<u64> {
    let text = read_to_string(meminfo).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The soft limit of the address space in `/proc/self/limits`.
fn addresses(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The memory-managing groups of the process and the groups that enclose them.
fn groups(root: &Path, mounts: &str, own: &str) -> Vec<Group> {
    let mut out = Vec::new();
    for mount in mounts.lines() {
        let Some((place, kind)) = mount.split_once(" - ") else { continue };
        let mut place = place.split(' ').skip(3);
        let (Some(base), Some(point)) = (place.next(), place.next()) else { continue };
        let mut kind = kind.split(' ');
        let (kind, options) = (kind.next(), kind.nth(1).unwrap_or_default());
        let manages_memory = options.split(',').any(|option| option == "memory");
        let (files, of) = match kind {
            Some("cgroup2") => (&VERSION_2, ""),
            Some("cgroup") if manages_memory => (&VERSION_1, "memory"),
            _ => continue,
        };
        let line = own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|one| one == of).then_some(path)
        });
        let Some(path) = line else { continue };
        // Within a container the mount shows only a part of the tree, so the path starts beneath
        // it.
        let path = path.strip_prefix(base).unwrap_or(if base == "/" { path } else { "" });
        let top = root.join(point.trim_start_matches('/'));
        let mut folder = top.join(path.trim_start_matches('/'));
        while folder.starts_with(&top) {
            out.push(Group { folder: folder.clone(), files });
            if !folder.pop() {
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with files, removed at the end.
    struct Files(PathBuf);

    impl Files {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = std::env::temp_dir().join(format!("entasis-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&root);
            for (path, text) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for Files {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:   500 kB\n");

    #[test]
    fn a_machine_without_groups() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\n\
                      Max address space         unlimited            unlimited            bytes\n";
        let files = Files::new("plain", &[MEMINFO, ("proc/self/limits", limits)]);
        let memory = MachineMemory::beneath(&files.0);
        assert_eq!((memory.total(), memory.available()), (Some(1_024_000), Some(512_000)));
        let nothing = MachineMemory::beneath(Path::new("/nowhere"));
        assert_eq!((nothing.total(), nothing.available()), (None, None));
    }

    #[test]
    fn addresses_are_limited_by_ulimit() {
        let limits = "Max address space         65536                unlimited            bytes\n";
        let files = Files::new("ulimit", &[MEMINFO, ("proc/self/limits", limits)]);
        assert_eq!(MachineMemory::beneath(&files.0).total(), Some(65536));
    }

    #[test]
    fn groups_of_version_1() {
        let mount = "35 31 0:32 / /sys/memory rw - cgroup cgroup rw,memory\n\
                     36 31 0:33 / /sys/cpu rw - cgroup cgroup rw,cpu\n";
        let files = Files::new(
            "v1",
            &[
                MEMINFO,
                ("proc/self/mountinfo", mount),
                ("proc/self/cgroup", "5:cpu:/a/b\n4:memory:/a/b\n0::/\n"),
                ("sys/memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("sys/memory/a/memory.limit_in_bytes", "400000\n"),
                ("sys/memory/a/memory.usage_in_bytes", "350000\n"),
                ("sys/memory/a/memory.stat", "inactive_file 7\ntotal_inactive_file 50000\n"),
                ("sys/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        let memory = MachineMemory::beneath(&files.0);
        assert_eq!((memory.total(), memory.available()), (Some(400_000), Some(100_000)));
    }

    #[test]
    fn groups_of_version_2() {
        // The second mount shows the group of the container alone, as its root.
        for (name, mount, folder) in [
            ("v2", "30 1 0:26 / /sys/group rw - cgroup2 cgroup2 rw\n", "sys/group/a/b"),
            ("v2-inner", "30 1 0:26 /a/b /sys/group rw - cgroup2 cgroup2 rw\n", "sys/group"),
        ] {
            let at = |file: &str| format!("{folder}/{file}");
            let (max, current, stat) = (at("memory.max"), at("memory.current"), at("memory.stat"));
            let files = Files::new(
                name,
                &[
                    MEMINFO,
                    ("proc/self/mountinfo", mount),
                    ("proc/self/cgroup", "0::/a/b\n"),
                    (max.as_str(), "300000\n"),
                    (current.as_str(), "290000\n"),
                    (stat.as_str(), "anon 1\ninactive_file 40000\n"),
                ],
            );
            let memory = MachineMemory::beneath(&files.0);
            assert_eq!(
                (memory.total(), memory.available()),
                (Some(300_000), Some(50_000)),
                "{name}"
            );
            std::fs::write(files.0.join(max), "max\n").unwrap();
            assert_eq!(MachineMemory::beneath(&files.0).total(), Some(1_024_000));
        }
    }
}
