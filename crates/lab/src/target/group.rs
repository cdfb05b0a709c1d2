//! Processes that the laboratory started. Each is the first of a group of its own, so Ctrl-C in a
//! terminal does not reach it, and the processes that it starts end with it.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Mutex;

use entasis_base::sync::lock;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

/// Groups that there are now, by the numbers of their first processes.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A process and all that it starts; ended when this is dropped. As long as it is not waited for,
/// its number is no other process's.
pub(crate) struct Group {
    child: Child,
    /// How the process ended, once that was asked.
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a command.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let mut running = lock(&RUNNING);
        let child = command.process_group(0).spawn()?;
        running.insert(child.id());
        Ok(Self { child, status: None })
    }

    /// The first process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its input and output, where they are pipes that nobody has taken.
    pub fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Asks the first process to end.
    pub fn ask_to_end(&self) -> bool {
        self.status.is_none()
            && pid(self.id()).is_some_and(|p| kill_process(p, Signal::TERM).is_ok())
    }

    /// Whether the first process has ended.
    pub fn has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let runs = |pid| matches!(waitid(WaitId::Pid(pid), look), Ok(None));
        self.status.is_some() || !pid(self.id()).is_some_and(runs)
    }

    /// Ends all of it. How the first process ended, by this or before.
    pub fn end(&mut self) -> ExitStatus {
        let status = self.status.take().unwrap_or_else(|| {
            kill(self.id());
            // Before it is waited for: its number is another process's then.
            lock(&RUNNING).remove(&self.id());
            self.child.wait().unwrap_or_default()
        });
        *self.status.insert(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ends all that was started here, for who leaves at once: what servers have acknowledged is on
/// disk. Nothing can be started after it.
pub fn end_all() {
    let running = lock(&RUNNING);
    running.iter().for_each(|group| kill(*group));
    std::mem::forget(running);
}

fn kill(group: u32) {
    if let Some(group) = pid(group) {
        // One whose processes have all ended is gone.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}
