//! Logs a request in: finds its user, and reports the login to `system.session_log`.

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Result, message};
use entasis_engine::{Engine, Login, SessionKind};
use hyper::HeaderMap;

use crate::guard::Account;
use crate::request::Parameters;
use crate::server::State;

/// A user who is logged in until the request is answered.
pub(crate) struct Presence {
    engine: Arc<Engine>,
    login: Login,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.engine.log_session(SessionKind::Logout, self.login.clone(), "");
    }
}

/// The user of a request's credentials. Fails with the reason if the login is refused.
pub(crate) fn let_in<'a>(
    state: &'a State,
    address: &str,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<(String, &'a Account, Option<Presence>)> {
    let outcome = state.guard.authenticate(headers, parameters);
    let told = state.engine.logs_sessions().then(|| {
        let id = parameters.last("session_id").unwrap_or_default().to_string();
        Login { session_id: id, ..Login::new(address) }
    });
    match outcome {
        Ok((user, account)) => {
            let presence = told.map(|login| {
                let settings = account.settings.changed();
                let (user, auth) = (Some(user.clone()), Some(account.auth));
                let login = Login { user, auth, settings, ..login };
                state.engine.log_session(SessionKind::LoginSuccess, login.clone(), "");
                Presence { engine: Arc::clone(&state.engine), login }
            });
            Ok((user, account, presence))
        }
        Err(error) => {
            events::one(Event::HttpRequestsRefused);
            state.engine.count_error(&error);
            message!(Warning, "HTTPHandler", "Refused a request from {}: {}", address, error);
            if let Some(login) = told {
                let user = state.guard.named(headers, parameters);
                let reason = error.message().to_string();
                let login = Login { user, ..login };
                state.engine.log_session(SessionKind::LoginFailure, login, &reason);
            }
            Err(error)
        }
    }
}
