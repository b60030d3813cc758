import { number } from "@/lib/format";

/** Lines added and removed. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="num shrink-0 text-xs whitespace-nowrap">
      <span className="text-ok">+{number(added)}</span> <span className="text-bad">−{number(removed)}</span>
    </span>
  );
}
