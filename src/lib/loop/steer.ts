import { commands, type Errand, type Run, type RunControl, toFault } from "@/ipc";
import { tellDone, tellFault, useCommand } from "@/lib/command";

/** The message if a run was over before the request reached it; nothing if it continues. */
function overInWords(run: Run): string | null {
  if (run.ended === null) return null;
  return `Run ${run.id} was over already${run.note ? `: ${run.note}` : ""}`;
}

/** Whether a request asks for an end: then an ended run is what was requested. */
const asksForTheEnd = (what: RunControl) => what === "stop_now" || what === "stop_after";

/** Sends a request to a run, or to one of its lanes. */
export async function steer(what: RunControl, run: number, lane: number | null): Promise<void> {
  try {
    const over = overInWords(await commands.controlRun(run, what, lane));
    if (over) tellDone(over);
  } catch (error) {
    if (asksForTheEnd(what) && toFault(error).code === "no_run") tellDone("The run was over already");
    else tellFault(error);
  }
}

/** The same for a button. */
export function useSteer(run: number, lane: number | null) {
  return useCommand((what: RunControl) => steer(what, run, lane));
}

/** Stops these runs and errands now, whichever process drives it; one that can't be stopped does not keep the others running. */
export function stopAll(runs: Run[], errands: Errand[]): void {
  for (const { id } of runs) void steer("stop_now", id, null);
  for (const { id } of errands) commands.stopErrand(id).catch(tellFault);
}
