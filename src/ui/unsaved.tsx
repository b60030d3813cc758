import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import { commands } from "@/ipc";
import { Button } from "./button";
import { Dialog } from "./dialog";

/** Forms with something that is not saved. */
let unsaved = 0;

/** Counts a form in or out, and tells the shell: no page is consulted when its window closes. */
function change(by: 1 | -1): void {
  const before = isUnsaved();
  unsaved += by;
  if (isUnsaved() !== before) commands.tellUnsaved(!before).catch(() => undefined);
}

/** Whether a form has unsaved input, for acts that would remove its project. */
export const isUnsaved = () => unsaved > 0;

/**
 * Keeps a person on a page with unsaved changes until they say what becomes of those. Another tab is another page: what is typed in one tab
 * is lost with it.
 */
export function useUnsaved(dirty: boolean) {
  useEffect(() => {
    if (!dirty) return;
    change(1);
    return () => change(-1);
  }, [dirty]);
  return useBlocker({
    shouldBlockFn: ({ current, next }) => {
      if (!dirty) return false;
      const tabOf = ({ search }: { search: unknown }) => (search as { tab?: string }).tab;
      return current.pathname !== next.pathname || tabOf(current) !== tabOf(next);
    },
    enableBeforeUnload: dirty,
    withResolver: true,
  });
}

/** The confirmation, while the person is about to leave. */
export function LeaveUnsaved({ leave, what }: { leave: ReturnType<typeof useUnsaved>; what: string }) {
  return (
    <Dialog
      open={leave.status === "blocked"}
      onClose={() => leave.reset?.()}
      title={`${what} are not saved`}
      footer={
        <>
          <Button onClick={() => leave.proceed?.()}>Leave without saving</Button>
          <Button look="primary" autoFocus onClick={() => leave.reset?.()}>
            Stay
          </Button>
        </>
      }
    >
      <p className="pb-2">What was changed here is lost once you leave.</p>
    </Dialog>
  );
}
