import { Channel } from "@tauri-apps/api/core";
import { commands, type TranscriptBatch } from "./bindings";

/** Whose event log is followed. */
export type Followed = { iteration: number } | { errand: number };

/**
 * Follows the event log of an iteration or an errand from the beginning. `onBatch` gets entries in order; the returned function
 * also stops the reader in the backend, since an abandoned channel would be fed forever.
 */
export function followTranscript(
  of: Followed,
  onBatch: (batch: TranscriptBatch) => void,
  onError: (error: unknown) => void,
): () => void {
  let live = true;
  let isFed = true;
  const channel = new Channel<TranscriptBatch>();
  channel.onmessage = (batch) => {
    if (live) onBatch(batch);
  };
  const followed =
    "errand" in of ? commands.followErrand(of.errand, channel) : commands.followTranscript(of.iteration, channel);
  followed
    .catch((error) => {
      if (live) onError(error);
    })
    .finally(() => {
      isFed = false;
    });
  return () => {
    live = false;
    // Of a log that is over the backend knows nothing any more.
    if (isFed) commands.stopFollowing(channel.id).catch(() => undefined);
  };
}
