import "./styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenForTopics, queries } from "@/ipc";
import { startTheme } from "@/lib/theme";
import { startZoom } from "@/lib/zoom";
import { App } from "./app";
import { makeQueryClient } from "./client";
import { makeRouter } from "./router";

startTheme();
startZoom();
const client = makeQueryClient();
const router = makeRouter();
// Before any request: a commit between an answer and the start of listening would go unnoticed. A window that can't listen still shows what
// it requests.
await listenForTopics(client).catch(() => undefined);
// Prefetches everything in the frame and on the first page, before any of it is rendered.
void client.prefetchQuery(queries.recentProjects());
void client.prefetchQuery(queries.reviews());
void client.prefetchQuery(queries.sinceLook());
if (["", "#/", "#/features"].includes(location.hash)) void client.prefetchQuery(queries.features());
// The frame in index.html stays until the first page can be rendered completely: its code, and the data that decides which page it is.
await Promise.all([
  client.prefetchQuery(queries.project()),
  client.prefetchQuery(queries.overview()),
  router.load().catch(() => undefined),
]);
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App client={client} router={router} />
    </StrictMode>,
  );
}
