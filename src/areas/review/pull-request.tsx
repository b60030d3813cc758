import { useQuery } from "@tanstack/react-query";
import { commands, queries } from "@/ipc";
import { tellDone, tellFault, useCommand } from "@/lib/command";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";

/** The text of a pull request, to copy, or to open with GitHub's CLI if it is installed. */
export function PullRequest({ work, onClose }: { work: string; onClose: () => void }) {
  const text = useQuery(queries.pullRequestText(work));
  const copy = () =>
    void navigator.clipboard.writeText(text.data?.text ?? "").then(() => {
      tellDone("Copied");
      onClose();
    }, tellFault);
  const open = useCommand(() => commands.openPullRequest(work), {
    errors: "inline",
    works: true,
    onDone: (address) => {
      tellDone(`Opened ${address}`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Text of a pull request"
      description="From the task, its commits, the check and what it left."
      onSubmit={copy}
      footer={
        <>
          {text.data?.opens && (
            <Button disabled={open.isPending} onClick={() => open.mutate(undefined)} title="Pushes the branch">
              {open.isPending ? "Opening…" : "Open with gh"}
            </Button>
          )}
          <Button type="submit" look="primary" autoFocus disabled={text.data === undefined}>
            Copy
          </Button>
        </>
      }
    >
      <Result of={text}>
        {({ text }) => (
          <pre className="max-h-[50vh] overflow-y-auto rounded-md border border-line bg-bg px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {text}
          </pre>
        )}
      </Result>
      {open.fault && <ErrorNote fault={open.fault} />}
    </Dialog>
  );
}
