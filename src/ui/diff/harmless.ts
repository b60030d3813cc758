/** Makes visible, by name, the characters that a terminal or screen would interpret, hide or mirror. */

/** C0 and C1 controls, zero-width characters, those that change the direction of text, and tags. A tab is allowed. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;
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

/** A joiner within an emoji or a script that needs it is legitimate: it hides something only beside plain letters. */
function joins(character: string, text: string, at: number): boolean {
  return (character === "\u200d" || character === "\u200c") && at > 0 && text.charCodeAt(at - 1) > 0x7f;
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
