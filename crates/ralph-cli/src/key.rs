//! `ralph key`: keys of model servers in the system's keyring. A key is read from standard input, or typed unseen, and never printed.

use crate::output::{Answered, Output};
use clap::Subcommand;
use ralph_app::{App, AppError};
use ralph_core::visible::visible;
use std::io::{IsTerminal as _, Read as _};

/// Maximum length of a key in bytes.
const KEY_BYTES: u64 = 10_000;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Store the key of a server, read from standard input; at a terminal it is asked for.
    Set {
        /// The server's address as in the settings, such as <https://api.example.com/v1>.
        server: String,
    },
    /// Forget the key of a server.
    Forget { server: String },
    /// Whether there is a key for a server.
    Show { server: String },
}

/// Runs `ralph key`.
pub fn key(app: &App, command: KeyCommand, output: Output) -> Answered {
    let state = match command {
        KeyCommand::Set { server } => {
            let key = given_unseen(&format!("Key of {}: ", visible(&server))).map_err(|fault| AppError::io("standard input", fault))?;
            if key.len() as u64 > KEY_BYTES {
                return Err(
                    AppError::invalid("key", format!("is longer than {KEY_BYTES} bytes"), "give the key alone on standard input").into()
                );
            }
            app.keep_key(&server, &key)?
        }
        KeyCommand::Forget { server } => app.forget_key(&server)?,
        KeyCommand::Show { server } => app.key_state(&server)?,
    };
    output.answer(&state, || match &state.fault {
        Some(fault) => format!("{}: {fault}", state.server),
        None => format!("{}: {}", state.server, if state.kept { "its key is in the keyring" } else { "no key in the keyring" }),
    });
    Ok(())
}

/// The content of standard input, or what is typed at a terminal, which does not show it: at most a bit more than a key may have.
pub(crate) fn given_unseen(question: &str) -> std::io::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return rpassword::prompt_password(question);
    }
    let mut key = String::new();
    stdin.take(KEY_BYTES + 1).read_to_string(&mut key)?;
    Ok(key)
}
