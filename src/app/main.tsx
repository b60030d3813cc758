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
// Nothing is shown before this is known; it is asked while the page is still being made.
void client.prefetchQuery(queries.project());
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App client={client} router={makeRouter()} />
    </StrictMode>,
  );
}
