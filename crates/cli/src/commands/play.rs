//! `conatus play`: a scene or a recording in the browser.

use super::is_recording;
use super::run::search;
use crate::Done;
use crate::args::Play;
use crate::errors::{Failure, print};
use crate::outputs::page_or_why;
use crate::progress;
use conatus_record::Recording;
use conatus_viewer::live::{LiveStart, ServeError, Server, Session, SessionError};
use conatus_world::scene::{LoadOptions, Scene};
use std::io::Write;
use std::sync::Arc;

/// Serves the page until Ctrl-C.
pub fn play(args: &Play) -> Done {
    let page = page_or_why()?;
    let session = session(args)?;
    if progress::stop_asked() {
        return Ok(());
    }
    let server = Server::bind(args.port)?;
    let (url, one_time_url) = (server.url(), server.one_time_url());
    progress::listen_for_stop("closing");
    print(&format!("{} at {url} (Ctrl-C ends)\n", args.scene))?;
    if !args.no_open && open::that_detached(&one_time_url).is_err() {
        let _ = writeln!(
            std::io::stderr(),
            "no browser could be started; open the address yourself"
        );
    }
    server.serve(page, session, progress::stop_asked)?;
    Ok(())
}

fn session(args: &Play) -> Result<Session, Failure> {
    if is_recording(&args.scene) {
        if args.seed.is_some() || !args.sets.is_empty() {
            return Err(Failure::usage(
                "a recording is shown as it is: --set and --seed change nothing in it",
                "`conatus run` runs a recording again with changes",
            ));
        }
        let recording = Recording::read(&args.scene)?;
        if recording.frames.is_empty() {
            return Err(Failure::file(
                format!("{} holds no frames", args.scene),
                "it was cut off before its first; run the scene again",
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
                "make room there, or name another folder in TMPDIR",
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
