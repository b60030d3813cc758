import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toFault } from "@/ipc";
import { Page } from "./page";
import { Empty, ErrorNote, Skeleton } from "./state";

type Asked<T> = Pick<UseQueryResult<T>, "data" | "isError" | "error"> & { refetch: () => Promise<unknown> };

/**
 * A query's result, or its skeleton, or its error with a retry. Old data stays while new data loads. Something that does not exist is not a
 * failure: a retry would not find it, so the link leads up to what there is.
 */
export function Result<T>({ of, children, rows }: { of: Asked<T>; children: (data: T) => ReactNode; rows?: number }) {
  if (of.data !== undefined) return children(of.data);
  if (of.isError) {
    const fault = toFault(of.error);
    if (fault.code === "not_found") {
      return (
        <div role="alert">
          <Empty
            title={fault.message}
            action={
              <Link to=".." className="text-accent underline underline-offset-2">
                See what there is
              </Link>
            }
          />
        </div>
      );
    }
    return (
      <div className="p-6">
        <ErrorNote fault={fault} onRetry={() => void of.refetch()} />
      </div>
    );
  }
  return <Skeleton rows={rows} />;
}

/** The same for a whole page: without its data, it still says what it would show, and leads to the page above. */
export function PageResult<T>({
  of,
  title,
  up,
  children,
}: {
  of: Asked<T>;
  title: string;
  up: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const result = <Result of={of}>{children}</Result>;
  if (of.data !== undefined || !of.isError) return result;
  return (
    <Page title={title} up={up}>
      {result}
    </Page>
  );
}
