import type { Piece } from "@/ipc";

/** A text beside another one, with the words that the other lacks marked. */
export function Pieces({ pieces }: { pieces: Piece[] }) {
  return (
    <p className="selectable wrap-anywhere">
      {pieces.map(({ text, differs }, index) =>
        differs ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text; they may repeat.
          <mark key={index} className="rounded-[3px] bg-warn-soft px-0.5 font-medium text-warn">
            {text}
          </mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text; they may repeat.
          <span key={index}>{text}</span>
        ),
      )}
    </p>
  );
}
