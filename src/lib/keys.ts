/** The key that a shortcut is compared with. */

/**
 * The letter that stands on a key of the usual keyboard, where the layout has none of ours: on a Russian, Greek or Hebrew one Ctrl+K is the
 * key where K stands. Caps Lock makes no other shortcut of a letter.
 */
export function shortcut(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const { key, code, shiftKey } = event;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const isForeign = key.length === 1 && key > "\u007f";
  const ours = isForeign && letter ? letter : key;
  return /^[A-Z]$/.test(ours) && !shiftKey ? ours.toLowerCase() : ours;
}
