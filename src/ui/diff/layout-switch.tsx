import { Columns2, Rows3 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/ui/button";
import type { Layout } from "./rows";

const KEY = "ralph.diff-layout";

/** The layout chosen last, on this machine. */
export function useLayout(): [Layout, () => void] {
  const [layout, setLayout] = useState<Layout>(() => (localStorage.getItem(KEY) === "split" ? "split" : "inline"));
  const turn = () => {
    const next = layout === "split" ? "inline" : "split";
    localStorage.setItem(KEY, next);
    setLayout(next);
  };
  return [layout, turn];
}

export function LayoutSwitch({ layout, onTurn }: { layout: Layout; onTurn: () => void }) {
  const Icon = layout === "split" ? Rows3 : Columns2;
  return (
    <Button size="sm" look="ghost" onClick={onTurn} title="Side by side or inline (s)">
      <Icon size={13} aria-hidden="true" /> {layout === "split" ? "Inline" : "Side by side"}
    </Button>
  );
}
