/** Texts that come from elsewhere, made fit to be shown. */

/**
 * Without characters that would steer a terminal or turn the order of the text around: names of devices come from the
 * devices themselves. Tabs and line ends stay.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (c) => (c === '\n' || c === '\t' ? c : '\ufffd'));
}

/** The same JSON, with such characters as escapes. It means what it meant. */
export function printableJson(json: string): string {
  return json.replace(STEERING, (c) => (c === '\n' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));
}

/** Control characters (C0, DEL and C1), and those that change the direction of text. */
const STEERING = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Printable, and all on one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\t\r\n\u2028\u2029]+/g, ' '));
}

/** At most so many characters (UTF-16 code units) from the beginning, never half of a character beyond the basic plane. */
export function startOf(text: string, length: number): string {
  const splits = length < text.length && /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, splits ? length - 1 : length);
}
