import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { toFault } from "@/ipc";
import { ErrorNote, Skeleton } from "./state";

/** A query's result, or its skeleton, or its error with a retry. Old data stays while new data loads. */
export function Result<T>({
  of,
  children,
  rows,
}: {
  of: Pick<UseQueryResult<T>, "data" | "isError" | "error"> & { refetch: () => Promise<unknown> };
  children: (data: T) => ReactNode;
  rows?: number;
}) {
  if (of.data !== undefined) return children(of.data);
  if (of.isError) {
    return (
      <div className="p-6">
        <ErrorNote fault={toFault(of.error)} onRetry={() => void of.refetch()} />
      </div>
    );
  }
  return <Skeleton rows={rows} />;
}
