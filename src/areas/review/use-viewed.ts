import { useMemo } from "react";
import { useDraft } from "@/lib/draft";
import type { DiffFile } from "@/ui/diff/parse";

const EMPTY: { viewed: Record<string, string> } = { viewed: {} };

/** Which files a person has viewed in their current version: one that has changed since must be viewed again. */
export function useViewed(work: string, commit: string | null, files: readonly DiffFile[]) {
  const [{ viewed }, change, forget] = useDraft(`viewed.${work}`, EMPTY);
  const keyOf = (path: string) => `${commit ?? ""}:${path}`;
  const seen = useMemo(
    () =>
      new Set(
        files.filter(({ path, digest }) => viewed[`${commit ?? ""}:${path}`] === digest).map(({ path }) => path),
      ) as ReadonlySet<string>,
    [files, viewed, commit],
  );
  const mark = (path: string, on: boolean) => {
    const { [keyOf(path)]: _, ...rest } = viewed;
    const digest = files.find((file) => file.path === path)?.digest;
    change({ viewed: on && digest !== undefined ? { ...rest, [keyOf(path)]: digest } : rest });
  };
  return { seen, mark, forget };
}
