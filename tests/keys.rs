//! Keys of model servers: in the keyring of the system, which most test machines don't have, so that only refusals are tried here.

use journeys::text;
use ralph_testkit::Sandbox;

#[test]
fn a_key_is_asked_for_by_its_server_and_never_told() {
    let mut sandbox = Sandbox::with_project();
    // A bus that nobody serves: no keyring of whoever runs the test is asked.
    sandbox.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    let shown = sandbox.ralph_ok(&["key", "show", "https://API.example.com/v1"]);
    assert_eq!((text(&shown["server"]).as_str(), &shown["kept"]), ("https://api.example.com", &serde_json::json!(false)), "{shown}");
    for (args, input, field) in [
        (["key", "set", "https://api.example.com"], "", "key"),
        (["key", "set", "https://api.example.com"], "two\nlines", "key"),
        (["key", "set", "api.example.com"], "secret", "server"),
        (["key", "show", "https://me:secret@api.example.com"], "", "server"),
    ] {
        let output = sandbox.run_with_input(&mut sandbox.ralph_command(&args), input);
        let error = output.error();
        assert!(text(&error["message"]).starts_with(field), "{args:?}: {error}");
        assert!(!output.stderr.contains("secret@"), "{args:?}: {}", output.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_keyring_keeping_a_key_fails_with_the_way_out() {
    let mut sandbox = Sandbox::with_project();
    sandbox.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    let output = sandbox.run_with_input(&mut sandbox.ralph_command(&["key", "set", "https://api.example.com"]), "a-key-of-nobody");
    let error = output.error();
    assert!(text(&error["message"]).starts_with("keyring: "), "{error}");
    assert!(text(&error["hint"]).contains("RALPH_EXTRACTOR_KEY"), "{error}");
    assert!(!output.stderr.contains("a-key-of-nobody") && !output.stdout.contains("a-key-of-nobody"));
}
