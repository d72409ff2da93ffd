/** The topology as an SVG file that needs nothing else: no style sheet, no script, no font of its own. */
import { type Box, cellBox, type Layout, type PlacedCard, SIZES } from './layout.ts';
import { type Counts, type TopologyDevice, titleOf } from './tree.ts';

export interface Palette {
  background: string;
  surface: string;
  line: string;
  text: string;
  muted: string;
  good: string;
  bad: string;
  accent: string;
}

/** The words of the picture, which depend on the language. */
export interface Words {
  title: string;
  internet: string;
  withoutParent: string;
  counts: (counts: Counts) => string;
  about: (device: TopologyDevice) => string;
}

const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif';
/** Mean width of a character in a text of 13 px. */
const CHARACTER_WIDTH = 7.2;

/** @param found what a search has found: the others are faint, as on the screen; null without a search */
export function svgOf(layout: Layout, found: ReadonlySet<string> | null, palette: Palette, words: Words): string {
  const { width, height, links, cards } = layout;
  const lines = links.map(({ path }) => `<path d="${path}" fill="none" stroke="${palette.line}" stroke-width="1.5"/>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" font-size="13">`,
    `<title>${escapeXml(words.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${palette.background}"/>`,
    ...lines,
    ...cards.map((placed) => cardOf(placed, found, palette, words)),
    '</svg>',
    '',
  ].join('\n');
}

/** Text for XML: escaped, and without the characters that XML has no way to write. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function cardOf(placed: PlacedCard, found: ReadonlySet<string> | null, palette: Palette, words: Words): string {
  const { x, y, width, height, card } = placed;
  const { device, key } = card.branch;
  const title = device === null ? (key === '' ? words.withoutParent : words.internet) : titleOf(device);
  const left = x + SIZES.padding + 8 + (device === null ? 0 : 20);
  const room = x + width - SIZES.padding - left;
  const shape =
    device === null
      ? ''
      : `<g${faint(found, device.key)}>${shapeOf(device, x + SIZES.padding + 14, y + 16, palette)}</g>`;
  return [
    '<g>',
    device === null ? '' : `<title>${escapeXml(words.about(device))}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${palette.surface}" stroke="${found?.has(key) ? palette.accent : palette.line}"/>`,
    shape,
    textOf(title, left, y + 20, room, palette.text, 'font-weight="600"'),
    textOf(words.counts(card.counts), left, y + 38, room, palette.muted, 'font-size="12"'),
    ...card.leaves.map((leaf, index) => leafOf(leaf, cellBox(placed, index), placed.isNamed, found, palette, words)),
    '</g>',
  ].join('');
}

function leafOf(
  device: TopologyDevice,
  { x, y, width, height }: Box,
  isNamed: boolean,
  found: ReadonlySet<string> | null,
  palette: Palette,
  words: Words,
): string {
  const ring = found?.has(device.key)
    ? `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="none" stroke="${palette.accent}" stroke-width="2"/>`
    : '';
  const name = isNamed ? textOf(titleOf(device), x + 28, y + 16.5, width - 28, palette.text, '') : '';
  const shape = shapeOf(device, x + (isNamed ? 14 : 12), y + 12, palette);
  return `<g${faint(found, device.key)}><title>${escapeXml(words.about(device))}</title>${ring}${shape}${name}</g>`;
}

function faint(found: ReadonlySet<string> | null, key: string): string {
  return found === null || found.has(key) ? '' : ' opacity="0.3"';
}

/** The shapes of `StatusShape`. */
function shapeOf({ status }: TopologyDevice, x: number, y: number, { good, bad, muted }: Palette): string {
  if (status === 'online') return `<circle cx="${x}" cy="${y}" r="5" fill="${good}"/>`;
  if (status === 'down') return `<rect x="${x - 4.5}" y="${y - 4.5}" width="9" height="9" fill="${bad}"/>`;
  return `<circle cx="${x}" cy="${y}" r="4" fill="none" stroke="${muted}" stroke-width="2"/>`;
}

function textOf(text: string, x: number, y: number, room: number, colour: string, more: string): string {
  const shown = shortened(text, Math.floor(room / CHARACTER_WIDTH));
  return `<text x="${x}" y="${y}" fill="${colour}" unicode-bidi="isolate" ${more}>${escapeXml(shown)}</text>`;
}

/** SVG does not cut texts by itself. Characters of East Asian scripts are twice as wide. */
function shortened(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  let width = 0;
  let end = 0;
  let endBefore = 0;
  for (const character of line) {
    width += (character.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1;
    if (width > most) return `${line.slice(0, endBefore)}…`;
    endBefore = end;
    end += character.length;
  }
  return line;
}
