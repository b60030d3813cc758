//! Tests without a network: the test runs itself again in a network namespace that has loopback only.

use std::process::Command;

/// Says that the test already runs inside.
const INSIDE: &str = "RALPH_TEST_NAMESPACE";

/// Runs the body of a test where only loopback exists, so that nothing it starts can call out.
///
/// Call it from the test function itself, with a closure written there: the closure's type tells the name of the test. Where
/// the system allows no namespace the test says so and runs with the network.
///
/// # Panics
/// When the body does.
pub fn within_namespace<F: FnOnce()>(body: F) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let Some(flags) = allowed() else {
        eprintln!("note: this system allows no network namespace (`unshare --net`), so the test runs with the network");
        return body();
    };
    let test = test_name(std::any::type_name::<F>());
    let program = std::env::current_exe().expect("the test program");
    let mut command = Command::new("unshare");
    command.args(flags).args(["sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""]).arg(program);
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
    let output = command.output().expect("unshare, which answered a moment ago");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    eprintln!("inside the network namespace:\n{stdout}{stderr}");
    assert!(output.status.success(), "'{test}' failed inside the network namespace; its output is above");
    // A name that matches no test would pass as well.
    assert!(stdout.contains("1 passed"), "'{test}' did not run inside the network namespace");
}

/// The flags of `unshare` that work here.
fn allowed() -> Option<&'static [&'static str]> {
    let candidates: [&[&str]; 2] = [&["--net"], &["--map-root-user", "--net"]];
    candidates.into_iter().find(|flags| {
        let mut command = Command::new("unshare");
        command.args(*flags).args(["ip", "link", "set", "lo", "up"]);
        command.output().is_ok_and(|output| output.status.success())
    })
}

/// The name that the test runner knows: the closure's path without the crate and without the closure.
fn test_name(closure: &'static str) -> &'static str {
    let path = closure.split_once("::").map_or(closure, |(_, rest)| rest);
    path.split("::{{closure}}").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closure_tells_the_test() {
        assert_eq!(test_name("journeys::split::it_splits::{{closure}}"), "split::it_splits");
        assert_eq!(test_name("claude::says_hello::{{closure}}"), "says_hello");
    }

    #[test]
    fn a_namespace_has_loopback_and_nothing_else() {
        within_namespace(|| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            assert!(std::net::TcpStream::connect(listener.local_addr().unwrap()).is_ok());
            if std::env::var_os(INSIDE).is_some() {
                let devices = std::fs::read_to_string("/proc/net/dev").unwrap();
                let names = devices.lines().skip(2).filter_map(|line| line.split(':').next()).map(str::trim).collect::<Vec<_>>();
                assert_eq!(names, ["lo"]);
            }
        });
    }

    #[test]
    #[should_panic(expected = "failed inside")]
    fn a_failure_inside_fails_outside() {
        if allowed().is_none() {
            panic!("failed inside: nothing to see without a namespace");
        }
        within_namespace(|| panic!("on purpose"));
    }
}
