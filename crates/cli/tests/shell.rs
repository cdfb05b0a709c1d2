//! The shell as somebody at a terminal sees it: typed into a pseudo-terminal made by `script`, a
//! part of util-linux.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use support::{BINARY, Server};

/// How long something may take to appear before the test fails; nothing waits that long else.
const PATIENCE: Duration = Duration::from_mins(1);

struct Terminal {
    child: Child,
    keyboard: Arc<Mutex<ChildStdin>>,
    screen: Arc<(Mutex<String>, Condvar)>,
    /// What was looked at already.
    seen: usize,
}

impl Terminal {
    /// `None` where there is no `script`.
    fn start(arguments: &str, variables: &[(&str, &str)]) -> Option<Self> {
        // A shell that stayed in between would take Ctrl-C as its own end and say so.
        let command = format!("exec {BINARY} {arguments}");
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--command", &command, "/dev/null"])
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let keyboard = Arc::new(Mutex::new(child.stdin.take().unwrap()));
        let screen: Arc<(Mutex<String>, Condvar)> = Arc::default();
        let (mut out, answers, shown) =
            (child.stdout.take().unwrap(), Arc::clone(&keyboard), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = out.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..n]).into_owned();
                // The line editor asks where the cursor is, as a terminal would know.
                for _ in text.matches("\x1b[6n") {
                    let _ = answers.lock().unwrap().write_all(b"\x1b[1;1R");
                }
                shown.0.lock().unwrap().push_str(&text);
                shown.1.notify_all();
            }
        });
        Some(Self { child, keyboard, screen, seen: 0 })
    }

    fn press(&self, keys: &str) {
        self.keyboard.lock().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `text` appears behind what was looked at before.
    fn expect(&mut self, text: &str) {
        let screen = self.screen.0.lock().unwrap();
        let missing = |shown: &mut String| !shown[self.seen..].contains(text);
        let (screen, waited) = self.screen.1.wait_timeout_while(screen, PATIENCE, missing).unwrap();
        assert!(!waited.timed_out(), "no {text:?} in {:?}", &screen[self.seen..]);
        self.seen += screen[self.seen..].find(text).unwrap() + text.len();
    }

    /// Waits for the next prompt, then types.
    fn enter(&mut self, keys: &str) {
        self.expect("> ");
        self.press(keys);
    }

    /// Leaves with Ctrl-D.
    fn leave(mut self) {
        self.enter("\x04");
        self.expect("Bye.");
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn statements_commands_errors_and_cancelling() {
    let folder = std::env::temp_dir().join(format!("entasis-shell-{}", std::process::id()));
    let state = folder.to_string_lossy().into_owned();
    let Some(mut shell) = Terminal::start("local", &[("XDG_STATE_HOME", &state)]) else { return };
    shell.expect("help");
    // Several lines; Enter runs what ends with a semicolon.
    shell.enter("SELECT number\rFROM numbers(3);\r");
    shell.expect("│      2 │");
    shell.expect("3 rows in set. Elapsed: ");
    shell.enter("SELECT 7 AS seven \\G\r");
    shell.expect("Row 1:");
    shell.expect("seven:");
    shell.expect("7");
    shell.enter("CREATE TABLE t (a UInt8) ENGINE = Memory; INSERT INTO t VALUES (1), (2);\r");
    shell.expect("Ok. Elapsed");
    shell.expect("Ok. Elapsed");
    shell.enter("SELECT sum(a) FROM t;\r");
    shell.expect("│      3 │");
    shell.enter("SELECT b FROM t;\r");
    shell.expect("UNKNOWN_IDENTIFIER");
    shell.expect("^");
    // Ctrl-C ends the statement and nothing else.
    shell.enter("SELECT count() FROM system.numbers_mt WHERE NOT ignore(number);\r");
    shell.expect("Read ");
    shell.press("\x03");
    shell.expect("Query was cancelled");
    shell.enter("\\d t\r");
    shell.expect("UInt8");
    shell.enter("USE system;\r");
    shell.expect("Ok.");
    shell.expect("system");
    shell.leave();
    let history = std::fs::read_to_string(folder.join("entasis/history")).unwrap();
    assert!(history.contains("SELECT sum(a) FROM t;"), "{history}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn no_colours_where_they_are_not_wanted() {
    let Some(mut shell) = Terminal::start("local --history-file /dev/null", &[("NO_COLOR", "1")])
    else {
        return;
    };
    shell.enter("SELECT 'plain', nothing;\r");
    shell.expect("UNKNOWN_IDENTIFIER");
    let screen = Arc::clone(&shell.screen);
    shell.leave();
    let shown = screen.0.lock().unwrap();
    // Colours are `ESC [ 3x m` and the like; a reset alone colours nothing.
    let coloured = (30..=37).chain(90..=97).any(|c| shown.contains(&format!("[{c}m")));
    assert!(!coloured, "{shown:?}");
}

#[test]
fn a_shell_on_a_server() {
    let server = Server::start();
    let line = format!("client --host 127.0.0.1 --port {} --history-file /dev/null", server.port);
    let Some(mut shell) = Terminal::start(&line, &[]) else { return };
    shell.expect("Connected to server version");
    shell.enter("SET max_block_size = 77; SELECT getSetting('max_block_size');\r");
    shell.expect("77 │");
    shell.expect("1 row in set. Elapsed");
    shell.enter("USE system;\r");
    shell.expect("Ok. Elapsed");
    shell.enter("SELECT currentDatabase() FROM on;\r");
    shell.expect("UNKNOWN_TABLE");
    shell.expect("^^");
    // The server hears of Ctrl-C, and the session goes on.
    shell.enter("SELECT count() FROM numbers_mt(1000000000000) WHERE NOT ignore(number);\r");
    shell.expect("Read ");
    shell.press("\x03");
    shell.expect("Query was cancelled");
    shell.enter("SELECT count() AS alone, currentDatabase() AS here FROM processes;\r");
    shell.expect("1 │ system │");
    shell.leave();
}
