import { Check } from "lucide-react";
import { memo, useEffect, useRef } from "react";
import { cn } from "@/lib/cn";
import { Counts } from "@/ui/diff/counts";
import { Path } from "@/ui/diff/file-head";
import type { DiffFile } from "@/ui/diff/parse";
import { VirtualList } from "@/ui/virtual-list";

/** The files of a diff, with their counts and marks. */
export const FileList = memo(function FileList({
  files,
  current,
  viewed,
  said,
  onFile,
}: {
  files: readonly DiffFile[];
  current: string | null;
  viewed: ReadonlySet<string>;
  /** The number of remarks by file. */
  said: ReadonlyMap<string, number>;
  onFile: (path: string) => void;
}) {
  return (
    <nav aria-label="Changed files" className="flex w-60 shrink-0 flex-col border-r border-line max-[1150px]:w-48">
      <p className="num flex h-9 shrink-0 items-center px-4 text-xs text-dim">
        {viewed.size} of {files.length} viewed
      </p>
      <VirtualList
        label="Changed files"
        items={files}
        keyOf={({ path }) => path}
        estimate={44}
        className="px-1.5 pb-2"
        render={(file) => (
          <FileLine
            file={file}
            current={file.path === current}
            viewed={viewed.has(file.path)}
            said={said.get(file.path) ?? 0}
            onFile={onFile}
          />
        )}
      />
    </nav>
  );
});

function FileLine({
  file,
  current,
  viewed,
  said,
  onFile,
}: {
  file: DiffFile;
  current: boolean;
  viewed: boolean;
  said: number;
  onFile: (path: string) => void;
}) {
  const self = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (current) self.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const cut = file.path.lastIndexOf("/") + 1;
  return (
    <button
      ref={self}
      type="button"
      aria-current={current || undefined}
      onClick={() => onFile(file.path)}
      title={file.path}
      className={cn(
        "flex min-h-11 w-full items-center gap-2 rounded-md px-2.5 py-1 text-left hover:bg-raised",
        current && "bg-raised",
      )}
    >
      <span className={cn("min-w-0 flex-1 text-xs", viewed && "opacity-60")}>
        <span className={cn("block truncate", file.change === "removed" && "line-through")}>
          <Path path={file.path.slice(cut)} />
        </span>
        {cut > 0 && (
          <span className="block truncate text-2xs">
            <Path path={file.path.slice(0, cut)} />
          </span>
        )}
      </span>
      {said > 0 && (
        <span className="num rounded bg-accent-soft px-1 text-2xs text-accent" title="Comments">
          {said}
        </span>
      )}
      {viewed ? (
        <Check size={13} className="shrink-0 text-ok" role="img" aria-label="viewed" />
      ) : file.binary ? (
        <span className="text-2xs text-faint">binary</span>
      ) : (
        <span className="text-2xs">
          <Counts added={file.added} removed={file.removed} />
        </span>
      )}
    </button>
  );
}
