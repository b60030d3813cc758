//! System packages: installed on Debian and its derivatives, listed for the person elsewhere.

use super::Need;
use crate::fault::Fault;
use crate::process::{self, command};

/// Debian package, and the least need that requires it.
const DEBIAN: &[(&str, Need)] = &[
    // The web view and, by its dependencies, pkg-config and GTK.
    ("libwebkit2gtk-4.1-dev", Need::Window),
    // The virtual screen; `xvfb-run` calls xauth.
    ("xvfb", Need::DrivenWindow),
    ("xauth", Need::DrivenWindow),
    ("webkit2gtk-driver", Need::DrivenWindow),
    // The journey through the window plays the desktop that takes notifications.
    ("dbus", Need::DrivenWindow),
    // `ip` brings up the loopback device of a network namespace.
    ("iproute2", Need::Tests),
];

/// Installs the packages that `need` requires and that are missing.
pub fn packages(need: Need) -> Result<(), Fault> {
    if !cfg!(target_os = "linux") {
        println!("      system packages: {}", by_hand());
        return Ok(());
    }
    if !process::works(&mut command("dpkg-query", &["--version"])) {
        println!(
            "      system packages: no Debian system; needed are WebKitGTK 4.1 with headers, Xvfb, xauth, WebKitWebDriver and iproute2"
        );
        return Ok(());
    }
    let mut missing = missing_of(&wanted(need), &installed());
    // It brings the embedding model's weights and typos.
    if !super::tools::has_pip() {
        missing.push("python3-pip");
    }
    if missing.is_empty() {
        println!("      system packages: present");
        return Ok(());
    }
    install(&missing)
}

/// Installs Debian packages. Messages go to standard error, since a bench prints its figures to standard output.
///
/// # Errors
/// When there is no apt-get, no way to be root, or a package can't be had.
pub fn install(packages: &[&str]) -> Result<(), Fault> {
    eprintln!("      system packages: installing {}", packages.join(" "));
    // A package source that does not answer may not matter; the installation will show.
    if let Err(fault) = process::quietly(as_root("apt-get", &["update", "-qq"])?.stdout(std::io::stderr())) {
        eprintln!("      note: {fault}");
    }
    let mut args = vec!["install", "-qq", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0"];
    args.extend(packages);
    process::quietly(as_root("apt-get", &args)?.stdout(std::io::stderr()))
}

fn by_hand() -> &'static str {
    if cfg!(target_os = "macos") {
        "macOS needs the Xcode command line tools (`xcode-select --install`); its web view has no WebDriver, so the window's journey is left out"
    } else {
        "Windows needs the C++ build tools of Visual Studio, WebView2 (part of Windows 11) and, for the window's journey, msedgedriver on PATH"
    }
}

fn wanted(need: Need) -> Vec<&'static str> {
    let rank = |need| match need {
        Need::Window => 0,
        Need::DrivenWindow => 1,
        Need::Tests => 2,
    };
    DEBIAN.iter().filter(|(_, from)| rank(*from) <= rank(need)).map(|(name, _)| *name).collect()
}

/// One line `name status` for each package that dpkg knows.
fn installed() -> String {
    process::read(&mut command("dpkg-query", &["--show", "--showformat=${Package} ${db:Status-Status}\\n"])).unwrap_or_default()
}

/// The wanted packages that are not in `installed`, as [`installed`] lists them. A removed package that left its configuration counts as
/// missing.
fn missing_of<'a>(wanted: &[&'a str], installed: &str) -> Vec<&'a str> {
    wanted.iter().copied().filter(|name| !installed.lines().any(|line| line == format!("{name} installed"))).collect()
}

/// The command as root: directly, or through sudo.
fn as_root(program: &str, args: &[&str]) -> Result<std::process::Command, Fault> {
    let is_root = process::read(&mut command("id", &["-u"]))? == "0";
    let mut command = if is_root {
        command(program, args)
    } else if process::works(&mut command("sudo", &["--version"])) {
        let mut sudo = command("sudo", &["DEBIAN_FRONTEND=noninteractive", program]);
        // sudo may ask for a password.
        sudo.args(args).stdin(std::process::Stdio::inherit());
        sudo
    } else {
        return Err(Fault::Missing { what: "sudo".to_owned(), way_out: format!("run as root: {program} {}", args.join(" ")) });
    };
    command.env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_that_are_really_installed_count() {
        let listed = "xvfb installed\nxauth config-files\nlibxvfb installed\niproute2-doc installed\n";
        assert_eq!(missing_of(&["xvfb", "xauth", "iproute2"], listed), ["xauth", "iproute2"]);
        assert_eq!(missing_of(&["xvfb"], ""), ["xvfb"]);
    }

    #[test]
    fn a_screen_needs_less_than_the_tests() {
        assert_eq!(wanted(Need::Window), ["libwebkit2gtk-4.1-dev"]);
        assert!(wanted(Need::DrivenWindow).contains(&"xvfb") && !wanted(Need::DrivenWindow).contains(&"iproute2"));
        assert_eq!(wanted(Need::Tests).len(), DEBIAN.len());
    }
}
