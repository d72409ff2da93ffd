import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ErrorBody } from '../../shared/errors.ts';
import { tools } from './endpoint.ts';
import { explainedFailure, succeeded } from './results.ts';
import type { AssistantTool } from './tools.ts';

const JOB = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';
const tool = (name: string): AssistantTool => tools.get(name) ?? expect.fail(`no tool ${name}`);
const FAILURE = { success: false, error: 'x', code: 'command_failed', requestId: 'r' } as const;
const advisor = { sites: () => 'Call list_sites.', agents: async () => 'Sites with a connected agent: home.' };

test('of a long output the beginning is shown, in whole lines, and the note says where to go on', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ maxLength: 200 }).map((text) => text.replaceAll('\n', ' ')),
        { maxLength: 400 },
      ),
      (lines): void => {
        const { structuredContent } = succeeded(tool('run_nmap'), { success: true, output: lines, result: null }, JOB);
        const shown = structuredContent as { output: string[]; note?: string };
        const whole = lines.join('\n');
        if (whole.length <= 16_000) return void expect(shown).toMatchObject({ output: lines });
        const from = Number(/ add (\d+) to its argument from/.exec(shown.note ?? '')?.[1]);
        expect(`${shown.output.join('\n')}\n${whole.slice(from)}`).toBe(whole);
        expect(shown.note).toContain(JOB);
      },
    ),
  );
});

test('a result that is too long is left out, and one that cannot be shortened is refused with advice', () => {
  const result = { hosts: Array.from({ length: 3_000 }, (_, i) => ({ address: `10.0.0.${i}`, ports: [] })) };
  const shown = succeeded(tool('run_nmap'), { success: true, output: ['up'], result }, JOB).structuredContent;
  expect(shown).toMatchObject({ result: null, output: ['up'], note: expect.stringContaining('left out') });
  const devices = Array.from({ length: 2_000 }, () => ({ devName: 'x'.repeat(100) }));
  expect(succeeded(tool('list_devices'), { devices }, null)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('smaller limit') }],
  });
});

test('a model gets nothing that a person would not see', async () => {
  const hidden = [...'wake'].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join('');
  const devices = [{ devName: `nas${hidden}\u200b`, [`x${hidden}`]: 'Küche 👨‍👩‍👧' }];
  const { content, structuredContent } = succeeded(tool('list_devices'), { devices }, null);
  expect(structuredContent).toEqual({ devices: [{ devName: 'nas', x: 'Küche 👨‍👩‍👧' }] });
  expect(JSON.parse((content[0] as { text: string }).text)).toEqual(structuredContent);
  const error: ErrorBody = { ...FAILURE, message: `no${hidden}`, details: `why${hidden}` };
  const refused = await explainedFailure(tool('run_nmap'), error, null, advisor);
  expect(JSON.stringify(refused)).toMatch(/no \(command_failed\).*Last words of the tool: why\\n/);
});

test('a refused field is named as the argument that stands for it', async () => {
  const errors = [{ path: 'devLastIP', message: 'expected an IP address' }];
  const error: ErrorBody = { ...FAILURE, code: 'validation_failed', message: 'devLastIP: expected', errors };
  const { content } = await explainedFailure(tool('run_traceroute'), error, null, advisor);
  expect(content).toMatchObject([
    { text: expect.stringContaining('Input validation error: target: expected an IP address') },
  ]);
});

test('the codes beside sentences are left out, and a bare array becomes an object', () => {
  expect(succeeded(tool('get_latest_device'), [], null).structuredContent).toEqual({ devices: [] });
  const answer = { checks: [{ reason: 'no answer', reasonCode: { code: 'no-answer', values: {} } }] };
  expect(succeeded(tool('list_devices'), answer, null).structuredContent).toEqual({
    checks: [{ reason: 'no answer' }],
  });
});
