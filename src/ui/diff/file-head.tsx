import { ChevronDown, ChevronRight, FoldVertical, UnfoldVertical } from "lucide-react";
import { cn } from "@/lib/cn";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Harmless } from "./code";
import { Counts } from "./counts";
import type { Change, DiffFile } from "./parse";

const changeWord: Record<Change, string> = {
  added: "new",
  removed: "removed",
  renamed: "renamed",
  copied: "copied",
  changed: "changed",
};

/** A path with its file name emphasized. */
export function Path({ path }: { path: string }) {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <bdi dir="ltr">
      <span className="text-dim">
        <Harmless text={path.slice(0, cut)} />
      </span>
      <Harmless text={path.slice(cut)} />
    </bdi>
  );
}

export type FileActs = {
  onCollapse: (path: string, collapsed: boolean) => void;
  /** Missing if viewed files are not tracked here. */
  onViewed?: (path: string, viewed: boolean) => void;
  /** Missing if the rest of the file is not available. */
  onWhole?: (path: string) => void;
};

export function FileHead({
  file,
  collapsed,
  viewed,
  whole,
  current,
  acts,
}: {
  file: DiffFile;
  collapsed: boolean;
  viewed: boolean;
  /** Whether the whole file is shown; `null` while it is being loaded. */
  whole: boolean | null;
  current: boolean;
  acts: FileActs;
}) {
  const Chevron = collapsed ? ChevronRight : ChevronDown;
  const canGrow = acts.onWhole && file.hunks.length > 0 && file.change !== "added" && file.change !== "removed";
  return (
    <div
      data-testid="diff-file"
      aria-current={current || undefined}
      className={cn(
        "flex h-9 items-center gap-2 border-y border-line bg-raised pr-4 pl-2 font-mono text-xs",
        current && "shadow-[inset_2px_0_var(--c-accent)]",
      )}
    >
      <button
        type="button"
        aria-expanded={!collapsed}
        aria-label={`Lines of ${file.path}`}
        onClick={() => acts.onCollapse(file.path, !collapsed)}
        className="flex size-5 shrink-0 items-center justify-center rounded text-dim hover:text-text"
      >
        <Chevron size={14} aria-hidden="true" />
      </button>
      {/* What has no room is cut at the beginning: the name of the file stays. */}
      <span
        className="selectable min-w-0 truncate text-left [direction:rtl]"
        title={file.oldPath ? `${file.oldPath} → ${file.path}` : file.path}
      >
        <bdi dir="ltr">
          {file.oldPath && (
            <>
              <Path path={file.oldPath} /> <span className="text-faint">→</span>{" "}
            </>
          )}
          <Path path={file.path} />
        </bdi>
      </span>
      {file.change !== "changed" && <Badge className="font-sans">{changeWord[file.change]}</Badge>}
      <span className="ml-auto flex shrink-0 items-center gap-3 pl-2 font-sans">
        {canGrow && (
          <Button
            size="sm"
            look="ghost"
            disabled={whole === null}
            onClick={() => acts.onWhole?.(file.path)}
            title={whole ? "Only what changed (w)" : "The whole file (w)"}
            aria-label={whole ? "Only what changed" : "The whole file"}
          >
            {whole ? <FoldVertical size={13} /> : <UnfoldVertical size={13} />}
          </Button>
        )}
        {!file.binary && <Counts added={file.added} removed={file.removed} />}
        {acts.onViewed && (
          <span className="flex items-center gap-1.5 text-xs text-dim">
            <Checkbox
              checked={viewed}
              label={`Viewed ${file.path}`}
              onChange={(on) => acts.onViewed?.(file.path, on)}
            />
            <span aria-hidden="true" className="max-[700px]:hidden">
              Viewed
            </span>
          </span>
        )}
      </span>
    </div>
  );
}
