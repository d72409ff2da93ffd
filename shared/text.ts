/** Sanitizes texts from outside for display, and formats numbers. */

/** Replaces what controls a terminal or the text's direction: names come from devices. Keeps tabs and line ends. */
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

/** Invisible characters: format controls, characters without a glyph (tags, fillers, variation selectors), a blank letter. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{e0000}-\u{e0fff}\u2800]/u;
/** Marks above and below a letter. Living scripts hardly ever have more than four at one. */
const MARK = /[\p{Mn}\p{Me}]/u;
const MOST_MARKS = 4;
const MAY_BE_ILLEGIBLE = new RegExp(`${UNSEEN.source}|(?:${MARK.source}){${MOST_MARKS + 1}}`, 'u');

const EMOJI = /\p{Extended_Pictographic}/u;
/** What can end an emoji before a joiner. */
const EMOJI_END = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
/** Scripts in which joiners change the shape of letters (RFC 5892 appendix A). */
const SHAPED = 'Arab Beng Deva Gujr Guru Khmr Knda Mlym Mong Mymr Orya Sinh Syrc Taml Telu Tibt';
const SHAPED_SCRIPT = SHAPED.replace(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`);
const SHAPED_LETTER = new RegExp(`(?=\\p{L})[${SHAPED_SCRIPT}]`, 'u');
const SHAPED_CHARACTER = new RegExp(`[${SHAPED_SCRIPT}]`, 'u');

/**
 * Removes characters that people do not see but programs and language models read, such as tags and zero-width characters,
 * and marks beyond the fourth at one letter. Keeps emoji, and joiners in scripts that need them. Idempotent; the result is
 * never longer.
 */
export function legible(text: string): string {
  if (!MAY_BE_ILLEGIBLE.test(text)) return text;
  const characters = [...text];
  let shown = '';
  let last = '';
  let marks = 0;
  for (const [i, character] of characters.entries()) {
    const next = characters[i + 1] ?? '';
    const isSelector = character === '\ufe0e' || character === '\ufe0f';
    if (isSelector ? !selects(last, next) : UNSEEN.test(character) && !joins(last, character, next)) continue;
    if (!isSelector) marks = MARK.test(character) ? marks + 1 : 0;
    if (marks > MOST_MARKS) continue;
    shown += character;
    last = character;
  }
  return shown;
}

/** Whether a variation selector belongs to an emoji: after it, or in a keycap such as `1️⃣`. */
function selects(last: string, next: string): boolean {
  return EMOJI.test(last) || (/^[0-9#*]$/.test(last) && next === '\u20e3');
}

function joins(last: string, character: string, next: string): boolean {
  if (character === '\u200d' && EMOJI_END.test(last) && EMOJI.test(next)) return true;
  const isJoiner = character === '\u200c' || character === '\u200d';
  return isJoiner && SHAPED_CHARACTER.test(last) && !UNSEEN.test(last) && SHAPED_LETTER.test(next);
}

/** The same JSON data, with each text in it legible. */
export function legibleData<Data>(data: Data): Data {
  return eachText(data) as Data;
}

function eachText(data: unknown): unknown {
  if (typeof data === 'string') return legible(data);
  if (Array.isArray(data)) return data.map(eachText);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [legible(key), eachText(value)]));
}

/** Truncates to a number of characters (UTF-16 code units), without splitting a surrogate pair. */
export function startOf(text: string, length: number): string {
  const splits = length < text.length && /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, splits ? length - 1 : length);
}

/** An integer in English: `10,000`. Not by `toLocaleString`, which loads all locales: a fifth of a function's start time. */
export function thousands(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',');
}
