import { useEffect, useState, useSyncExternalStore } from "react";
import { type CommandFault, type Followed, followTranscript, toFault } from "@/ipc";
import { TranscriptStore } from "@/lib/loop/transcript-store";

/** Follows one log while the view is on screen. */
export function useTranscript(of: Followed) {
  const [kind, id] = "errand" in of ? (["errand", of.errand] as const) : (["iteration", of.iteration] as const);
  const [store] = useState(() => new TranscriptStore());
  const [fault, setFault] = useState<CommandFault | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again with each try.
  useEffect(() => {
    store.clear();
    setFault(null);
    return followTranscript(
      kind === "errand" ? { errand: id } : { iteration: id },
      ({ entries, ended, gone }) => store.push(entries, ended, gone),
      (error) => setFault(toFault(error)),
    );
  }, [kind, id, store, tries]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  return { store, snapshot, fault, retry: () => setTries(tries + 1) };
}
