import { useQueryClient } from "@tanstack/react-query";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { toFault } from "@/ipc";
import { Button } from "@/ui/button";
import { Page } from "@/ui/page";
import { ErrorNote } from "@/ui/state";

/** In place of a page whose code failed. What stands around it stays, so that a run can be stopped and another page opened. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const again = useRef<HTMLDivElement>(null);
  const client = useQueryClient();
  useEffect(() => {
    // The focused element is gone with the page.
    again.current?.focus();
    // The page may have failed because of an answer: coming back to it requests everything again.
    client.removeQueries({ type: "inactive" });
  }, [client]);
  return (
    <Page title="This page can't be shown">
      <div ref={again} tabIndex={-1} className="flex flex-col gap-3 px-6 py-2 outline-none">
        <p className="text-dim">What is stored is not touched by this, and runs go on. The other pages may work.</p>
        <ErrorNote fault={toFault(error)} onRetry={reset} />
        <div>
          <Button onClick={() => window.location.reload()}>Reload the window</Button>
        </div>
      </div>
    </Page>
  );
}
