import type { Piece } from "@/ipc";
import { cn } from "@/lib/cn";

/** A text beside another one, with the words that the other lacks marked: loud where somebody decides between them. */
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

/** Words that differ one after the other become one mark, with the blanks between them. */
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
