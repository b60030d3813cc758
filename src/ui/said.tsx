import { Link } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { tellDone, tellFault } from "@/lib/command";
import { partsOf } from "@/lib/said";

/** Words with what is between backticks set as code; nothing in it can be clicked. */
export function InCode({ text }: { text: string }) {
  const parts = text.split("`");
  // A backtick without another one is a letter like others.
  if (parts.length % 2 === 0) return text;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed sentence.
      <code key={index} className="font-mono text-[0.92em]">
        {part}
      </code>
    ),
  );
}

/** A sentence of Ralph's: each command in it links to where the window does the same; what only a terminal does can be copied. */
export function Said({
  text,
  words = (part) => <InCode text={part} />,
}: {
  text: string;
  words?: (part: string) => ReactNode;
}) {
  return partsOf(text).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed sentence.
    if (typeof part === "string") return <Fragment key={index}>{words(part)}</Fragment>;
    const { command, place } = part;
    return place ? (
      <Link
        // biome-ignore lint/suspicious/noArrayIndexKey: the same.
        key={index}
        to={place.to}
        search={place.search}
        className="text-accent underline underline-offset-2"
      >
        {place.name}
      </Link>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same.
      <TerminalCommand key={index} command={command} />
    );
  });
}

/** What only a terminal does. */
export function TerminalCommand({ command }: { command: string }) {
  return (
    // Its lines break within the sentence, which continues right after it.
    <span>
      <code className="font-mono text-[0.92em] wrap-anywhere">{command}</code>
      <button
        type="button"
        aria-label={`Copy ${command}, for a terminal`}
        title="Copy, for a terminal"
        onClick={() => void navigator.clipboard.writeText(command).then(() => tellDone("Copied"), tellFault)}
        className="-mx-0.5 -my-1 inline-flex size-6 items-center justify-center rounded align-middle text-faint hover:bg-raised hover:text-text"
      >
        <Copy size={12} aria-hidden="true" />
      </button>
    </span>
  );
}
