/** The key that a shortcut is compared with. */

/**
 * The letter of a key on the standard keyboard, if the layout has no Latin letters: on a Russian, Greek or Hebrew one Ctrl+K is the
 * key in the place of K. Caps Lock does not change a shortcut.
 */
export function shortcut(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  const { key, code, shiftKey } = event;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const isForeign = key.length === 1 && key > "\u007f";
  const ours = isForeign && letter ? letter : key;
  return /^[A-Z]$/.test(ours) && !shiftKey ? ours.toLowerCase() : ours;
}
