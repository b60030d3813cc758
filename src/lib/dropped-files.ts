import { useEffect, useRef, useState } from "react";
import { onFilesDragged } from "@/ipc";

/** Whether files are dragged over the window; dropped ones go to `onDrop`. */
export function useDroppedFiles(onDrop: (paths: string[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(
    () =>
      onFilesDragged((dragged) => {
        setOver(dragged.type === "over");
        if (dragged.type === "dropped") latest.current(dragged.paths);
      }),
    [],
  );
  return over;
}
