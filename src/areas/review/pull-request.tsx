import { useQuery } from "@tanstack/react-query";
import { queries } from "@/ipc";
import { tellDone, tellFault } from "@/lib/command";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Result } from "@/ui/query";

/** A text for a pull request, to be copied. */
export function PullRequest({ work, onClose }: { work: string; onClose: () => void }) {
  const text = useQuery(queries.pullRequestText(work));
  const copy = () =>
    void navigator.clipboard.writeText(text.data ?? "").then(() => {
      tellDone("Copied");
      onClose();
    }, tellFault);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Text of a pull request"
      description="From the task, its commits, the check and what it left."
      onSubmit={copy}
      footer={
        <Button type="submit" look="primary" autoFocus disabled={text.data === undefined}>
          Copy
        </Button>
      }
    >
      <Result of={text}>
        {(text) => (
          <pre className="max-h-[50vh] overflow-y-auto rounded-md border border-line bg-bg px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {text}
          </pre>
        )}
      </Result>
    </Dialog>
  );
}
