/** Saves the drawing as a file in the colours of the screen. */
import texts from 'messages:map';
import { saveFile } from '../../ui/save-file.ts';
import { showToast } from '../../ui/toast.tsx';
import type { Layout, Size } from './layout.ts';
import { COLOURS, svgOf } from './svg.ts';

/** Limits of a canvas. */
const MAX_PIXELS = 60_000_000;
const MAX_SIDE = 16_000;

export async function saveDrawing(
  format: 'svg' | 'png',
  site: string,
  layout: Layout,
  found: ReadonlySet<string> | null,
): Promise<void> {
  const svg = new Blob([fileOf(site, layout, found)], { type: 'image/svg+xml' });
  if (format === 'svg') {
    saveFile(`map-${site}.svg`, svg);
    return;
  }
  const png = await pictureOf(svg, layout).catch(() => null);
  if (png === null) showToast(texts.notSaved);
  else saveFile(`map-${site}.png`, png);
}

function fileOf(site: string, layout: Layout, found: ReadonlySet<string> | null): string {
  const colours = getComputedStyle(document.documentElement);
  // Browsers resolve `light-dark()` only on an element.
  const probe = document.body.appendChild(document.createElement('i'));
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color || colours.color;
  };
  const palette = Object.fromEntries(COLOURS.map((name) => [name, colour(name)])) as Parameters<typeof svgOf>[2];
  probe.remove();
  return svgOf(layout, found, palette, texts.titleOf({ site }));
}

/** At twice the resolution of the screen, within the limits of a canvas. */
async function pictureOf(svg: Blob, { width, height }: Size): Promise<Blob | null> {
  const scale = Math.min(2, MAX_SIDE / Math.max(width, height), Math.sqrt(MAX_PIXELS / (width * height)));
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
