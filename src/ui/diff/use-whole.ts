import { useMemo, useRef, useState } from "react";
import { tellFault } from "@/lib/command";
import { type DiffFile, parseDiff } from "./parse";

/** Files requested in full: their own diff, with every line of the file as context. */
export function useWhole(files: readonly DiffFile[], load?: (path: string) => Promise<string>) {
  const [read, setRead] = useState<ReadonlyMap<string, DiffFile | null>>(new Map());
  // For another diff, what was loaded is obsolete.
  const [of, setOf] = useState(files);
  if (of !== files) {
    setOf(files);
    setRead(new Map());
  }
  const now = useRef(files);
  now.current = files;
  const put = (path: string, file?: DiffFile | null) =>
    setRead((before) => {
      const after = new Map(before);
      if (file === undefined) after.delete(path);
      else after.set(path, file);
      return after;
    });
  const onWhole =
    load &&
    (async (path: string) => {
      if (read.get(path) === null) return;
      if (read.has(path)) return put(path);
      put(path, null);
      try {
        const [file] = parseDiff(await load(path)).files;
        // The marks on a file belong to its original diff, however much context is shown.
        const digest = files.find((one) => one.path === path)?.digest;
        if (now.current === files) put(path, file && { ...file, digest: digest || file.digest });
      } catch (error) {
        if (now.current === files) put(path);
        tellFault(error);
      }
    });
  const shown = useMemo(() => files.map((file) => read.get(file.path) ?? file), [files, read]);
  const whole = useMemo(
    () => new Map([...read].map(([path, file]): [string, true | null] => [path, file && true])),
    [read],
  );
  return { files: shown, whole, onWhole };
}
