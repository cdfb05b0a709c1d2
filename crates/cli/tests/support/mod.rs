//! A server as built, for tests of what talks to it.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

/// A server on a free port over a folder of its own; gone with this value.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub port: String,
    folder: PathBuf,
}

impl Server {
    /// Returns once it listens.
    pub fn start() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "entasis-client-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new(BINARY)
            .args(["server", "--http-port", "0", "--path"])
            .arg(&folder)
            .env("ENTASIS_COST_INJECTION", "1")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some(address) = line.strip_prefix("Listening on http://") {
                break address.rsplit(':').next().unwrap().to_string();
            }
        };
        // Its messages must not fill the pipe.
        std::thread::spawn(move || lines.count());
        Self { child, port, folder }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
