import { commands, type Run, type RunControl, toFault } from "@/ipc";
import { tellDone, tellFault, useCommand } from "./command";

/** What is said of a run that was over before the wish reached it; nothing where it goes on. */
export function overInWords(run: Run): string | null {
  if (run.ended === null) return null;
  return `Run ${run.id} was over already${run.note ? `: ${run.note}` : ""}`;
}

/** Whether a wish asks for an end: then a run that is over is what was asked for. */
const asksForTheEnd = (what: RunControl) => what === "stop_now" || what === "stop_after";

/** Asks something of a run, or of one lane of it. */
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
