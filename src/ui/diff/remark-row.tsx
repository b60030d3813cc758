import { Pencil, Trash2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Textarea } from "@/ui/field";
import type { LineRemark, WrittenPlace } from "./rows";

export type RemarkActs = {
  /** The current text. */
  text: string;
  onType: (text: string) => void;
  onKeep: () => void;
  onDrop: () => void;
  onEdit: (remark: LineRemark) => void;
  onRemove: (remark: LineRemark) => void;
};

const box = "mx-3 my-1.5 max-w-3xl rounded-lg border border-line-strong bg-panel px-3 py-2 font-sans";

/** A remark on the line above it. */
export function RemarkRow({ remark, acts }: { remark: LineRemark; acts: RemarkActs }) {
  const on = remark.line === null ? "the file" : `line ${remark.line}`;
  return (
    <article aria-label={`Comment on ${on}`} className={box}>
      <header className="flex h-6 items-center gap-2 text-xs text-faint">
        <span className="font-medium text-dim">{remark.author}</span>
        on {on}
        {remark.draft && (
          <>
            <Badge tone="accent">not sent yet</Badge>
            <span className="ml-auto flex">
              <Button look="ghost" size="sm" aria-label="Change the comment" onClick={() => acts.onEdit(remark)}>
                <Pencil size={12} />
              </Button>
              <Button look="ghost" size="sm" aria-label="Remove the comment" onClick={() => acts.onRemove(remark)}>
                <Trash2 size={12} />
              </Button>
            </span>
          </>
        )}
      </header>
      <p className="selectable whitespace-pre-wrap wrap-anywhere">{remark.text}</p>
    </article>
  );
}

/** The form for a remark. The text stays until it is stored or discarded. */
export function WritingRow({ place, acts }: { place: WrittenPlace; acts: RemarkActs }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const blank = acts.text.trim() === "";
  return (
    <form
      className={box}
      onSubmit={(event) => {
        event.preventDefault();
        if (!blank) acts.onKeep();
      }}
    >
      {(place.removed || place.lost) && (
        <p className="mb-1.5 truncate text-xs text-dim">
          {place.lost ? "On a line that was here before:" : "On the removed line"}{" "}
          <code className="font-mono">{place.words.trim()}</code>
        </p>
      )}
      <Textarea
        ref={field}
        aria-label={`Comment on line ${place.line} of ${place.file}`}
        placeholder="What the next attempt should do here"
        value={acts.text}
        onChange={(event) => acts.onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (blank) acts.onDrop();
          else event.currentTarget.blur();
        }}
      />
      <div className="mt-1.5 flex items-center gap-2">
        <span className="mr-auto text-xs text-faint">Sent with “Send back”</span>
        <Button size="sm" onClick={acts.onDrop}>
          Cancel
        </Button>
        <Button size="sm" look="primary" type="submit" lacks={blank ? "Write a comment first" : undefined}>
          Keep comment
        </Button>
      </div>
    </form>
  );
}
