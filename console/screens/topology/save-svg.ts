/** Saves the drawing as a file, in the colours of the screen. */
import { texts } from '../../text/texts.ts';
import { saveFile } from '../../ui/save-file.ts';
import type { Layout } from './layout.ts';
import { aboutText } from './naming.ts';
import { svgOf } from './svg.ts';

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
    title: texts.topology.titleOf(site),
    internet: texts.topology.internet,
    withoutParent: texts.topology.withoutParent,
    counts: ({ devices, down }) => texts.topology.counts(devices, down),
    about: aboutText,
  });
  saveFile(`topology-${site}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
}
