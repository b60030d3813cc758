//! The first project, which is opened while the window comes up.

use tokio::sync::watch;

/// Whether the first project has been opened, or could not be.
pub struct First(watch::Sender<bool>);

impl First {
    /// Nothing has been opened yet.
    pub fn new() -> First {
        First(watch::Sender::new(false))
    }

    /// Answers whoever waits, and everybody from now on.
    pub fn settle(&self) {
        self.0.send_replace(true);
    }

    /// Waits for that. It takes no thread: those that answer the page are few, and what needs no project is answered meanwhile.
    pub async fn settled(&self) {
        // Fails only without the sender, which is this one's own.
        let _ = self.0.subscribe().wait_for(|settled| *settled).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn others_are_answered_while_the_first_project_is_opened() {
        let first = Arc::new(First::new());
        let waits: Vec<_> = (0..8).map(|_| Arc::clone(&first)).map(|first| tokio::spawn(async move { first.settled().await })).collect();
        // All of them share one thread here.
        tokio::spawn(async {}).await.unwrap();
        assert!(waits.iter().all(|wait| !wait.is_finished()));
        first.settle();
        for wait in waits {
            wait.await.unwrap();
        }
        first.settled().await;
    }
}
