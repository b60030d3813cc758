import { Kbd } from "@/ui/badge";
import { Dialog } from "@/ui/dialog";

const KEYS: [string, string[], string][] = [
  ["Everywhere", ["Ctrl", "K"], "Every action and every entity"],
  ["Everywhere", ["?"], "This list"],
  ["Everywhere", ["/"], "Search on this page"],
  ["Everywhere", ["Esc"], "Close, or leave a field"],
  ["Everywhere", ["Ctrl", "Enter"], "Send what is written"],
  ["Everywhere", ["Alt", "←"], "Back (→: forward)"],
  ["Everywhere", ["Ctrl", "+"], "Zoom in (−: out, 0: actual size)"],
  ["Everywhere", ["Ctrl", "Z"], "Undo what the message offers to undo"],
  ["Go to", ["g", "f"], "Features"],
  ["Go to", ["g", "t"], "Tasks"],
  ["Go to", ["g", "l"], "Loop"],
  ["Go to", ["g", "r"], "Review"],
  ["Go to", ["g", "k"], "Knowledge"],
  ["Go to", ["g", "i"], "Insights"],
  ["Go to", ["g", "n"], "Needs you"],
  ["Go to", ["g", "s"], "Settings"],
  ["Lists", ["n"], "New feature, task or learning"],
  ["Lists", ["j"], "Next row (also ↓), or the first one"],
  ["Lists", ["k"], "Previous row (also ↑)"],
  ["Lists", ["Enter"], "Open the row"],
  ["Tasks", ["x"], "Select the row (Esc: none)"],
  ["Tasks", ["s"], "Set the status of the row or the selection"],
  ["Tasks", ["p"], "Set its priority"],
  ["Tasks", ["e"], "Edit the task"],
  ["Tasks", ["+"], "In the graph: larger (−: smaller, 0: the whole)"],
  ["Run", ["f"], "Next failure"],
  ["Run", ["Ctrl", "F"], "Find in the transcript"],
  ["Review", ["j"], "Next file (k: previous)"],
  ["Review", ["n"], "Next change (p: previous)"],
  ["Review", ["↓"], "Next line (↑: previous)"],
  ["Review", ["]"], "Next commit ([: previous)"],
  ["Review", ["v"], "Mark the file as viewed"],
  ["Review", ["w"], "The whole file"],
  ["Review", ["s"], "Side by side or inline"],
  ["Review", ["c"], "Comment on the line"],
  ["Review", ["b"], "Send back"],
  ["Review", ["a"], "Accept"],
  ["Review", ["d"], "Discard"],
  ["Review", ["y"], "Text of a pull request"],
];

export function KeysHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const groups = [...new Set(KEYS.map(([group]) => group))];
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" wide reads>
      <div className="grid grid-cols-2 gap-x-8 gap-y-4 pb-3">
        {groups.map((group) => (
          <div key={group}>
            <h3 className="mb-1.5 text-xs font-medium text-faint">{group}</h3>
            <dl className="flex flex-col gap-1.5">
              {KEYS.filter(([of]) => of === group).map(([, keys, what]) => (
                <div key={what} className="flex items-center justify-between gap-3">
                  <dt>{what}</dt>
                  <dd className="flex gap-1">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
