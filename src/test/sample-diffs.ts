/** Differences as git writes them, with all that is odd. */

const RETRY = `diff --git a/src/refund/retry.rs b/src/refund/retry.rs
index 1f2e3d4..5a6b7c8 100644
--- a/src/refund/retry.rs
+++ b/src/refund/retry.rs
`;

export const REFUND_DIFF = `${RETRY}@@ -10,10 +10,13 @@ impl Retry {
     }
 
     /// Whether it is time.
-    pub fn due(&self) -> bool {
-        SystemTime::now() >= self.next
+    ///
+    /// The clock is the caller's, so that a test can say what time it is.
+    pub fn due(&self, now: Timestamp) -> bool {
+        now >= self.next && self.attempts < MAX_ATTEMPTS
     }
 
     pub fn key(&self) -> &IdempotencyKey {
         &self.key
+        // The provider compares it byte by byte.
     }
@@ -41,6 +45,21 @@ impl Retry {
         self.attempts += 1;
         self.next = now + self.backoff();
     }
+
+    /// Doubles with every attempt: 2 s, 4 s, 8 s …
+    fn backoff(&self) -> Duration {
+        let base = Duration::from_secs(2);
+        base * 2u32.pow(self.attempts.min(MAX_DOUBLINGS))
+    }
+
+    /// What the ledger shows while the refund is under way.
+    pub fn state(&self) -> &'static str {
+        match self.attempts {
+            0 => "waiting",
+            n if n < MAX_ATTEMPTS => "trying again",
+            _ => "given up",
+        }
+    }
 }
 
 #[cfg(test)]
diff --git a/src/refund/clock.rs b/src/refund/clock.rs
new file mode 100644
index 0000000..2b3c4d5
--- /dev/null
+++ b/src/refund/clock.rs
@@ -0,0 +1,9 @@
+//! Time as an argument.
+
+/// Milliseconds since 1970 in the provider's zone.
+#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
+pub struct Timestamp(pub u64);
+
+pub trait Clock {
+    fn now(&self) -> Timestamp;
+}
diff --git a/web/orders/refund-state.tsx b/web/orders/refund-state.tsx
index 77aa001..9f00aa1 100644
--- a/web/orders/refund-state.tsx
+++ b/web/orders/refund-state.tsx
@@ -1,7 +1,7 @@
 import { Badge } from "@/ui/badge";
 
 export function RefundState({ refund }: { refund: Refund }) {
-  const words = refund.done ? "Refunded" : "Under way";
+  const words = { waiting: "Waiting", retrying: "Trying again", done: "Refunded" }[refund.state];
   return <Badge tone={refund.done ? "ok" : "warn"}>{words}</Badge>;
 }
 
diff --git a/docs/refunds.md b/docs/how-refunds-work.md
similarity index 91%
rename from docs/refunds.md
rename to docs/how-refunds-work.md
index 2aa3bb4..4cc5dd6 100644
--- a/docs/refunds.md
+++ b/docs/how-refunds-work.md
@@ -3,2 +3,2 @@
 A refund is booked when the provider says so.\r
-It may take a day.\r
+It may take a day, and is tried five times.
\\ No newline at end of file
diff --git a/scripts/replay.sh b/scripts/replay.sh
old mode 100644
new mode 100755
diff --git a/assets/refund.png b/assets/refund.png
index b6c2a1f..434a552 100644
Binary files a/assets/refund.png and b/assets/refund.png differ
diff --git a/fixtures/odd.txt b/fixtures/odd.txt
index 434a552..b6c2a1f 100644
--- a/fixtures/odd.txt
+++ b/fixtures/odd.txt
@@ -1,2 +1,3 @@
 plain
-old
+\u001b[31mred\u001b[0m, turned \u202eround\u202c, and\u200b nothing
+${"0123456789abcdef".repeat(160)}
diff --git a/src/refund/legacy.rs b/src/refund/legacy.rs
deleted file mode 100644
index 286c5f5..0000000
--- a/src/refund/legacy.rs
+++ /dev/null
@@ -1,3 +0,0 @@
-pub fn refund_now(amount: i64) {
-    todo_later(amount)
-}
`;

/** `retry.rs` alone, with every line around its changes. */
export const REFUND_WHOLE = `${RETRY}@@ -1,18 +1,22 @@
 //! Refunds that are tried again.
 
 use std::time::Duration;
 
 pub struct Retry {
     attempts: u32,
     next: Timestamp,
 }
 
 impl Retry {
     }
 
     /// Whether it is time.
-    pub fn due(&self) -> bool {
-        SystemTime::now() >= self.next
+    ///
+    /// The clock is the caller's, so that a test can say what time it is.
+    pub fn due(&self, now: Timestamp) -> bool {
+        now >= self.next && self.attempts < MAX_ATTEMPTS
     }
 
     pub fn key(&self) -> &IdempotencyKey {
         &self.key
+        // The provider compares it byte by byte.
     }
`;

/** A difference of so many changed lines, in files of a thousand. */
function longDiff(lines: number): string {
  const perFile = 1000;
  let text = "";
  for (let file = 0; file * perFile < lines; file += 1) {
    const half = Math.min(perFile, lines - file * perFile) / 2;
    const path = `src/generated/part_${file}.rs`;
    text += `diff --git a/${path} b/${path}\nindex 1f2e3d4..5a6b7c8 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,${half} +1,${half} @@\n`;
    for (let line = 0; line < half; line += 1)
      text += `-    let value_${line} = compute("old", ${line}, &state);\n+    let value_${line} = compute("new", ${line} + 1, &mut state);\n`;
  }
  return text;
}

export const LONG_DIFF = longDiff(20_000);
