//! Opens sockets, accepts connections, and stops the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use entasis_base::events::gauge::{self, Gauge};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes, message};
use entasis_engine::{BackupAccess, Engine, EngineConfig, HookOf, LogsConfig, WebHosts};
use entasis_types::TimeZone;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::config::{Config, Logs};
use crate::guard::Guard;
use crate::handler::{Peer, handle};
use crate::idle::IdleConnections;
use crate::io::{Connection, Flushes};
use crate::sessions::Sessions;

/// The state that all connections share.
pub(crate) struct State {
    pub engine: Arc<Engine>,
    pub guard: Guard,
    pub sessions: Sessions,
    pub display_name: Arc<str>,
    pub version: Arc<str>,
    pub time_zone: &'static str,
    pub keep_alive: String,
    pub max_decompressed: u64,
    pub max_concurrent_queries: usize,
    /// The runtime that has the threads of statements. They are shared by all connections, because
    /// the allocator keeps what each of them frees for a while.
    pub threads: tokio::runtime::Handle,
    at_work: Arc<AtomicUsize>,
    idle: Arc<IdleConnections>,
}

/// A place among the statements that may run at a time.
pub(crate) struct RunningStatement(Arc<AtomicUsize>);

impl Drop for RunningStatement {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl State {
    /// Takes a place, unless all are taken.
    pub fn enter(&self) -> Option<RunningStatement> {
        let place = RunningStatement(Arc::clone(&self.at_work));
        let before = self.at_work.fetch_add(1, Ordering::Relaxed);
        let free = before < self.max_concurrent_queries;
        if !free {
            events::one(Event::QueriesRefused);
        }
        free.then_some(place)
    }
}

/// A server whose sockets are open.
pub struct Server {
    /// One for each thread that serves connections. A connection stays on the thread that accepted
    /// it: within one runtime, each request would wake another worker, which then finds nothing.
    runtimes: Vec<Runtime>,
    listeners: Vec<std::net::TcpListener>,
    state: Arc<State>,
    stop: watch::Sender<bool>,
    keep_alive: Duration,
    shutdown: Duration,
    max_connections: usize,
}

/// Ends a server from another thread.
#[derive(Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Asks the server to stop: it accepts no new connections, and running statements get some
    /// seconds.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// If this variable is `0`, parts are never merged, from the start on. The laboratory sets it. It
/// is not a key of the configuration, because older servers would refuse an unknown key.
const MERGES: &str = "ENTASIS_MERGES";

/// The engine that a configuration asks for.
pub fn open_engine(config: &Config, hook: Option<HookOf>) -> Result<Arc<Engine>> {
    let path = config.path.to_string_lossy();
    let time_zone = TimeZone::get(&config.time_zone).map_err(|e| e.context("time_zone"))?;
    config.encryption_codecs.install()?;
    let base = EngineConfig::server(&path)?;
    let (kept, only) = match &config.logs {
        Logs::All(kept) => (*kept, None),
        Logs::These(names) => (!names.is_empty(), Some(names.clone())),
    };
    let logs = LogsConfig {
        only,
        interval: Duration::from_millis(config.log_interval_ms.max(1)),
        days: config.log_days,
        text_level: config.log_level.0,
        metrics_every: Duration::from_millis(config.log_metrics_ms.max(1)),
        ..LogsConfig::default()
    };
    Engine::open(EngineConfig {
        logs: kept.then_some(logs),
        threads: config.threads,
        merges: std::env::var_os(MERGES).is_none_or(|value| value != "0"),
        max_memory: config.memory_limit(),
        backups: BackupAccess { allowed: Some(config.backup_paths.clone()), ..base.backups },
        web_hosts: WebHosts::Only(config.url_hosts.clone()),
        time_zone,
        rollups: config.graphite.iter().map(|(name, rules)| rules.rollups(name)).collect(),
        hook,
        ..base
    })
}

/// A thread that serves connections, and threads for statements.
fn runtime(config: &Config) -> Result<Runtime> {
    // The flavour for several workers can take a worker's place while it does slow work.
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        // Keeping an idle thread is cheaper than starting one for the next request.
        .thread_keep_alive(Duration::from_mins(1))
        .max_blocking_threads(config.max_concurrent_queries.max(1) + 4)
        .thread_name("http")
        .enable_all()
        .build()
        .map_err(|e| Error::new(codes::CANNOT_SCHEDULE_TASK, "Cannot start threads").with_cause(e))
}

/// The text that a query with a one-line result returns.
fn ask(engine: &Arc<Engine>, query: &str) -> Result<String> {
    let rows = engine.session().execute(query)?.collect()?;
    let value = rows.columns.first().filter(|c| !c.is_empty()).map(|c| c.value(0));
    let bytes = value.as_ref().and_then(|v| v.as_bytes()).unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

impl Server {
    /// Checks the configuration and opens the sockets.
    pub fn bind(config: &Config, engine: Arc<Engine>) -> Result<Self> {
        let addresses = config.addresses()?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let runtimes = (0..cores.min(4)).map(|_| runtime(config)).collect::<Result<Vec<_>>>()?;
        let mut listeners = Vec::new();
        for address in addresses {
            let address = SocketAddr::new(address, config.http_port);
            let bind = async { TcpListener::bind(address).await?.into_std() };
            let listener = runtimes[0].block_on(bind).map_err(|e| {
                let message =
                    format!("Cannot listen on {address}: is another server there? Try --http-port");
                Error::new(codes::NETWORK_ERROR, message).with_cause(e)
            })?;
            listeners.push(listener);
        }
        let named = |name: &str| (!name.is_empty()).then(|| name.to_string());
        let display_name = match named(&config.display_name) {
            Some(name) => name,
            None => ask(&engine, "SELECT hostName()")?,
        };
        let state = Arc::new(State {
            guard: Guard::new(config)?,
            sessions: Sessions::new(config.max_session_seconds),
            display_name: display_name.into(),
            version: ask(&engine, "SELECT version()")?.into(),
            time_zone: engine.time_zone().name(),
            keep_alive: format!("timeout={}", config.keep_alive_seconds),
            max_decompressed: config.max_decompressed.0,
            max_concurrent_queries: config.max_concurrent_queries,
            threads: runtimes[0].handle().clone(),
            at_work: Arc::default(),
            idle: Arc::default(),
            engine,
        });
        Ok(Self {
            runtimes,
            listeners,
            state,
            stop: watch::Sender::new(false),
            keep_alive: Duration::from_secs(config.keep_alive_seconds.max(1)),
            shutdown: Duration::from_secs(config.shutdown_seconds),
            max_connections: config.max_connections.max(1),
        })
    }

    /// Where the server listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().filter_map(|l| l.local_addr().ok()).collect()
    }

    /// A handle that stops this server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Stops the server at SIGTERM and SIGINT. A second signal ends the process at once.
    pub fn stop_on_signals(&self) -> Result<()> {
        let _inside = self.runtimes[0].enter();
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let mut signals = signal(kind)?;
            let stop = self.stop.clone();
            self.runtimes[0].spawn(async move {
                while signals.recv().await.is_some() {
                    if stop.send_replace(true) {
                        std::process::exit(1);
                    }
                }
            });
        }
        Ok(())
    }

    /// Serves until the server is stopped. Statements that are still running then get some seconds
    /// before they are ended.
    pub fn run(self) -> Result<()> {
        let Self { runtimes, listeners, state, stop, keep_alive, shutdown, max_connections } = self;
        let permits = Arc::new(Semaphore::new(max_connections));
        let mut loops = Vec::new();
        for runtime in &runtimes {
            let _inside = runtime.enter();
            for listener in &listeners {
                let accept = Accept {
                    listener: TcpListener::from_std(listener.try_clone()?)?,
                    state: Arc::clone(&state),
                    permits: Arc::clone(&permits),
                    stop: stop.subscribe(),
                    keep_alive,
                };
                loops.push(runtime.spawn(accept.run()));
            }
        }
        drop(listeners);
        runtimes[0].block_on(async {
            let mut stopped = stop.subscribe();
            let _ = stopped.wait_for(|stopped| *stopped).await;
            message!(Information, "Application", "Stopping: no new connections");
            for accepting in loops {
                let _ = accepting.await;
            }
            let all = max_connections as u32;
            let idle = permits.acquire_many(all);
            if tokio::time::timeout(shutdown, idle).await.is_err() {
                message!(Warning, "Application", "Ending the statements that still run");
                state.engine.processes().cancel_all();
                let _ = tokio::time::timeout(shutdown, permits.acquire_many(all)).await;
            }
        });
        let end = Instant::now() + Duration::from_secs(1);
        for runtime in runtimes {
            runtime.shutdown_timeout(end.saturating_duration_since(Instant::now()));
        }
        state.engine.hand_rows_on();
        Ok(())
    }
}

/// The loop that accepts connections of one socket.
struct Accept {
    listener: TcpListener,
    state: Arc<State>,
    permits: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
    keep_alive: Duration,
}

impl Accept {
    async fn run(self) {
        let mut stopped = self.stop.clone();
        let accepting = self.accept_all();
        let stopping = async move {
            let _ = stopped.wait_for(|stopped| *stopped).await;
        };
        either(accepting, stopping).await;
    }

    /// A place for one more connection. If all are taken, the connection that has waited longest
    /// for a request is closed.
    async fn room(&self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                return permit;
            }
            let one_closes = async {
                let _ = self.permits.acquire().await;
            };
            if self.state.idle.close_oldest() {
                one_closes.await;
            } else {
                either(one_closes, self.state.idle.changed.notified()).await;
            }
        }
    }

    async fn accept_all(self) {
        loop {
            let Ok((socket, address)) = self.listener.accept().await else {
                // Probably no file descriptor is free, so other connections must be closed first.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let permit = self.room().await;
            let (state, stop) = (Arc::clone(&self.state), self.stop.clone());
            let keep_alive = self.keep_alive;
            tokio::spawn(async move {
                serve(state, socket, address, stop, keep_alive).await;
                drop(permit);
            });
        }
    }
}

/// Waits for the first of two futures.
async fn either(a: impl Future<Output = ()>, b: impl Future<Output = ()>) {
    let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
    std::future::poll_fn(|context| {
        if a.as_mut().poll(context).is_ready() {
            return std::task::Poll::Ready(());
        }
        b.as_mut().poll(context)
    })
    .await;
}

async fn serve(
    state: Arc<State>,
    socket: TcpStream,
    address: SocketAddr,
    mut stop: watch::Receiver<bool>,
    keep_alive: Duration,
) {
    let _open = gauge::hold(Gauge::HTTPConnection);
    events::one(Event::HTTPServerConnectionsCreated);
    // Answers are small, and complete when they are written, so there is no reason to wait for more
    // data.
    let _ = socket.set_nodelay(true);
    let flushes = Arc::<Flushes>::default();
    let seat = state.idle.open();
    let peer = Peer { address, flushes: Arc::clone(&flushes), seat: Arc::clone(&seat) };
    let at_work = Arc::clone(&state.at_work);
    let service = service_fn(move |request| handle(Arc::clone(&state), peer.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(keep_alive)
        .serve_connection(Connection::new(socket, flushes), service);
    let mut connection = std::pin::pin!(connection);
    let mut stopping = std::pin::pin!(async move {
        let _ = stop.wait_for(|stopped| *stopped).await;
    });
    let closed = Arc::clone(&seat);
    let mut closing = std::pin::pin!(closed.closed());
    let mut running = true;
    std::future::poll_fn(|context| {
        if running && stopping.as_mut().poll(context).is_ready() {
            running = false;
            connection.as_mut().graceful_shutdown();
        }
        if closing.as_mut().poll(context).is_ready() {
            return std::task::Poll::Ready(());
        }
        // The server cannot react to the way in which a connection broke.
        let ended = connection.as_mut().poll(context).map(|_| ());
        if ended.is_pending() && seat.expects() && at_work.load(Ordering::Relaxed) == 0 {
            // The runtime looks for new requests and then polls this task again. Statements need
            // the processor more.
            let _ = std::pin::pin!(tokio::task::yield_now()).poll(context);
        }
        ended
    })
    .await;
    events::one(Event::HTTPServerConnectionsClosed);
}
