import { useState } from "react";
import type { FeatureLearning } from "@/ipc";
import { DocumentDialog } from "@/ui/document-dialog";

/** The document that says a consolidated learning, opened at its words. */
export function DocumentOf({ learning: { id, consolidated_into: place } }: { learning: FeatureLearning }) {
  const [open, setOpen] = useState(false);
  if (!place) return null;
  return (
    <>
      <button type="button" className="min-w-0 truncate hover:text-text" onClick={() => setOpen(true)}>
        {[place.file, place.heading].filter(Boolean).join(" · ")}
      </button>
      {open && <DocumentDialog place={{ file: place.file, learning: id }} onClose={() => setOpen(false)} />}
    </>
  );
}
