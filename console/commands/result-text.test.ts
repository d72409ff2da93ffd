import { expect, test } from 'vitest';
import { summaryOf, TOOL, TOOLS, type Tool, type ToolResult } from '../../shared/tools/list.ts';
import { resultText } from './result-text.ts';

const succeeded = (summary: ReturnType<typeof summaryOf>) => resultText({ state: 'succeeded', reason: null, summary });

test('each tool has a summary of its example', () => {
  const texts = TOOLS.map((tool: Tool) => [
    tool,
    succeeded(summaryOf(tool, TOOL[tool].result.parse(TOOL[tool].example.result) as ToolResult)),
  ]);
  expect(Object.fromEntries(texts)).toEqual({
    nmap: '1 open port',
    arpscan: '13 devices online',
    traceroute: '1 hop · 0.2 ms',
    speedtest: '248/48.4 Mbit/s',
    nslookup: 'nas.lan',
    internetinfo: '203.0.113.7, Example Networks',
    interfaces: '1 interface',
    wakeonlan: '1 packet sent',
  });
});

test.each([
  [{ hosts: 0, openPorts: 0 }, 'no answer'],
  [{ hosts: 1, openPorts: 0 }, 'no open ports'],
  [{ hosts: 12, openPorts: 34 }, '12 hosts · 34 open ports'],
  [{ hops: 20, reached: false, rttMs: 3 }, 'target not reached'],
  [{ answers: [], answerCount: 0 }, 'not found'],
  [{ answers: ['10.0.0.1', '10.0.0.2', '10.0.0.3'], answerCount: 9 }, '10.0.0.1, 10.0.0.2, 10.0.0.3 and 6 more'],
  [{ packets: 3, awakeAfterMs: 0 }, 'already awake'],
  [{ packets: 3, awakeAfterMs: 14_000 }, 'awake after 14 s'],
  [{}, 'done'],
  [null, 'done'],
])('%j is %j', (summary, text) => expect(succeeded(summary)).toBe(text));

test('a job without success has its reason or its state', () => {
  const job = { summary: null, reason: null };
  expect(resultText({ ...job, state: 'failed', reason: 'timed_out' })).toBe('timed out');
  expect(resultText({ ...job, state: 'cancelled', reason: 'cancelled' })).toBe('stopped');
  expect(resultText({ ...job, state: 'running' })).toBe('running');
});
