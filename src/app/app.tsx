import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";
import { Toaster } from "sonner";
import { listenForPlaces } from "@/ipc";
import { Tips } from "@/ui/tips";
import { TooltipProvider } from "@/ui/tooltip";
import type { makeRouter } from "./router";

export function App({ client, router }: { client: QueryClient; router: ReturnType<typeof makeRouter> }) {
  useEffect(
    () =>
      listenForPlaces((place) => {
        if (place.kind === "run") void router.navigate({ to: "/loop/$run", params: { run: String(place.run) } });
        else void router.navigate({ to: "/needs-you" });
      }),
    [router],
  );
  return (
    <QueryClientProvider client={client}>
      <TooltipProvider delayDuration={250}>
        <RouterProvider router={router} />
        <Tips />
        <Toaster
          position="bottom-right"
          // One above the other: behind a newer message nobody could read why something failed, and its words would show below it.
          expand
          // Above the line in which a run is guided, and its button.
          offset={{ bottom: 84, right: 24 }}
          // Its own style sheet names another font.
          style={{ fontFamily: "inherit" }}
          toastOptions={{
            unstyled: true,
            closeButtonAriaLabel: "Close the message",
            classNames: {
              toast:
                "flex w-88 items-start gap-3 rounded-lg border border-line-strong bg-panel px-3.5 py-2.5 text-sm text-text shadow-pop",
              title: "wrap-anywhere",
              content: "min-w-0 flex-1",
              description: "text-dim text-xs wrap-anywhere",
              closeButton:
                "order-last -mt-0.5 -mr-1.5 flex size-6 shrink-0 items-center justify-center rounded-md text-faint hover:bg-raised hover:text-text",
              actionButton: "shrink-0 font-medium text-accent",
              error: "border-bad/50",
              icon: "mt-0.5 text-bad",
            },
          }}
        />
      </TooltipProvider>
    </QueryClientProvider>
  );
}
