/** Makes texts from outside safe to show, and numbers readable. */

/**
 * Replaces characters that would control a terminal or change the direction of text, because device names come from the
 * devices. Tabs and line ends are kept.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (c) => (c === '\n' || c === '\t' ? c : '\ufffd'));
}

/** The same JSON with such characters as escapes, which does not change its meaning. */
export function printableJson(json: string): string {
  return json.replace(STEERING, (c) => (c === '\n' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));
}

/** Control characters (C0, DEL and C1), and bidirectional controls. */
const STEERING = /[\p{Cc}\p{Bidi_Control}]/gu;

/** As `printable`, and all on one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\t\r\n\u2028\u2029]+/g, ' '));
}

/** At most so many characters (UTF-16 code units) from the beginning, without splitting a surrogate pair. */
export function startOf(text: string, length: number): string {
  const splits = length < text.length && /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, splits ? length - 1 : length);
}

/**
 * A whole number as English texts have it: `10,000`. Not by `toLocaleString`, which looks into the tables of all
 * languages first: a fifth of the time that a function takes to start.
 */
export function thousands(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',');
}
