//! Comparisons as quick as can be, in a folder of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

/// A folder that comparisons run in, gone at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// In the folder for such, named after its test.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("entasis-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Compares as quickly as can be the queries of a test, in a folder: exit code, report, and
    /// what was said. Only a hundredfold counts, or what the line says: whether equal sides look
    /// equal is up to what else the machine does.
    pub fn compare(&self, test: &str, place: &Path, line: &[&str]) -> (i32, Value, String) {
        let (file, json) = (self.0.join("test.xml"), self.0.join("report.json"));
        std::fs::write(&file, test).unwrap();
        let _ = std::fs::remove_file(&json);
        let done = Command::new(BINARY)
            .args(["lab", "compare", "--runs", "2", "--first-runs", "2", "--seconds", "0"])
            .args(["--first-seconds", "0", "--least-run", "0.001", "--profile-seconds", "0"])
            .args(["--seed", "1", "--min-effect", "100", "--json"])
            .args([&json, &file])
            .args(line)
            // Revisions are built there.
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .current_dir(place)
            .output()
            .unwrap();
        let report = std::fs::read_to_string(&json).unwrap_or("null".into());
        let [out, messages] =
            [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
        let said = format!("{out}{messages}");
        (done.status.code().unwrap(), serde_json::from_str(&report).unwrap(), said)
    }

    /// What the store says that comparisons in this folder have left.
    pub fn stored(&self, query: &str) -> String {
        let store = self.0.join("entasis-lab/store");
        let mut local = Command::new(BINARY);
        let done = local.args(["local", "-q", query, "--path"]).arg(store).output().unwrap();
        let messages = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{query}: {messages}");
        String::from_utf8(done.stdout).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
