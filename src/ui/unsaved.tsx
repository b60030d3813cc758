import { useBlocker } from "@tanstack/react-router";
import { Button } from "./button";
import { Dialog } from "./dialog";

/** Blocks leaving a page with unsaved changes until the person decides about them. Another tab of the page does not count as leaving. */
export function useUnsaved(dirty: boolean) {
  return useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
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
