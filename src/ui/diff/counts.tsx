/** Lines added and removed. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="num shrink-0 text-xs whitespace-nowrap">
      <span className="text-ok">+{added.toLocaleString("en-US")}</span>{" "}
      <span className="text-bad">−{removed.toLocaleString("en-US")}</span>
    </span>
  );
}
