import "./styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "@/ipc";
import { startTheme } from "@/lib/theme";
import { App } from "./app";
import { makeQueryClient } from "./client";
import { makeRouter } from "./router";

startTheme();
const client = makeQueryClient();
const router = makeRouter();
// Everything that the frame and the first page say is asked for at once, before any of them exists.
void client.prefetchQuery(queries.recentProjects());
void client.prefetchQuery(queries.reviews());
void client.prefetchQuery(queries.sinceLook());
if (["", "#/", "#/features"].includes(location.hash)) void client.prefetchQuery(queries.features());
// The frame in index.html stays until the first page can be drawn whole: its code and what decides which page it is.
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
