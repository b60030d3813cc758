import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { commands, type FeatureLearning, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { Button } from "@/ui/button";
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from "@/ui/menu";

/** Less frequent actions on a learning: moving it to another feature, and undoing a person's last act on it. */
export function LearningMenu({ learning }: { learning: FeatureLearning }) {
  const [asked, setAsked] = useState(false);
  // A list of learnings has one in each row, and few are ever opened.
  if (!asked) {
    return (
      <Button look="ghost" size="icon" aria-label="More actions" aria-haspopup="menu" onClick={() => setAsked(true)}>
        <Ellipsis size={15} />
      </Button>
    );
  }
  return (
    <Menu defaultOpen>
      <MenuTrigger asChild>
        <Button look="ghost" size="icon" aria-label="More actions">
          <Ellipsis size={15} />
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        <Items learning={learning} />
      </MenuContent>
    </Menu>
  );
}

function Items({ learning }: { learning: FeatureLearning }) {
  const { data } = useQuery(queries.features());
  const move = useCommand(async (to: string) => {
    const { state } = await commands.moveLearning(learning.id, to);
    const waits = state === "parked" ? "; it waits there for room" : "";
    tellDone(`Moved to ${to}${waits}`, () => commands.undoLearning(learning.id));
  });
  const undo = useCommand(async () => {
    await commands.undoLearning(learning.id);
    tellDone("Taken back");
  });
  const others = (data ?? []).filter(({ feature }) => feature.state === "active" && feature.name !== learning.feature);
  return (
    <>
      <MenuItem onSelect={() => undo.mutate(undefined)}>Undo the last change by a person</MenuItem>
      <MenuLine />
      <MenuLabel>{others.length > 0 ? "Move to" : "No other feature to move it to"}</MenuLabel>
      {others.map(({ feature }) => (
        <MenuItem key={feature.name} onSelect={() => move.mutate(feature.name)}>
          {feature.display_name}
        </MenuItem>
      ))}
    </>
  );
}
