import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finished, RunProcess } from '../host/run-process.ts';
import type { ToolContext, ToolSettings } from './tool.ts';
import { traceRoute } from './traceroute.ts';
import { parseTracert } from './tracert.ts';

const ENGLISH = `
Tracing route to 198.51.100.9 over a maximum of 15 hops

  1    <1 ms     1 ms    <1 ms  192.168.1.1
  2     *        *        *     Request timed out.
  3    12 ms     *       11 ms  203.0.113.1
  4    20 ms    21 ms    20 ms  198.51.100.9

Trace complete.
`;
const GERMAN = ENGLISH.replace(
  'Tracing route to 198.51.100.9 over a maximum of',
  'Routenverfolgung zu 198.51.100.9 \ufffdber maximal',
)
  .replace('hops', 'Hops')
  .replace('Request timed out.', 'Zeit\ufffdberschreitung der Anforderung.')
  .replace('Trace complete.', 'Ablaufverfolgung beendet.');

const silent = { address: null, rttMs: null, note: null };
const answer = (address: string, rttMs: number) => ({ address, rttMs, note: null });

test.each([
  ['English', ENGLISH],
  ['German', GERMAN],
  ['German, with the line ends of Windows', GERMAN.replaceAll('\n', '\r\n')],
])('a trace to its end, %s', (_, text) => {
  expect(parseTracert('198.51.100.9', text)).toEqual({
    target: '198.51.100.9',
    reached: true,
    hops: [
      { hop: 1, probes: [answer('192.168.1.1', 1), answer('192.168.1.1', 1), answer('192.168.1.1', 1)] },
      { hop: 2, probes: [silent, silent, silent] },
      { hop: 3, probes: [answer('203.0.113.1', 12), silent, answer('203.0.113.1', 11)] },
      { hop: 4, probes: [20, 21, 20].map((ms) => answer('198.51.100.9', ms)) },
    ],
  });
});

test.each([
  ['  1  192.168.1.7  reports: Destination host unreachable.', [{ address: '192.168.1.7', rttMs: null, note: '!' }]],
  ['  1  192.168.1.7  meldet: Zielhost nicht erreichbar.', [{ address: '192.168.1.7', rttMs: null, note: '!' }]],
  [
    '  3     *        *     192.168.1.7  reports: Destination host unreachable.',
    [silent, silent, { address: '192.168.1.7', rttMs: null, note: '!' }],
  ],
])('who says that it cannot be reached is not the target: %s', (line, probes) => {
  const trace = parseTracert('192.168.1.7', `\nTracing route to 192.168.1.7\n\n${line}\n\nTrace complete.\n`);
  expect(trace).toMatchObject({ reached: false, hops: [{ probes }] });
});

test('IPv6, however it is written', () => {
  const text = '  1     2 ms     2 ms     3 ms  fe80::1%12\n  2     9 ms     9 ms     9 ms  2001:db8::9\n';
  expect(parseTracert('2001:db8:0::9', text)).toMatchObject({ reached: true, hops: [{ hop: 1 }, { hop: 2 }] });
});

test('whatever is printed is read without a fault, and what was measured comes out', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom(...ENGLISH.split('\n'), ...GERMAN.split('\n')));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      for (const { probes } of parseTracert('198.51.100.9', lines.join('\n')).hops) {
        expect(probes.length).toBeLessThanOrEqual(3);
      }
    }),
  );
  const time = fc.option(fc.integer({ min: 1, max: 9_999 }));
  const hop = fc.record({ last: fc.integer({ min: 1, max: 254 }), times: fc.tuple(time, time, time) });
  fc.assert(
    fc.property(fc.array(hop, { minLength: 1, maxLength: 15 }), (hops) => {
      const lines = hops.map(({ last, times }, i) => {
        const fields = times.map((ms) => (ms === null ? '    *   ' : `${String(ms).padStart(5)} ms`)).join(' ');
        const end = times.every((ms) => ms === null) ? 'Przekroczono limit czasu' : `10.1.1.${last}`;
        return `${String(i + 1).padStart(3)} ${fields}  ${end}`;
      });
      const trace = parseTracert('10.9.9.9', lines.join('\r\n'));
      expect(trace.hops.map(({ probes }) => probes.map(({ rttMs }) => rttMs))).toEqual(hops.map(({ times }) => times));
    }),
  );
});

const contextWith = (finished: Partial<Finished>) => {
  const asked: string[] = [];
  const all = { stdout: '', stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
  const run: RunProcess = async (program, args) => {
    asked.push([program, ...args].join(' '));
    return { ...all, ...finished };
  };
  const { signal } = new AbortController();
  const context = {
    run,
    signal,
    rules: { enabled: true },
    settings: {} as ToolSettings,
    onOutput() {},
    onProgress() {},
  };
  return { asked, context: context as ToolContext };
};

test('a trace that is too slow tells how far it came; without a hop, and when it was cancelled, it has failed', async () => {
  const slow = contextWith({ stdout: ENGLISH.slice(0, ENGLISH.indexOf('  3 ')), timedOut: true, code: null });
  expect(await traceRoute('198.51.100.9', slow.context, 'windows')).toMatchObject({
    result: { reached: false, hops: [{ hop: 1 }, { hop: 2 }] },
  });
  expect(slow.asked).toEqual(['tracert -d -h 15 -w 500 -4 198.51.100.9']);
  const nothing = contextWith({ stdout: '\nTracing', timedOut: true });
  await expect(traceRoute('198.51.100.9', nothing.context, 'windows')).rejects.toMatchObject({ reason: 'timed_out' });
  const cancelled = contextWith({ stdout: ENGLISH, aborted: true });
  await expect(traceRoute('198.51.100.9', cancelled.context, 'windows')).rejects.toMatchObject({ reason: 'cancelled' });
  const refused = contextWith({ stdout: 'Unable to contact IP driver. General failure.\r\n', code: 1 });
  await expect(traceRoute('198.51.100.9', refused.context, 'windows')).rejects.toMatchObject({
    message: 'tracert failed: Unable to contact IP driver. General failure.',
  });
});
