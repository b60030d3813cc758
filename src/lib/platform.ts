/** Whether the window runs on a Mac, where ⌘ and ⌥ do what Ctrl and Alt do elsewhere. */
export const onMac = () => navigator.userAgent.includes("Macintosh");

/** A key by its name on this system's keyboard. */
export const keyName = (key: string) => (onMac() ? key.replace("Ctrl", "⌘").replace("Alt", "⌥") : key);
