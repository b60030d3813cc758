//! Jobs of Windows: a child and whatever it starts belong to one job, whatever becomes of their parents, and end with it. The system ends a
//! job when its last handle is closed, so a killed Ralph leaves no agent behind.

use std::collections::BTreeMap;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle, RawHandle};
use std::sync::{Mutex, PoisonError};
use tokio::process::Child;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
};

/// Exit code of what a job ends: as after a Ctrl-C in a shell.
const ENDED: u32 = 130;

/// By the number of the child that each was made for.
static JOBS: Mutex<BTreeMap<u32, OwnedHandle>> = Mutex::new(BTreeMap::new());

/// Puts a child that was just started into a job of its own.
pub(super) fn hold(child: &Child) {
    let (Some(pid), Some(process)) = (child.id(), child.raw_handle()) else { return };
    match job_of(process) {
        Ok(job) => drop(jobs().insert(pid, job)),
        // The child itself is ended all the same; what it starts is not.
        Err(error) => tracing::warn!(pid, %error, "what the child starts will not be found"),
    }
}

/// Ends the child with this number, and all that it started.
pub(super) fn end(pid: u32) {
    if let Some(job) = jobs().get(&pid) {
        // SAFETY: the handle is that of a job, and open as long as the list is locked.
        #[allow(unsafe_code, reason = "a call of the system that the standard library does not have")]
        unsafe {
            // It fails only if nothing is left of it.
            TerminateJobObject(job.as_raw_handle(), ENDED);
        }
    }
}

/// Gives a job up, which ends what is left in it.
pub(super) fn release(pid: u32) {
    jobs().remove(&pid);
}

fn jobs() -> std::sync::MutexGuard<'static, BTreeMap<u32, OwnedHandle>> {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[allow(unsafe_code, reason = "calls of the system that the standard library does not have")]
fn job_of(process: RawHandle) -> io::Result<OwnedHandle> {
    // SAFETY: without a name and with the default protection; the result is checked.
    let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
    if job.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, and nobody else owns it.
    let job = unsafe { OwnedHandle::from_raw_handle(job) };
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let length = u32::try_from(size_of_val(&limits)).expect("some hundred bytes");
    // SAFETY: the structure is of the kind that is named, and as long as is said.
    let is_set =
        unsafe { SetInformationJobObject(job.as_raw_handle(), JobObjectExtendedLimitInformation, (&raw const limits).cast(), length) };
    // SAFETY: both handles are open: the caller has the child.
    if is_set == 0 || unsafe { AssignProcessToJobObject(job.as_raw_handle(), process) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(job)
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;
    use std::time::Duration;
    use tokio::io::AsyncReadExt as _;

    /// Far more than a system needs to end two processes.
    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn what_a_child_started_ends_with_its_job() {
        let variables: Vec<_> = std::env::vars_os().collect();
        // `cmd` waits for the other program, which holds the pipe, too.
        let mut command = super::super::shell("echo begun & ping -n 120 127.0.0.1", &variables);
        let mut child = super::super::start(command.stdout(Stdio::piped())).unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let mut first = [0];
        tokio::time::timeout(PATIENCE, pipe.read_exact(&mut first)).await.expect("it says something").unwrap();
        super::end(child.id().unwrap());
        let mut rest = Vec::new();
        tokio::time::timeout(PATIENCE, pipe.read_to_end(&mut rest)).await.expect("nobody holds the pipe any more").unwrap();
        assert_eq!(child.wait().await.unwrap().code(), Some(130));
    }
}
