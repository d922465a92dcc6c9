//! `conatus play`: how it starts, ends and refuses wrong input. The page itself is
//! tested in a browser (browser-tests/).

use crate::support::{conatus, folder};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts `conatus play`, and returns the address that it prints.
fn play(arguments: &[&str]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_conatus"))
        .args(["play", "--no-open"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1);
    let Some(address) = address.and_then(|rest| rest.split("/ ").next()) else {
        let mut message = String::new();
        let _ = child.stderr.take().unwrap().read_to_string(&mut message);
        panic!("no address in {line:?}; {message}");
    };
    (child, address.to_owned())
}

/// Requests a path from a server; its address ends with the access token.
fn get(address: &str, path: &str) -> String {
    let (host, token) = address.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /{token}{path} HTTP/1.0\r\nHost: {host}\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Whether this build contains the page; without it `play` prints an error.
fn has_page() -> bool {
    let there = conatus_viewer::page::page().is_some();
    if !there {
        let output = conatus(folder().path(), &["play", "cylon", "--no-open"]);
        assert_eq!(output.code, 1);
        assert!(output.err.contains("Node.js"), "{}", output.err);
    }
    there
}

#[test]
fn play_prints_its_address_serves_the_page_and_ends_within_a_second() {
    if !has_page() {
        return;
    }
    let (mut child, address) = play(&["cylon"]);
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let page = get(&address, "/");
    assert!(page.contains(" 200 ") && page.contains("<canvas"), "{page}");
    assert!(get(&address, "/app.js").len() > 100_000);
    // An idle connection must not delay the end.
    let host = address.split('/').next().unwrap();
    let _idle = TcpStream::connect(host).unwrap();
    let begin = Instant::now();
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    let took = begin.elapsed();
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn play_shows_a_recording() {
    if !has_page() {
        return;
    }
    let folder = folder();
    let made = conatus(
        folder.path(),
        &["run", "cylon", "--seconds", "1", "-o", "a.mcap"],
    );
    assert_eq!(made.code, 0);
    let recording = folder.path().join("a.mcap");
    let (mut child, address) = play(&[recording.to_str().unwrap()]);
    let saved = get(&address, "/recording.mcap");
    assert!(saved.contains("filename=\"cylon.mcap\""));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn play_refuses_wrong_input_with_help() {
    if !has_page() {
        return;
    }
    let folder = folder();
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    std::fs::write(folder.path().join("bad.toml"), "gravty = 1").unwrap();
    std::fs::write(folder.path().join("bad.mcap"), "no recording").unwrap();
    for (arguments, code, words) in [
        (&["cylon", "--port", &port][..], 3, "leave --port out"),
        (&["cylon", "--port", "70000"][..], 2, "65535"),
        (&["cylno"][..], 1, "did you mean `cylon`?"),
        (&["bad.toml"][..], 1, "bad.toml:1:1: unknown key `gravty`"),
        (&["bad.mcap"][..], 1, "bad.mcap"),
        (&["none.mcap"][..], 1, "none.mcap"),
        (&["bad.mcap", "--seed", "3"][..], 2, "--seed"),
        (&["cylon", "--set", "time.step=-1"][..], 1, "--set:1:11"),
        (&[][..], 2, "SCENE|RECORDING"),
    ] {
        let mut all = vec!["play", "--no-open"];
        all.extend(arguments);
        let output = conatus(folder.path(), &all);
        assert_eq!(output.code, code, "{arguments:?}: {}", output.err);
        assert!(output.err.contains(words), "{arguments:?}: {}", output.err);
    }
}
