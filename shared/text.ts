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

/** What nobody sees: format controls, characters without a shape (tags, fillers, selectors of variants), a blank letter. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{e0000}-\u{e0fff}\u2800]/u;
/** Marks that stand above and below a letter. A text in a living script has hardly more than four of them at one. */
const MARK = /[\p{Mn}\p{Me}]/u;
const MOST_MARKS = 4;
const MAY_BE_ILLEGIBLE = new RegExp(`${UNSEEN.source}|(?:${MARK.source}){${MOST_MARKS + 1}}`, 'u');

const EMOJI = /\p{Extended_Pictographic}/u;
/** What can end an emoji before a joiner. */
const EMOJI_END = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const SHAPED = [
  'Arab',
  'Beng',
  'Deva',
  'Gujr',
  'Guru',
  'Khmr',
  'Knda',
  'Mlym',
  'Mong',
  'Mymr',
  'Orya',
  'Sinh',
  'Syrc',
  'Taml',
  'Telu',
  'Tibt',
];
/** Scripts in which joiners change the shape of letters (RFC 5892 appendix A). */
const SHAPED_SCRIPT = SHAPED.map((script) => `\\p{scx=${script}}`).join('');
const SHAPED_LETTER = new RegExp(`(?=\\p{L})[${SHAPED_SCRIPT}]`, 'u');
const SHAPED_CHARACTER = new RegExp(`[${SHAPED_SCRIPT}]`, 'u');

/**
 * Removes what a person does not see but a program or a language model reads, such as tags and zero-width characters, and
 * marks beyond the fourth at one letter. Emoji, and joiners in scripts that need them, stay. What is made of it is never
 * longer, and is not changed by a second time.
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

/** Whether a selector of a variant stands where an emoji is: after it, or in a keycap such as `1️⃣`. */
function selects(last: string, next: string): boolean {
  return EMOJI.test(last) || (/^[0-9#*]$/.test(last) && next === '\u20e3');
}

function joins(last: string, character: string, next: string): boolean {
  if (character === '\u200d' && EMOJI_END.test(last) && EMOJI.test(next)) return true;
  const isJoiner = character === '\u200c' || character === '\u200d';
  return isJoiner && SHAPED_CHARACTER.test(last) && !UNSEEN.test(last) && SHAPED_LETTER.test(next);
}

/** The same data, which consists of what JSON can hold, with each text in it legible. */
export function legibleData<Data>(data: Data): Data {
  return eachText(data) as Data;
}

function eachText(data: unknown): unknown {
  if (typeof data === 'string') return legible(data);
  if (Array.isArray(data)) return data.map(eachText);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [legible(key), eachText(value)]));
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
