import { open, save } from "@tauri-apps/plugin-dialog";

/** Asks for a folder; `null` when the person cancels. */
export async function pickFolder(title: string): Promise<string | null> {
  return open({ directory: true, multiple: false, title });
}

/** Asks for the script of the scripted agent; `null` when the person cancels. */
export async function pickScript(title: string): Promise<string | null> {
  return open({ directory: false, multiple: false, title });
}

/** Asks for files; none when the person cancels. */
export async function pickDocuments(title: string): Promise<string[]> {
  return (await open({ directory: false, multiple: true, title })) ?? [];
}

/** Asks where to write a file; `null` when the person cancels. */
export async function pickTarget(title: string, name: string): Promise<string | null> {
  return save({ title, defaultPath: name });
}
