import { open } from "@tauri-apps/plugin-dialog";

/** Asks for a folder; `null` when the person cancels. */
export async function pickFolder(title: string): Promise<string | null> {
  return open({ directory: true, multiple: false, title });
}

/** Asks for the script of the scripted agent; `null` when the person cancels. */
export async function pickScript(title: string): Promise<string | null> {
  return open({ directory: false, multiple: false, title });
}
