import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFamilies } from '../functions/http/text-format.ts';
import { parsePrometheusText, sampleValue } from '../test/support/prometheus-text.ts';
import { openCounters } from './counters.ts';

const DURATION = 'lanreach_http_request_duration_seconds';

test('each request is counted once, and in every bucket that it fits in', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { maxLength: 50 }), (durations) => {
      const counters = openCounters();
      for (const seconds of durations) counters.request('countDevices', 200, seconds);
      const parsed = parsePrometheusText(formatFamilies(counters.families()));
      const of = { operation: 'countDevices' };
      expect(sampleValue(parsed, 'lanreach_http_requests_total', { ...of, status: '200' }) ?? 0).toBe(durations.length);
      for (const { name, labels, value } of parsed.get(DURATION)?.samples ?? []) {
        if (!name.endsWith('_bucket') || labels.le === '+Inf') continue;
        expect(value).toBe(durations.filter((seconds) => seconds <= Number(labels.le)).length);
      }
    }),
  );
});

test('commands by tool and outcome, and how long those took that were started; devices by the status they came to', () => {
  const counters = openCounters();
  counters.command('nmap', 'succeeded', 3);
  counters.command('nmap', 'succeeded', 4);
  counters.command('nmap', 'expired', null);
  counters.presence('down', 2);
  const parsed = parsePrometheusText(formatFamilies(counters.families()));
  const commands = (outcome: string) => sampleValue(parsed, 'lanreach_commands_total', { tool: 'nmap', outcome });
  expect([commands('succeeded'), commands('expired'), commands('failed')]).toEqual([2, 1, undefined]);
  const took = (suffix: string) => sampleValue(parsed, 'lanreach_command_duration_seconds', { tool: 'nmap' }, suffix);
  expect([took('_count'), took('_sum')]).toEqual([2, 7]);
  const came = (to: string) => sampleValue(parsed, 'lanreach_device_transitions_total', { to });
  expect([came('down'), came('online')]).toEqual([2, 0]);
});

test('a request for what there is not is counted without its path', () => {
  const counters = openCounters();
  counters.request(null, 404, 0.001);
  const parsed = parsePrometheusText(formatFamilies(counters.families()));
  expect(sampleValue(parsed, 'lanreach_http_requests_total', { operation: 'none', status: '404' })).toBe(1);
});
