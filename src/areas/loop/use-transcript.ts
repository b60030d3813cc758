import { useEffect, useState, useSyncExternalStore } from "react";
import { type CommandFault, followTranscript, toFault } from "@/ipc";
import { TranscriptStore } from "@/lib/transcript-store";

/** Follows one iteration's log while the view is on screen. */
export function useTranscript(iteration: number) {
  const [store] = useState(() => new TranscriptStore());
  const [fault, setFault] = useState<CommandFault | null>(null);
  useEffect(() => {
    store.clear();
    return followTranscript(
      iteration,
      ({ entries, ended }) => store.push(entries, ended),
      (error) => setFault(toFault(error)),
    );
  }, [iteration, store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  return { store, snapshot, fault };
}
