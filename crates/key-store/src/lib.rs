//! Where the person's system keeps secrets: the keychain of macOS, the credentials of Windows, the Secret Service of Linux desktops.
//!
//! **Never here:** what a key is for, files, the environment. A system without such a store, or one that is locked and whose person does
//! not answer, is an error within a bounded time: nobody hangs on it.

use keyring::Entry;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// By which the system tells Ralph's secrets from those of others.
const SERVICE: &str = "ralph";
/// How long a look may take: a locked store asks its person, who may not be there.
const LOOK: Duration = Duration::from_secs(3);
/// How long keeping a secret may take: its person is there, and may have to unlock the store.
const KEEP: Duration = Duration::from_secs(120);

/// Why the system's store gives or takes nothing.
#[derive(Debug, thiserror::Error)]
pub enum KeyStoreError {
    /// There is none, or it refused.
    #[error("the system's keyring can't be used: {0}")]
    Refused(String),
    /// It did not answer in time.
    #[error("the system's keyring did not answer within {} s; unlock it", .0.as_secs())]
    Silent(Duration),
}

/// The secret with a name; `None` where there is none.
///
/// # Errors
/// [`KeyStoreError`] when the store can't be asked.
pub fn secret(name: &str) -> Result<Option<String>, KeyStoreError> {
    found(asked(name, LOOK, |entry| entry.get_password()))
}

/// Keeps a secret, in the place of an earlier one.
///
/// # Errors
/// [`KeyStoreError`] when the store does not take it.
pub fn keep(name: &str, secret: &str) -> Result<(), KeyStoreError> {
    let secret = secret.to_owned();
    asked(name, KEEP, move |entry| entry.set_password(&secret))?.map_err(|fault| refused(&fault))
}

/// Forgets a secret; `false` where there is none.
///
/// # Errors
/// [`KeyStoreError`] when the store can't be asked.
pub fn forget(name: &str) -> Result<bool, KeyStoreError> {
    Ok(found(asked(name, KEEP, |entry| entry.delete_credential()))?.is_some())
}

/// Lets a thread of its own ask, since the store may wait for a person without a bound.
fn asked<T: Send + 'static>(
    name: &str,
    patience: Duration,
    ask: impl FnOnce(Entry) -> keyring::Result<T> + Send + 'static,
) -> Result<keyring::Result<T>, KeyStoreError> {
    let (send, answer) = sync_channel(1);
    let name = name.to_owned();
    let work = move || {
        // Nobody may wait any more.
        let _ = send.send(Entry::new(SERVICE, &name).and_then(ask));
    };
    thread::Builder::new().name("key-store".into()).spawn(work).map_err(|fault| KeyStoreError::Refused(fault.to_string()))?;
    answer.recv_timeout(patience).map_err(|fault| match fault {
        RecvTimeoutError::Timeout => KeyStoreError::Silent(patience),
        RecvTimeoutError::Disconnected => KeyStoreError::Refused("it broke off".to_owned()),
    })
}

fn found<T>(answer: Result<keyring::Result<T>, KeyStoreError>) -> Result<Option<T>, KeyStoreError> {
    match answer? {
        Ok(value) => Ok(Some(value)),
        Err(keyring::Error::NoEntry) => Ok(None),
        Err(fault) => Err(refused(&fault)),
    }
}

fn refused(fault: &keyring::Error) -> KeyStoreError {
    KeyStoreError::Refused(fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store that waits for its person.
    #[test]
    fn a_store_that_never_answers_is_an_error_in_time() {
        let answered = asked("nobody", Duration::from_millis(20), |_| {
            thread::park();
            Ok(())
        });
        // Where there is no store at all, that is told before.
        assert!(matches!(answered, Err(KeyStoreError::Silent(_)) | Ok(Err(_))), "{answered:?}");
    }
}
