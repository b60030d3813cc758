import { getCurrentWebview } from "@tauri-apps/api/webview";

/** Draws the whole window larger or smaller; 1 is its actual size. */
export async function zoomWindow(factor: number): Promise<void> {
  await getCurrentWebview().setZoom(factor);
}
