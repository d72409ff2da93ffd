/** Saves the drawing as a file, in the colours of the screen. */
import { saveFile } from '../../ui/save-file.ts';
import type { Layout } from './layout.ts';
import { aboutText } from './naming.ts';
import { svgOf } from './svg.ts';
import { texts } from './texts.ts';

export function saveSvg(site: string, layout: Layout, found: ReadonlySet<string> | null): void {
  const colours = getComputedStyle(document.documentElement);
  const colour = (name: string) => colours.getPropertyValue(`--${name}`).trim();
  const palette = {
    background: colour('background'),
    surface: colour('surface'),
    line: colour('line'),
    text: colour('text'),
    muted: colour('muted'),
    good: colour('good'),
    bad: colour('bad'),
    accent: colour('accent'),
  };
  const svg = svgOf(layout, found, palette, {
    title: texts.titleOf(site),
    internet: texts.internet,
    withoutParent: texts.withoutParent,
    counts: ({ devices, down }) => texts.counts(devices, down),
    about: aboutText,
  });
  saveFile(`topology-${site}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
}
