import type { Piece } from "@/ipc";
import { cn } from "@/lib/cn";

/** A text compared with another, with the words marked that the other lacks: strongly where a person decides between them. */
export function Pieces({ pieces, quiet = false }: { pieces: Piece[]; quiet?: boolean }) {
  return (
    <p className="selectable wrap-anywhere">
      {joined(pieces).map(({ text, differs }, index) =>
        differs ? (
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text; they may repeat.
            key={index}
            className={cn("rounded-[3px] px-0.5", quiet ? "bg-raised text-text" : "bg-warn-soft font-medium text-warn")}
          >
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

/** Consecutive differing words become one mark, including the spaces between them. */
function joined(pieces: Piece[]): Piece[] {
  const whole: Piece[] = [];
  pieces.forEach((piece, at) => {
    const bridge = piece.text.trim() === "" && pieces[at - 1]?.differs && pieces[at + 1]?.differs;
    const differs = piece.differs || bridge === true;
    const last = whole.at(-1);
    if (last && last.differs === differs) whole[whole.length - 1] = { text: last.text + piece.text, differs };
    else whole.push({ text: piece.text, differs });
  });
  return whole;
}
