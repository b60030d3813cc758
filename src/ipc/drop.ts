import { getCurrentWebview } from "@tauri-apps/api/webview";

/** Files dragged over the window, by absolute paths. */
export type Dragged = { type: "over" } | { type: "left" } | { type: "dropped"; paths: string[] };

/** Reports files dragged over the window and dropped on it, until the returned function is called. */
export function onFilesDragged(tell: (dragged: Dragged) => void): () => void {
  const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === "drop") tell({ type: "dropped", paths: payload.paths });
    else tell({ type: payload.type === "leave" ? "left" : "over" });
  });
  return () => void listening.then((stop) => stop());
}
