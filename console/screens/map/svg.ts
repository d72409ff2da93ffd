/** The map as a self-contained SVG file: no style sheet, script or font. */
import texts from 'messages:map';
import { linesOfKind } from '../../ui/kind-icon.tsx';
import { type Box, cellBox, type Layout, type PlacedCard, type PlacedLink, SIZES, shortPort } from './layout.ts';
import { aboutText, addressOf, titleOfBranch } from './naming.ts';
import { type TopologyDevice, titleOf } from './tree.ts';

/** Names of colours in the theme. */
export const COLOURS = ['background', 'surface', 'line', 'control-line', 'text', 'muted', 'bad', 'accent'] as const;
type Palette = Record<(typeof COLOURS)[number], string>;

interface Look {
  found: ReadonlySet<string> | null;
  palette: Palette;
}

const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif';
/** Mean width of a character in a text of 13 px. */
const CHARACTER_WIDTH = 7.2;

export function svgOf(layout: Layout, found: ReadonlySet<string> | null, palette: Palette, title: string): string {
  const { width, height, links, cards } = layout;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" font-size="13">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${palette.background}"/>`,
    ...links.map((link) => linkOf(link, palette)),
    ...cards.map((placed) => cardOf(placed, { found, palette })),
    '</svg>',
    '',
  ].join('\n');
}

/** Escaped, and without the characters that XML cannot represent. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function linkOf({ path, port, label, isDown }: PlacedLink, { 'control-line': link, bad, muted }: Palette): string {
  const line = `<path d="${path}" fill="none" stroke="${isDown ? bad : link}" stroke-width="${isDown ? 2 : 1.25}"/>`;
  if (port === '') return line;
  return `${line}<text x="${label.x}" y="${label.y}" fill="${muted}" font-size="10.5" text-anchor="end" unicode-bidi="isolate">${escapeXml(shortPort(port))}</text>`;
}

function cardOf(placed: PlacedCard, look: Look): string {
  const { found, palette } = look;
  const { x, y, width, height, card } = placed;
  const { device, key } = card.branch;
  const left = x + SIZES.padding + (device === null ? 0 : 34);
  const room = x + width - SIZES.padding - left;
  const address = device === null ? '' : addressOf(device);
  const { devices: count, down } = card.branch.counts;
  const counts = texts.counts({ count, down });
  return [
    '<g>',
    device === null ? '' : `<title>${escapeXml(aboutText(device))}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="${palette.surface}" stroke="${found?.has(key) ? palette.accent : palette.line}"/>`,
    device === null ? '' : iconOf(device, x + SIZES.padding + 2, y + 13, look),
    textOf(titleOfBranch(card.branch), left, y + 21, room, palette.text, 'font-weight="600"'),
    textOf(address === '' ? counts : `${address} · ${counts}`, left, y + 37, room, palette.muted, 'font-size="11"'),
    ...card.leaves.map((leaf, index) => leafOf(leaf, cellBox(placed, index), look)),
    '</g>',
  ].join('');
}

function leafOf(device: TopologyDevice, { x, y, width, height }: Box, look: Look): string {
  const { found, palette } = look;
  const ring = found?.has(device.key)
    ? `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="none" stroke="${palette.accent}" stroke-width="2"/>`
    : '';
  const name = textOf(titleOf(device), x + 28, y + 16.5, width - 28, palette.text, '');
  const icon = iconOf(device, x + 3, y + 3, look);
  return `<g><title>${escapeXml(aboutText(device))}</title>${ring}${icon}${name}</g>`;
}

function iconOf(device: TopologyDevice, x: number, y: number, { found, palette }: Look): string {
  const { bad, muted, text, surface } = palette;
  const { status } = device;
  const colour = status === 'down' ? bad : status === 'online' ? text : muted;
  const [cx, cy] = [x + 16, y + 16];
  const shape =
    status === 'online'
      ? ''
      : status === 'down'
        ? `<rect x="${cx - 4}" y="${cy - 4}" width="8" height="8" fill="${bad}" stroke="${surface}"/>`
        : `<circle cx="${cx}" cy="${cy}" r="3" fill="${surface}" stroke="${muted}" stroke-width="1.5"/>`;
  const faint = found === null || found.has(device.key) ? '' : ' opacity="0.3"';
  return `<g${faint}><path transform="translate(${x} ${y}) scale(0.75)" d="${linesOfKind(device.type)}" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>${shape}</g>`;
}

function textOf(text: string, x: number, y: number, room: number, colour: string, more: string): string {
  const shown = shortened(text, Math.floor(room / CHARACTER_WIDTH));
  return `<text x="${x}" y="${y}" fill="${colour}" unicode-bidi="isolate" ${more}>${escapeXml(shown)}</text>`;
}

/** SVG does not truncate. East Asian characters are twice as wide. */
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
