import { useMemo, useRef, useState } from "react";
import { tellFault } from "@/lib/command";
import { type DiffFile, parseDiff } from "./parse";

/** Files that were asked for as a whole: their own difference, with every line of the file around it. */
export function useWhole(files: readonly DiffFile[], load?: (path: string) => Promise<string>) {
  const [read, setRead] = useState<ReadonlyMap<string, DiffFile | null>>(new Map());
  // Another difference: what was read belongs to the one before.
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
        // The marks on a file hold for its own difference, however much is shown around it.
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
