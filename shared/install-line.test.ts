import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PERMIT_HEADER } from './agent/proof.ts';
import { enrolLine, installLine, packageLine, shellWord } from './install-line.ts';

/** The words of a line as a shell would take them; null where anything in it is more than a word. */
function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  let rest = line;
  while (rest !== '') {
    const [whole, text] = /^((?:[\w./:@%+-]|'[^']*'|\\')+)(?: |$)/.exec(rest) ?? [];
    if (whole === undefined || text === undefined) return null;
    words.push(text.replace(/'([^']*)'|\\(')/g, (_, quoted, escaped) => quoted ?? escaped));
    rest = rest.slice(whole.length);
  }
  return words;
}

test('whatever is in a URL or a code stays a single word', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (end, code) => {
      const url = `https://h/${end}`;
      expect(wordsOf(shellWord(url))).toEqual([url]);
      expect(wordsOf(enrolLine(code, url))).toEqual(['lanreach-agent', 'enrol', code, '--url', url]);
      const permit = `${PERMIT_HEADER}: ${code}`;
      const fetched = `${url}/agent/packages/a-1.tgz`;
      expect(wordsOf(packageLine(code, url, 'a-1.tgz'))).toEqual(['curl', '-fsSLO', '--header', permit, fetched]);
      const at = installLine(code, url).indexOf(' | sh ');
      const [fetching, running] = [installLine(code, url).slice(0, at), installLine(code, url).slice(at + 3)];
      fc.pre(!end.includes(' | sh ') && !code.includes(' | sh '));
      expect(wordsOf(fetching)).toEqual(['curl', '-fsSL', `${url}/agent/install.sh`]);
      expect(wordsOf(running)).toEqual(['sh', '-s', '--', '--url', url, '--code', code]);
    }),
  );
});

test('a usual address needs no quotes, so that the line is easy to read', () => {
  expect(installLine('lre_x', 'http://192.168.1.2:8787')).toBe(
    'curl -fsSL http://192.168.1.2:8787/agent/install.sh | sh -s -- --url http://192.168.1.2:8787 --code lre_x',
  );
});
