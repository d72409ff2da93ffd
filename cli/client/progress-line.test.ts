import { expect, test } from 'vitest';
import { progressLine } from './progress-line.ts';

function shownOn(terminal: { isTTY: boolean; columns?: number }, act: (line: ReturnType<typeof progressLine>) => void) {
  const written: string[] = [];
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  act(progressLine({ columns: 80, ...terminal, write } as NodeJS.WriteStream));
  return written;
}

test('a terminal shows phase and bar on one line, which can be taken away', () => {
  const written = shownOn({ isTTY: true }, (line) => {
    line.show('SYN scan', 50);
    line.show('waiting\x1b[31m\nred', null);
    line.clear();
    line.clear();
  });
  expect(written).toEqual([
    `\r\x1b[K${'█'.repeat(10)}${'░'.repeat(10)} 50 % SYN scan`,
    '\r\x1b[Kwaiting\ufffd[31m red',
    '\r\x1b[K',
  ]);
});

test('the line is never longer than the terminal, and no number makes the bar so', () => {
  for (const percent of [-5, 0, 100, 1e9]) {
    const [text = ''] = shownOn({ isTTY: true, columns: 30 }, (line) => line.show('x'.repeat(100), percent));
    expect([...text].length).toBeLessThanOrEqual('\r\x1b[K'.length + 29);
  }
});

test('without a terminal nothing is shown', () => {
  expect(shownOn({ isTTY: false }, (line) => line.show('SYN scan', 50))).toEqual([]);
});
