/** Makes visible, by name, the characters that a terminal or screen would interpret, hide or mirror. */

/**
 * What `ralph_core::visible` calls hidden or a line end, without the tab. A line feed counts: a text is passed line by line.
 * A test compares the two lists.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each character is meant by itself.
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const EACH_UNSEEN = new RegExp(UNSEEN.source, "gu");

export type Piece = { text: string; unseen: boolean };

/** A text in pieces: plain text, and the names of such characters. */
export function harmless(text: string): Piece[] {
  if (!UNSEEN.test(text)) return text === "" ? [] : [{ text, unseen: false }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(EACH_UNSEEN)) {
    if (joins(character, text, index)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), unseen: false });
    pieces.push({ text: nameOf(character), unseen: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), unseen: false });
  return pieces;
}

/** What a joiner may follow: emoji, joining signs, and scripts written with joiners. Next to other letters it only hides something. */
const JOINED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{scx=Arab}]$/u;
const PICTURE = /\p{Extended_Pictographic}$/u;

/** Whether a joiner, or a selector between an emoji and a plain sign, is used as intended. */
function joins(character: string, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (character === "\u200c" || character === "\u200d") return JOINED.test(before);
  return (character === "\ufe0e" || character === "\ufe0f") && PICTURE.test(before);
}

/** ASCII names of the controls: few fonts have glyphs for them. */
const CONTROLS =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US";
const NAMES = CONTROLS.split(" ");

/** The name of a control character, or the code point. */
function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = code === 0x7f ? "DEL" : NAMES[code];
  if (name) return name;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
