//! A binary that runs as a server of the laboratory: started, asked over HTTP, ended.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};

use crate::cost_injection;

use super::group::Group;
use super::{Answer, Ask, Http, Session, Took, orphan};

/// How long a server may take to answer after its start.
const START: Duration = Duration::from_mins(1);
/// How long it may take to end when asked to.
const STOP: Duration = Duration::from_secs(30);
pub(super) const POLL: Duration = Duration::from_millis(5);

/// How servers are started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The command line, its words with `{binary}`, `{path}`, `{port}` and `{config}` filled in;
    /// Entasis's own if empty.
    pub command: String,
    /// Processors that it may use, as `taskset -c` takes them; all if empty.
    pub cpus: String,
    /// Bytes of a variable that does nothing: the size of the environment moves the stack, and with
    /// it times (Mytkowicz et al. 2009), so that each process gets its own.
    pub padding: usize,
    /// Whether tables keep the parts of their inserts, in every process the same, whatever a merge
    /// in the background would have had time for. OPTIMIZE merges. Entasis does so, other programs
    /// and older builds do not know it.
    pub keep_parts: bool,
}

/// The configuration of servers: logs are written when asked for only, not by the clock.
const CONFIG: &str = "\
log_interval_ms = 3600000
log_metrics_ms = 3600000
log_level = \"warning\"
logs = [\"query_log\", \"trace_log\"]
";

const COMMAND: &str = "{binary} server --config {config} --path {path} --http-port {port}";

/// A file next to a folder: `FOLDER.kind`. What stands after a dot in the folder's name stays.
pub(super) fn beside(folder: &Path, kind: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".");
    name.push(kind);
    PathBuf::from(name)
}

/// A server that was started here.
pub struct Process {
    group: Group,
    http: Http,
    binary: PathBuf,
    data: PathBuf,
}

impl Process {
    /// Starts a binary on a folder and waits until it answers. What it says goes to `server.log`
    /// beside the folder, and into the error if it ends.
    pub fn start(binary: &Path, data: &Path, options: &Options) -> Result<Self> {
        std::fs::create_dir_all(data).map_err(|e| cannot("create", data, e))?;
        // A bare name would be looked for where commands are.
        let binary = &std::path::absolute(binary)?;
        let (log, config) = (beside(data, "log"), beside(data, "toml"));
        std::fs::write(&config, CONFIG).map_err(|e| cannot("write", &config, e))?;
        orphan::end(data);
        let port = free_port()?;
        let words = words(binary, data, &config, port, options);
        let said = File::create(&log).map_err(|e| cannot("create", &log, e))?;
        let also = said.try_clone()?;
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env(cost_injection::VARIABLE, "1")
            .env("ENTASIS_LAB_PADDING", "x".repeat(options.padding))
            .envs(options.keep_parts.then_some(("ENTASIS_MERGES", "0")))
            .stdin(Stdio::null())
            .stdout(said)
            .stderr(also);
        // Ctrl-C ends the run in order; the servers are stopped by it, not by the terminal.
        let started = Group::start(&mut command);
        let group = started.map_err(|e| cannot("start", Path::new(&words[0]), e))?;
        let config = entasis_client::Config {
            host: "127.0.0.1".into(),
            port,
            answer_timeout: Some(Duration::from_mins(10)),
            ..entasis_client::Config::default()
        };
        let (binary, data) = (binary.to_owned(), data.to_owned());
        let mut process = Self { group, http: Http::new(config), binary, data };
        orphan::note(&process.data, process.id())?;
        process.wait_until_ready(port, &log)?;
        Ok(process)
    }

    fn wait_until_ready(&mut self, port: u16, log: &Path) -> Result<()> {
        let started = Instant::now();
        loop {
            let answers = TcpStream::connect(("127.0.0.1", port)).is_ok();
            let ended = self.group.has_ended();
            if answers && !ended {
                return Ok(());
            }
            if ended || started.elapsed() > START {
                let how = match ended {
                    true => format!("ended: {}", self.group.end()),
                    false => "does not answer".to_owned(),
                };
                let message = format!(
                    "The server {} {how}; the end of what it said ({}): {}",
                    self.binary.display(),
                    log.display(),
                    end_of(log)
                );
                return Err(Error::new(codes::NETWORK_ERROR, message));
            }
            std::thread::sleep(POLL);
        }
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// The connection to it.
    pub(crate) fn http(&mut self) -> &mut Http {
        &mut self.http
    }

    fn stop(&mut self) {
        let asked = self.group.ask_to_end();
        let started = Instant::now();
        while asked && !self.group.has_ended() && started.elapsed() < STOP {
            std::thread::sleep(POLL);
        }
        // If it was asked and did not: what it has acknowledged is on disk.
        self.group.end();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
        orphan::forget(&self.data);
    }
}

impl Session for Process {
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        self.http.run(ask)
    }

    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        self.http.text(ask)
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer> {
        self.http.answer(ask)
    }

    fn has_ended(&mut self) -> bool {
        self.group.has_ended()
    }

    fn environment(&self) -> Vec<(String, String)> {
        let binary = self.binary.to_string_lossy().into_owned();
        let mut all = self.http.environment();
        let client = format!("{binary} client --host 127.0.0.1 --port {}", self.http.port());
        all.push(("CLICKHOUSE_CLIENT".into(), client));
        all.push(("CLICKHOUSE_LOCAL".into(), format!("{binary} local")));
        all.push(("CLICKHOUSE_BINARY".into(), binary));
        all
    }
}

fn words(binary: &Path, data: &Path, config: &Path, port: u16, options: &Options) -> Vec<String> {
    let template = if options.command.is_empty() { COMMAND } else { &options.command };
    let mut words: Vec<String> = Vec::new();
    if !options.cpus.is_empty() {
        words.extend(["taskset", "-c", &options.cpus].map(str::to_owned));
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    words.extend(template.split_whitespace().map(|word| {
        word.replace("{binary}", &text(binary))
            .replace("{path}", &text(data))
            .replace("{config}", &text(config))
            .replace("{port}", &port.to_string())
    }));
    words
}

/// First of the ports of servers that laboratories start: below those that kernels give to outgoing
/// connections (from 32768 on with Linux), of which any would do until somebody's connection has
/// it.
const FIRST_PORT: u32 = 20_000;
/// As many processes have ports of their own.
const PROCESSES: u32 = 1200;
/// Ports of each.
const PORTS: u32 = 10;

/// A port that nobody listens on now, and that no other laboratory on this machine is about to
/// take.
fn free_port() -> Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let own = FIRST_PORT + std::process::id() % PROCESSES * PORTS;
    for _ in 0..PORTS {
        let port = (own + NEXT.fetch_add(1, Ordering::Relaxed) % PORTS) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn end_of(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(1000)))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        Ok(String::from_utf8_lossy(&text).trim().to_owned())
    };
    read().unwrap_or_default()
}

fn cannot(what: &str, path: &Path, cause: std::io::Error) -> Error {
    let message = format!("Cannot {what} {}", path.display());
    Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let of = |options: &Options| {
            words(Path::new("b"), Path::new("d d"), Path::new("c"), 7, options).join("|")
        };
        let own = "b|server|--config|c|--path|d d|--http-port|7";
        assert_eq!(of(&Options::default()), own);
        let pinned = Options { cpus: "0,1".into(), ..Options::default() };
        assert_eq!(of(&pinned), format!("taskset|-c|0,1|{own}"));
        let other = Options { command: "{binary} s -- -p={port}".into(), ..Options::default() };
        assert_eq!(of(&other), "b|s|--|-p=7");
    }

    #[test]
    fn a_binary_that_ends_is_an_error_with_its_words() {
        let folder = std::env::temp_dir().join(format!("entasis-lab-{}", std::process::id()));
        let options = Options { command: "/bin/sh {path}/x".into(), ..Options::default() };
        let started = Process::start(Path::new("/bin/sh"), &folder.join("data"), &options);
        let error = started.err().unwrap().to_string();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("ended") && error.contains("data/x"), "{error}");
    }
}
