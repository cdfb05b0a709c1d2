//! Handles requests: finds the page or statement that is asked for, and passes a statement to a
//! thread and its answer back.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::Poll;
use std::time::Duration;

use entasis_base::events::{self, Event};
use entasis_base::{CancelToken, Error, Result, codes};
use entasis_engine::{Progress, new_query_id};
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::answer::{AnswerBody, CloseGuard, Head, Pieces, plain};
use crate::body::{BodyReader, LINGER, Pump, SILENCE, receive};
use crate::client;
use crate::encoding;
use crate::flamegraph;
use crate::form;
use crate::guard::check_once;
use crate::idle::{Seat, SentBody};
use crate::io::Flushes;
use crate::lab;
use crate::login::let_in;
use crate::output::{Facts, Output, Reply, ReplyBody};
use crate::query::{self, Job};
use crate::request::Parameters;
use crate::server::State;
use crate::{prometheus, status};

type Answer = Response<AnswerBody>;

/// The address from which a request came.
#[derive(Clone)]
pub(crate) struct Peer {
    pub address: SocketAddr,
    pub flushes: Arc<Flushes>,
    pub seat: Arc<Seat>,
}

/// The page of `/play`.
const PLAY: &str = include_str!("play.html");
/// The policy of `/play` and `/lab`: they may only talk to the server from which they came.
const OWN_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src \
                           'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; \
                           form-action 'none'; frame-ancestors 'none'";

const UNKNOWN_PATH: &str = "There is nothing at this path. Send queries to / (POST, or \
                            GET /?query=... for those that only read), open /play or /lab in a \
                            browser, ask /ping whether the server is there.\n";

/// Answers a request.
pub(crate) async fn handle(
    state: Arc<State>,
    peer: Peer,
    request: Request<Incoming>,
) -> std::result::Result<Response<SentBody>, Infallible> {
    let at_work = peer.seat.work();
    let answer = route(state, peer, request).await;
    Ok(answer.map(|body| SentBody { body, _at_work: at_work }))
}

async fn route(state: Arc<State>, peer: Peer, request: Request<Incoming>) -> Answer {
    events::one(Event::HttpRequests);
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if matches!(path, "/ping" | "/replicas_status") && reads {
        return plain(StatusCode::OK, "Ok.\n");
    }
    if let Err(message) = check_once(request.headers()) {
        events::one(Event::HttpRequestsRefused);
        return plain(StatusCode::BAD_REQUEST, message);
    }
    if let Err(message) = state.guard.check_host(request.headers()) {
        events::one(Event::HttpRequestsRefused);
        return plain(StatusCode::FORBIDDEN, message);
    }
    match path {
        "/play" | "/play/" if reads => return own_page(PLAY),
        "/lab" | "/lab/" if reads => return own_page(lab::TEXT.as_str()),
        "/favicon.ico" => return plain(StatusCode::NO_CONTENT, ""),
        "/" => {}
        "/metrics" if reads => return metrics(&state, &peer, &request).await,
        "/flamegraph" if reads => return picture(&state, &peer, &request).await,
        _ => return plain(StatusCode::NOT_FOUND, UNKNOWN_PATH),
    }
    let origin = match state.guard.check_origin(request.headers()) {
        Ok(origin) => origin,
        Err(message) => {
            events::one(Event::HttpRequestsRefused);
            return plain(StatusCode::FORBIDDEN, message);
        }
    };
    let mut answer = match *request.method() {
        Method::OPTIONS => preflight(),
        Method::GET | Method::HEAD if request.uri().query().is_none() => {
            plain(StatusCode::OK, "Ok.\n")
        }
        Method::GET | Method::HEAD | Method::POST | Method::PUT => {
            statement(state, peer, request).await
        }
        _ => {
            let message = "Use GET for queries that only read, POST for all.\n";
            let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, message);
            let allow = HeaderValue::from_static("GET, HEAD, POST, PUT, OPTIONS");
            answer.headers_mut().insert("allow", allow);
            answer
        }
    };
    if let Some(origin) = origin.and_then(|o| HeaderValue::from_str(&o).ok()) {
        let headers = answer.headers_mut();
        headers.insert("access-control-allow-origin", origin);
        headers.insert("vary", HeaderValue::from_static("origin, accept-encoding"));
        let exposed = "X-ClickHouse-Query-Id,X-ClickHouse-Summary,\
                       X-ClickHouse-Server-Display-Name,X-ClickHouse-Format,\
                       X-ClickHouse-Timezone,X-ClickHouse-Exception-Code,\
                       X-ClickHouse-Exception-Tag";
        headers.insert("access-control-expose-headers", HeaderValue::from_static(exposed));
    }
    answer
}

/// A page whose script asks this server.
fn own_page(page: &'static str) -> Answer {
    let mut head = Head::new(StatusCode::OK);
    head.set("content-type", "text/html; charset=UTF-8");
    head.set("content-security-policy", OWN_POLICY);
    head.set("x-content-type-options", "nosniff");
    head.set("referrer-policy", "no-referrer");
    head.response(AnswerBody::Whole(Some(page.into())))
}

/// The page for Prometheus.
async fn metrics(state: &Arc<State>, peer: &Peer, request: &Request<Incoming>) -> Answer {
    let mut head = Head::new(StatusCode::OK);
    head.set("content-type", prometheus::CONTENT_TYPE);
    // Reading the allocator's statistics and the system's files takes some time.
    made_page(state, peer, request, head, |state, _, _| prometheus::page(&state.engine)).await
}

/// The page of a flame graph.
async fn picture(state: &Arc<State>, peer: &Peer, request: &Request<Incoming>) -> Answer {
    let mut head = Head::new(StatusCode::OK);
    head.set("content-type", "text/html; charset=UTF-8");
    head.set("content-security-policy", flamegraph::POLICY);
    head.set("x-content-type-options", "nosniff");
    head.set("referrer-policy", "no-referrer");
    made_page(state, peer, request, head, |state, user, parameters| {
        let mut session = state.engine.session();
        session.set_user(&user);
        if state.guard.is_restricted(&user) {
            session.restrict();
        }
        flamegraph::answer(&mut session, &parameters)
    })
    .await
}

/// A page that is made on a thread, for users who may send queries.
async fn made_page(
    state: &Arc<State>,
    peer: &Peer,
    request: &Request<Incoming>,
    head: Head,
    make: impl FnOnce(&State, String, Parameters) -> Result<String> + Send + 'static,
) -> Answer {
    if let Err(message) = state.guard.check_origin(request.headers()) {
        events::one(Event::HttpRequestsRefused);
        return plain(StatusCode::FORBIDDEN, message);
    }
    let parameters = Parameters::parse(request.uri().query().unwrap_or_default());
    let address = peer.address.to_string();
    let page = match let_in(state, &address, request.headers(), &parameters) {
        Err(error) => Err(error),
        Ok((user, _, _presence)) => {
            let threads = state.threads.clone();
            let state = Arc::clone(state);
            let page = threads.spawn_blocking(move || make(&state, user, parameters));
            page.await.unwrap_or_else(|_| Err(Error::logical("The page's thread is gone")))
        }
    };
    match page {
        Ok(text) => head.response(AnswerBody::Whole(Some(text.into()))),
        Err(error) => {
            let text = status::exception_text(&error, "", &state.version);
            let mut answer = plain(status::of(error.code()), text);
            let code = HeaderValue::from(error.code().0);
            answer.headers_mut().insert("x-clickhouse-exception-code", code);
            if error.code() == codes::REQUIRED_PASSWORD {
                let basic = HeaderValue::from_static("Basic realm=\"Entasis\"");
                answer.headers_mut().insert("www-authenticate", basic);
            }
            answer
        }
    }
}

fn preflight() -> Answer {
    let mut head = Head::new(StatusCode::NO_CONTENT);
    head.set("access-control-allow-methods", "GET, POST, OPTIONS");
    head.set(
        "access-control-allow-headers",
        "authorization, content-type, content-encoding, x-clickhouse-user, x-clickhouse-key, \
         x-clickhouse-database, x-clickhouse-format",
    );
    head.set("access-control-max-age", "86400");
    head.response(AnswerBody::Whole(None))
}

pub(crate) fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|v| v.to_str().ok()).filter(|v| !v.is_empty()).map(str::to_string)
}

/// Does all that must be done before the thread can start. Fails with an error for the client.
fn prepare(
    state: &Arc<State>,
    peer: &Peer,
    parts: &Parts,
    parameters: Parameters,
    query_id: &str,
    body: BodyReader,
) -> Result<Job> {
    let Parts { headers, method, .. } = parts;
    let content = text_of(headers, "content-encoding").unwrap_or_default();
    let address = peer.address.to_string();
    let (user, account, presence) = let_in(state, &address, headers, &parameters)?;
    Ok(Job {
        state: Arc::clone(state),
        client: state.engine.keeps_logs().then(|| client::of(parts, &parameters)),
        _presence: presence,
        user,
        settings: account.settings.clone(),
        restricted: account.is_restricted(),
        reads_only: matches!(*method, Method::GET | Method::HEAD),
        query_id: query_id.to_string(),
        address,
        content: encoding::of_request(&content)?,
        accepted: encoding::accepted(&text_of(headers, "accept-encoding").unwrap_or_default()),
        boundary: text_of(headers, "content-type").and_then(|kind| form::boundary(&kind)),
        external: Vec::new(),
        database: text_of(headers, "x-clickhouse-database"),
        format: text_of(headers, "x-clickhouse-format"),
        cancel: body.cancel.clone(),
        body,
        parameters,
        ends_with_client: Arc::new(AtomicBool::new(false)),
    })
}

async fn statement(state: Arc<State>, peer: Peer, request: Request<Incoming>) -> Answer {
    let (parts, incoming) = request.into_parts();
    let parameters = Parameters::parse(parts.uri.query().unwrap_or_default());
    let query_id = parameters.last("query_id").filter(|id| !id.is_empty());
    let query_id = query_id.map_or_else(new_query_id, str::to_string);
    let (cancel, progress) = (CancelToken::new(), Arc::<Progress>::default());
    let (reply, answered) = oneshot::channel();
    let facts = Facts {
        query_id: query_id.clone(),
        time_zone: state.time_zone.to_string(),
        display_name: Arc::clone(&state.display_name),
        version: Arc::clone(&state.version),
    };
    let runtime = Handle::current();
    let output = Output::new(facts, reply, runtime.clone(), cancel.clone(), Arc::clone(&progress));
    let Ok(Ok((body, pump))) = tokio::time::timeout(SILENCE, receive(incoming)).await else {
        return plain(StatusCode::BAD_REQUEST, "The request's body broke off.\n");
    };
    let reports = Reports::wanted(&parameters, progress);
    let body = BodyReader::new(body, runtime, cancel.clone());
    let job = prepare(&state, &peer, &parts, parameters, &query_id, body);
    let guard = match start(&state, job, output) {
        Some(ends) => CloseGuard { cancel, ends },
        None => CloseGuard { cancel, ends: Arc::default() },
    };
    let (reply, reported) = pumped(pump, reports.wait(answered)).await;
    let Ok(Reply { mut head, body }) = reply else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "The statement's thread is gone.\n");
    };
    for line in reported {
        head.headers.append("x-clickhouse-progress", line);
    }
    if let Ok(value) = HeaderValue::from_str(&state.keep_alive) {
        head.headers.insert("keep-alive", value);
    }
    head.response(match body {
        ReplyBody::Whole(bytes) => AnswerBody::Whole(Some(bytes)),
        ReplyBody::Pieces(pieces) => {
            let flushes = peer.flushes;
            AnswerBody::Pieces(Pieces { pieces, flushes, broken: None, _guard: guard })
        }
    })
}

/// Answers a short statement at once, passes any other to a thread, or answers with an error.
fn start(state: &State, job: Result<Job>, output: Output) -> Option<Arc<AtomicBool>> {
    let place = job.and_then(|job| match state.enter() {
        Some(place) => Ok((job, place)),
        None => {
            let message = format!(
                "Too many simultaneous queries: max_concurrent_queries of the server is {}. \
                 Try again later",
                state.max_concurrent_queries
            );
            Err(Error::new(codes::TOO_MANY_SIMULTANEOUS_QUERIES, message))
        }
    });
    match place {
        Ok((job, place)) => {
            let ends = Arc::clone(&job.ends_with_client);
            let work = query::begin(job, output)?;
            state.threads.spawn_blocking(move || {
                query::run(work);
                drop(place);
                events::sample();
            });
            Some(ends)
        }
        Err(error) => {
            output.fail(&error);
            None
        }
    }
}

/// Drives the pump of a body while `wanted` is awaited. An answer that comes before the end of the
/// body is most likely an error. The rest of the body is still taken for a while: a connection that
/// closed at once would lose the answer for a client that is still sending.
async fn pumped<T>(pump: Option<Pump>, wanted: impl Future<Output = T>) -> T {
    let Some(pump) = pump else { return wanted.await };
    let (mut pump, mut wanted) = (Box::pin(pump.run()), pin!(wanted));
    let mut pumping = true;
    let value = std::future::poll_fn(|context| {
        if let Poll::Ready(value) = wanted.as_mut().poll(context) {
            return Poll::Ready(value);
        }
        if pumping && pump.as_mut().poll(context).is_ready() {
            pumping = false;
        }
        Poll::Pending
    })
    .await;
    if pumping {
        tokio::spawn(async move { tokio::time::timeout(LINGER, pump).await });
    }
    value
}

/// `X-ClickHouse-Progress`: the rows and bytes read after each interval.
struct Reports {
    interval: Option<Duration>,
    progress: Arc<Progress>,
}

/// Most such lines in a head.
const MOST_REPORTS: usize = 50;

impl Reports {
    fn wanted(parameters: &Parameters, progress: Arc<Progress>) -> Self {
        let millis = parameters
            .last("http_headers_progress_interval_ms")
            .and_then(|v| v.parse().ok())
            .unwrap_or(100u64);
        let wanted = parameters.flag("send_progress_in_http_headers");
        Self { interval: wanted.then(|| Duration::from_millis(millis.max(1))), progress }
    }

    async fn wait<T>(
        self,
        mut answered: oneshot::Receiver<T>,
    ) -> (std::result::Result<T, oneshot::error::RecvError>, Vec<HeaderValue>) {
        let mut lines = Vec::new();
        let Some(interval) = self.interval else { return (answered.await, lines) };
        loop {
            if let Ok(reply) = tokio::time::timeout(interval, &mut answered).await {
                return (reply, lines);
            }
            let (rows, bytes, total) = self.progress.get();
            let line = format!(
                "{{\"read_rows\":\"{rows}\",\"read_bytes\":\"{bytes}\",\
                 \"total_rows_to_read\":\"{total}\"}}"
            );
            if let Ok(line) = HeaderValue::from_str(&line)
                && lines.len() < MOST_REPORTS
            {
                lines.push(line);
            }
        }
    }
}
