/** The last line of a terminal, which shows how far a command is. */
import { oneLine } from '../../shared/text.ts';
import type { Stream } from './world.ts';

const BAR_CELLS = 20;
/** To the first column, and clear up to the end of the line. */
const CLEAR = '\r\x1b[K';

interface ProgressLine {
  /** @param percent null when unknown */
  show(phase: string, percent: number | null): void;
  /** Takes the line away, so that something else can be written. */
  clear(): void;
}

/** @param stream without a terminal, nothing is shown */
export function progressLine(stream: Pick<Stream, 'isTTY' | 'columns' | 'write'>): ProgressLine {
  let isShown = false;
  return {
    show(phase, percent) {
      if (!stream.isTTY) return;
      const text = percent === null ? oneLine(phase) : `${bar(percent)} ${Math.round(percent)} % ${oneLine(phase)}`;
      // A longer text would wrap, and its first line would stay.
      stream.write(`${CLEAR}${[...text].slice(0, (stream.columns || 80) - 1).join('')}`);
      isShown = true;
    },
    clear() {
      if (isShown) stream.write(CLEAR);
      isShown = false;
    },
  };
}

function bar(percent: number): string {
  const full = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`;
}
