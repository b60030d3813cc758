//! Where the person's system keeps secrets: the keychain of macOS, the credentials of Windows, the Secret Service of Linux desktops.
//!
//! **Never here:** what a key is for, files, the environment. A system without such a store, or with a locked one and nobody to unlock it,
//! is an error within a bounded time, so nobody hangs on it.

use keyring::Entry;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The name by which the system distinguishes Ralph's secrets from others.
const SERVICE: &str = "ralph";
/// How long a look may take: a locked store asks its person, who may not be there.
const LOOK: Duration = Duration::from_secs(3);
/// How long a look may take while work waits for it: an open store answers within some tens of milliseconds.
const LOOK_AT_WORK: Duration = Duration::from_millis(250);
/// How long storing a secret may take: the person is present, and may have to unlock the store.
const KEEP: Duration = Duration::from_secs(120);

/// Why the system's store neither gives nor takes anything.
#[derive(Debug, thiserror::Error)]
pub enum KeyStoreError {
    /// There is none, or it refused.
    #[error("the system's keyring can't be used: {0}")]
    Refused(String),
    /// It did not answer in time.
    #[error("the system's keyring did not answer within {} s; unlock it", .0.as_secs_f32())]
    Silent(Duration),
}

/// The secret with a name; `None` where there is none.
///
/// # Errors
/// [`KeyStoreError`] when the store can't be asked.
pub fn secret(name: &str) -> Result<Option<String>, KeyStoreError> {
    found(asked(name, LOOK, |entry| entry.get_password()))
}

/// The same while work waits for it: a silent store delays it once, by a quarter of a second, and is not asked again before it answers.
///
/// # Errors
/// [`KeyStoreError`] when the store can't be asked.
pub fn secret_at_work(name: &str) -> Result<Option<String>, KeyStoreError> {
    static OPEN: OpenLooks<keyring::Result<String>> = OpenLooks(Mutex::new(BTreeMap::new()));
    let own = name.to_owned();
    found(OPEN.look(name, LOOK_AT_WORK, move || Entry::new(SERVICE, &own).and_then(|entry| entry.get_password())))
}

/// Looks that are not answered yet, by name.
struct OpenLooks<T>(Mutex<BTreeMap<String, Receiver<T>>>);

impl<T: Send + 'static> OpenLooks<T> {
    /// Looks, unless an earlier look is still waiting for its answer. A late answer shows only that the store answers again: its content
    /// may have changed since.
    fn look(&self, name: &str, patience: Duration, look: impl FnOnce() -> T + Send + 'static) -> Result<T, KeyStoreError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.get(name).is_some_and(|earlier| matches!(earlier.try_recv(), Err(TryRecvError::Empty))) {
            return Err(KeyStoreError::Silent(patience));
        }
        // The lock is held on purpose: anybody else who wants a key now has to wait for the same store.
        let answer = begin(look)?;
        let found = within(&answer, patience);
        match found {
            Err(KeyStoreError::Silent(_)) => drop(open.insert(name.to_owned(), answer)),
            _ => drop(open.remove(name)),
        }
        found
    }
}

/// Stores a secret, in place of an earlier one.
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

/// Asks on a separate thread, since the store may wait for a person indefinitely.
fn asked<T: Send + 'static>(
    name: &str,
    patience: Duration,
    ask: impl FnOnce(Entry) -> keyring::Result<T> + Send + 'static,
) -> Result<keyring::Result<T>, KeyStoreError> {
    let name = name.to_owned();
    within(&begin(move || Entry::new(SERVICE, &name).and_then(ask))?, patience)
}

fn begin<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Result<Receiver<T>, KeyStoreError> {
    let (send, answer) = sync_channel(1);
    let work = move || {
        // Perhaps nobody waits any more.
        let _ = send.send(look());
    };
    thread::Builder::new().name("key-store".into()).spawn(work).map_err(|fault| KeyStoreError::Refused(fault.to_string()))?;
    Ok(answer)
}

fn within<T>(answer: &Receiver<T>, patience: Duration) -> Result<T, KeyStoreError> {
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
    KeyStoreError::Refused(match fault {
        // It speaks of what its own caller has to set.
        keyring::Error::NoDefaultStore => "none answers here, as where no desktop is logged in".to_owned(),
        other => other.to_string(),
    })
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
        // Where there is no store at all, that is reported first.
        assert!(matches!(answered, Err(KeyStoreError::Silent(_)) | Ok(Err(_))), "{answered:?}");
    }

    #[test]
    fn a_system_without_a_store_is_told_as_such() {
        let told = refused(&keyring::Error::NoDefaultStore).to_string();
        assert_eq!(told, "the system's keyring can't be used: none answers here, as where no desktop is logged in");
    }

    #[test]
    fn a_silent_store_delays_work_once_and_is_asked_again_when_it_answered() {
        let open = OpenLooks(Mutex::new(BTreeMap::new()));
        let (unlock, locked) = sync_channel::<()>(1);
        let patience = Duration::from_millis(20);
        let silent = open.look("server", patience, move || {
            let _ = locked.recv();
            "late"
        });
        assert!(matches!(silent, Err(KeyStoreError::Silent(_))), "{silent:?}");
        let begun = std::time::Instant::now();
        let again = open.look("server", Duration::from_secs(60), || "asked twice");
        assert!(matches!(again, Err(KeyStoreError::Silent(_))) && begun.elapsed() < Duration::from_secs(30), "{again:?}");
        unlock.send(()).expect("it waits");
        let answered = || open.look("server", Duration::from_secs(60), || "new").ok();
        let found = std::iter::repeat_with(answered).take(1_000_000).flatten().next();
        assert_eq!(found, Some("new"), "what came late is not told: it may be outdated");
    }
}
