//! `conatus play`: a scene or a recording in the browser.

use super::is_recording;
use super::run::search;
use crate::args::PlayArgs;
use crate::errors::Failure;
use crate::outputs::page_or_error;
use crate::terminal::{eprint_line, escape, print};
use crate::{Done, interrupt};
use conatus_record::Recording;
use conatus_viewer::live::{LiveStart, ServeError, Server, Session, SessionError};
use conatus_world::scene::{LoadOptions, Scene};
use std::sync::Arc;
use tracing::info;

/// Serves the page until Ctrl-C.
pub fn play(args: &PlayArgs) -> Done {
    let page = page_or_error()?;
    let session = session(args)?;
    if interrupt::requested() {
        return Ok(());
    }
    let server = Server::bind(args.port)?;
    let (url, one_time_url) = (server.url(), server.one_time_url());
    interrupt::begin_phase("closing");
    // The address contains the access token, which is not for logs.
    info!(port = server.port(), "serving the page");
    print(&format!("{} at {url} (Ctrl-C ends)\n", escape(&args.scene)))?;
    if !args.no_open && open::that_detached(&one_time_url).is_err() {
        eprint_line("no browser could be started; open the address yourself");
    }
    server.serve(page, session, interrupt::requested)?;
    Ok(())
}

fn session(args: &PlayArgs) -> Result<Session, Failure> {
    if is_recording(&args.scene) {
        if args.seed.is_some() || !args.sets.is_empty() {
            return Err(Failure::usage(
                "recordings are read-only: --set and --seed have no effect on them",
                "`conatus run` runs a recording again with changes",
            ));
        }
        let recording = Recording::read(&args.scene)?;
        if recording.frames.is_empty() {
            return Err(Failure::file(
                format!("{} holds no frames", args.scene),
                "its run ended before the first frame; run the scene again",
            ));
        }
        return Ok(Session::recording(recording)?);
    }
    let options = LoadOptions {
        sets: args.sets.clone(),
        seed: args.seed,
        seconds: None,
    };
    let scene = Scene::load(&args.scene, &options)?;
    let setup = scene.build()?;
    let movements = (setup.planner.as_ref()).map(|planner| Arc::new(search(planner, false)));
    Ok(Session::live(LiveStart::new(scene, setup, movements)?)?)
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Scene(error) => Failure::Scene(*error),
            SessionError::Movement(error) => error.into(),
            SessionError::Spool(_) => Failure::file(
                error.to_string(),
                "free some space there, or name another folder in TMPDIR",
            ),
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let help = match error {
            ServeError::Port { .. } => "leave --port out to get a free one",
            ServeError::Io(_) => "",
        };
        Failure::run(error.to_string(), help)
    }
}
