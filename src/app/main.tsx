import "./styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startTheme } from "@/lib/theme";
import { App } from "./app";
import { makeQueryClient } from "./client";
import { makeRouter } from "./router";

startTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App client={makeQueryClient()} router={makeRouter()} />
    </StrictMode>,
  );
}
