//! Disk trait: local, memory, fault-injecting.
