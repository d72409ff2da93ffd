import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Result } from './checks.ts';
import { report, withoutSecrets, withoutSite } from './report.ts';

const HEADING = { phase: 'after', version: '1.2.3', at: new Date('2026-11-01T08:15:00Z'), region: 'eu-central-1' };
const RESULT: Result = { title: 'The sky is up', outcome: 'passed', facts: ['It took\n  a look'], durationMs: 1500 };

test('what was found, in the order of the checks', () => {
  expect(report(HEADING, [RESULT, { ...RESULT, outcome: 'failed', facts: [] }], [], null)).toBe(
    [
      '# Proof of a deployment: after',
      '',
      `LanReach 1.2.3, region eu-central-1, 2026-11-01T08:15:00.000Z, Node.js ${process.version}`,
      '',
      '1 passed, 1 failed, 0 unclear.',
      '',
      '## passed: The sky is up',
      '',
      '- It took a look',
      '- took 1.5 s',
      '',
      '## failed: The sky is up',
      '',
      '- took 1.5 s',
      '',
    ].join('\n'),
  );
});

test.each([
  ['lr_0123456789abcdef.AbCd-_~x', '<token>'],
  ['whsec_MDEyMzQ1Njc4OWFi', '<secret>'],
  ['AKIAIOSFODNN7EXAMPLE', '<access key>'],
  ['arn:aws:iot:eu-central-1:123456789012:cert/x', 'arn:aws:iot:eu-central-1:<account>:cert/x'],
  [
    'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/prod/',
    'https://<api>.execute-api.eu-central-1.amazonaws.com/prod/',
  ],
  ['a1b2c3d4e5f6g7-ats.iot.eu-central-1.amazonaws.com', '<account>-ats.iot.eu-central-1.amazonaws.com'],
  ['0a'.repeat(32), '<certificate>'],
  ['ops+lan@example.org', '<mail>'],
  ['from 192.168.1.20:443.', 'from <address>:443.'],
  ['2001:db8::1.', '<address>.'],
  ['fe80::1%eth0: refused', '<address>: refused'],
  ['[::ffff:10.0.0.7]:443', '[<address>]:443'],
  ['2001:db8:0:0:0:0:0:1', '<address>'],
  ['00:1E:06:00:00:01', '<address>'],
  ['arn:aws:iam::123456789012:user/ops/jane.doe is', 'arn:aws:iam::<account>:user/<name> is'],
  ['arn:aws:sts::123456789012:assumed-role/Admin/jane@example.org', 'arn:aws:sts::<account>:assumed-role/<name>'],
  ['arn:aws:iam::123456789012:role/Admin', 'arn:aws:iam::<account>:role/<name>'],
  ['arn:aws:iam::aws:policy/x at 08:15:00, version 1.2.3', 'arn:aws:iam::aws:policy/x at 08:15:00, version 1.2.3'],
  ['412.5 ms, 1800 devices', '412.5 ms, 1800 devices'],
])('%s is told as %s', (text, told) => {
  expect(withoutSecrets(`it was ${text}`, [])).toBe(`it was ${told}`);
});

test('a secret is nowhere in the report, wherever it was', () => {
  const secret = fc.string({ minLength: 8, unit: fc.constantFrom(...'abcXYZ019_.') });
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
      const facts = [`${before}${hidden}${after}`, hidden];
      expect(withoutSecrets(facts.join(' '), [hidden])).not.toContain(hidden);
    }),
  );
});

test.each([
  ['the thing cabin:main-2 of cabin.', 'the thing <agent> of <site>.'],
  ['GET /sites/cabin/agents', 'GET /sites/<site>/agents'],
  ['topic/lr/v1/prod/p/prod:cabin:main', 'topic/lr/v1/prod/p/prod:<agent>'],
  ['cabins, my-cabin, cabin-2', 'cabins, my-cabin, cabin-2'],
])('the site and its agents are left out of %s', (text, told) => {
  expect(withoutSite(text, 'cabin')).toBe(told);
  expect(report(HEADING, [{ ...RESULT, facts: [text] }], [], 'cabin')).toContain(`- ${told}\n`);
});

test('no address is in the report, in whatever sentence it was', () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6().filter((one) => one !== '::'),
  );
  fc.assert(
    fc.property(
      address,
      fc.constantFrom(' ', '"', '(', '='),
      fc.constantFrom('', '.', ': refused', ')', '"'),
      (ip, before, after) => {
        expect(withoutSecrets(`from${before}${ip}${after}`, [])).toBe(`from${before}<address>${after}`);
      },
    ),
  );
});
