import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINISHED } from '../../test/support/agent/finished.ts';
import type { Finished, RunProcess } from '../host/run-process.ts';
import { NotSent } from './finding.ts';
import { parsePing, ping, pingArgs } from './ping.ts';

const HEAD = 'PING 10.0.0.7 (10.0.0.7) 56(84) bytes of data.\n';
const replyOf = (sequence: number, ms: number | string) =>
  `64 bytes from 10.0.0.7: icmp_seq=${sequence} ttl=64 time=${ms} ms\n`;
const summary = (sent: number, received: number, more = '') =>
  `\n--- 10.0.0.7 ping statistics ---\n${sent} packets transmitted, ${received} received,${more} ${Math.round((1 - received / sent) * 100)}% packet loss, time 812ms\n`;

test('round trips, loss and jitter', () => {
  const all = HEAD + replyOf(1, '1.00') + replyOf(2, '3.00') + replyOf(4, '2.00') + summary(5, 3);
  expect(parsePing(all)).toEqual({ rttMs: 2, sent: 5, lost: 2, jitterMs: 1.5 });
  expect(parsePing(HEAD + replyOf(3, '0.040') + summary(5, 1))).toMatchObject({ rttMs: 0.04, lost: 4, jitterMs: null });
  expect(parsePing(HEAD + summary(5, 0))).toEqual({ rttMs: null, sent: 5, lost: 5, jitterMs: null });
});

test('IPv6 with a zone, and answers that come twice or late', () => {
  const six = '64 bytes from fe80::1%eth0: icmp_seq=1 ttl=64 time=0.218 ms\n';
  expect(parsePing(`PING fe80::1%eth0(fe80::1%eth0) 56 data bytes\n${six}${summary(1, 1)}`)).toMatchObject({ lost: 0 });
  const twice = HEAD + replyOf(2, '5') + replyOf(1, '9') + replyOf(1, '700').replace(' ms', ' ms (DUP!)');
  expect(parsePing(twice + summary(2, 2, ' +1 duplicates,'))).toEqual({ rttMs: 7, sent: 2, lost: 0, jitterMs: 4 });
});

test('any answers are measured as they were', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.double({ min: 0.001, max: 5_000, noNaN: true })), { minLength: 1, maxLength: 100 }),
      (rtts) => {
        const texts = rtts.map((ms) => (ms === null ? null : ms.toFixed(3)));
        const lines = texts.flatMap((ms, i) => (ms === null ? [] : [replyOf(i + 1, ms)]));
        const known = texts.flatMap((ms) => (ms === null ? [] : [Number(ms)]));
        const measured = parsePing(HEAD + lines.join('') + summary(rtts.length, known.length));
        expect(measured).toMatchObject({ sent: rtts.length, lost: rtts.length - known.length });
        if (known.length > 0) expect(measured?.rttMs).toBeCloseTo(known.reduce((a, b) => a + b) / known.length, 6);
      },
    ),
  );
});

test('the target is the last argument, after the end of options', () => {
  expect(pingArgs('fe80::1%eth0')).toEqual(['-n', '-c', '5', '-i', '0.2', '-W', '2', '--', 'fe80::1%eth0']);
  expect(pingArgs('10.0.0.7').slice(-2)).toEqual(['--', '10.0.0.7']);
});

test('the reason quotes the program; without a route all packets are lost, without permission to send there is no loss', async () => {
  const { signal } = new AbortController();
  const printing =
    (printed: Partial<Finished>): RunProcess =>
    async () => ({ ...FINISHED, code: 2, ...printed });
  const unreachable = `${HEAD}From 10.0.0.1 icmp_seq=1 Destination Host Unreachable\n${summary(5, 0, ' +5 errors,')}`;
  expect(await ping(printing({ stdout: unreachable }), '10.0.0.7', signal)).toMatchObject({
    fault: 'no answer to 5 pings; 10.0.0.1 says: Destination Host Unreachable',
    measured: { sent: 5, lost: 5 },
  });
  const noRoute = await ping(printing({ stderr: 'ping: connect: Network is unreachable\n' }), '10.0.0.7', signal);
  expect(noRoute).toMatchObject({ fault: 'connect: Network is unreachable', measured: { sent: 5, lost: 5 } });
  const forbidden = printing({ stderr: 'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\n' });
  await expect(ping(forbidden, '10.0.0.7', signal)).rejects.toThrow(NotSent);
  await expect(ping(printing({ stdout: unreachable }), '-f', signal)).rejects.toThrow(NotSent);
  const unknown = printing({ stdout: 'PING 10.0.0.7\n10.0.0.7 is alive\n', code: 0 });
  await expect(ping(unknown, '10.0.0.7', signal)).rejects.toThrow('its output cannot be read: 10.0.0.7 is alive');
});
