import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINISHED } from '../../test/support/agent/finished.ts';
import type { RunProcess } from '../host/run-process.ts';
import { ping } from './ping.ts';
import { readPing } from './ping-report.ts';

const IPV4 = `PING 192.168.1.1 (192.168.1.1): 56 data bytes
64 bytes from 192.168.1.1: icmp_seq=0 ttl=64 time=2.000 ms
Request timeout for icmp_seq 1
64 bytes from 192.168.1.1: icmp_seq=2 ttl=64 time=4.000 ms
64 bytes from 192.168.1.1: icmp_seq=2 ttl=64 time=9.000 ms (DUP!)

--- 192.168.1.1 ping statistics ---
3 packets transmitted, 2 packets received, +1 duplicates, 33.3% packet loss
round-trip min/avg/max/stddev = 2.000/3.000/4.000/1.000 ms
`;

test('the ping of macOS, and its ping6', () => {
  expect(readPing(IPV4)?.measured).toEqual({ rttMs: 3, sent: 3, lost: 1, jitterMs: 2 });
  const ipv6 = `PING6(56=40+8+8 bytes) fe80::2%en0 --> fe80::1%en0
16 bytes from fe80::1%en0, icmp_seq=0 hlim=64 time=1.500 ms

--- fe80::1%en0 ping6 statistics ---
1 packets transmitted, 1 packets received, 0.0% packet loss
`;
  expect(readPing(ipv6)?.measured).toMatchObject({ rttMs: 1.5, sent: 1, lost: 0 });
  const unreachable =
    '36 bytes from 10.0.0.1: Destination Host Unreachable\n\n2 packets transmitted, 0 packets received, 100.0% packet loss\n';
  expect(readPing(unreachable)).toMatchObject({ complaint: '10.0.0.1 says: Destination Host Unreachable' });
});

const PRINTED = {
  BusyBox: `64 bytes from 192.0.2.1: seq=0 ttl=64 time=0.500 ms
64 bytes from 192.0.2.1: seq=1 ttl=64 time=0.700 ms

2 packets transmitted, 2 packets received, 0% packet loss
round-trip min/avg/max = 0.500/0.600/0.700 ms`,
  'GNU inetutils': `64 bytes from 192.0.2.1: icmp_seq=0 ttl=64 time=0,500 ms
64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.700ms

2 packets transmitted, 2 packets received, 0% packet loss`,
  'old iputils': `64 bytes from 192.0.2.1: icmp_req=1 ttl=64 time=0.5 ms
64 bytes from 192.0.2.1: icmp_req=2 ttl=64 time=0.7 ms

2 packets transmitted, 2 received, 0% packet loss, time 999ms`,
  'iputils in German': `64 Bytes von 192.0.2.1: icmp_seq=1 ttl=64 Zeit=0.5 ms
64 Bytes von 192.0.2.1: icmp_seq=2 ttl=64 Zeit=0.7 ms

2 Pakete übertragen, 2 empfangen, 0% Paketverlust, Zeit 1001ms`,
  'iputils in Chinese': `64 字节，来自 192.0.2.1: icmp_seq=1 ttl=64 时间=0.5 毫秒
64 字节，来自 192.0.2.1: icmp_seq=2 ttl=64 时间=0.7 毫秒 (DUP!)

已发送 2 个包， 已接收 2 个包, 0% packet loss, time 1001ms`,
};

test.each(Object.entries(PRINTED))('what %s prints is read by its shape', (_, answers) => {
  const { measured } = readPing(`PING\n${answers}\n`) ?? {};
  expect(measured).toMatchObject({ sent: 2, lost: 0 });
  expect(measured?.rttMs).toBeCloseTo(0.6);
});

test('answers that cannot be read are no loss: the report is none', () => {
  expect(readPing('PING\nalive\nalive\n\n2 packets transmitted, 2 received, 0% packet loss\n')).toBeNull();
  expect(readPing('PING\n64 bytes: icmp_seq=1 ttl=64\n\n1 packets transmitted, 1 received, 0% loss\n')).toBeNull();
});

test('whatever is printed is read without a fault, and never as more than there were', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('5 packets transmitted, 3 received', ...IPV4.split('\n')));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const report = readPing(lines.join('\n'));
      if (report === null) return;
      expect(report.measured.lost).toBeGreaterThanOrEqual(0);
      expect(report.measured.sent).toBeGreaterThanOrEqual(report.measured.lost);
      expect((report.complaint ?? '').length).toBeLessThan(200);
    }),
  );
});

test('a check uses the program of its system', async () => {
  const commands: string[] = [];
  const printing = (stdout: string): RunProcess => {
    return async (program, args) => {
      commands.push([program, ...args].join(' '));
      return { ...FINISHED, stdout };
    };
  };
  const { signal } = new AbortController();
  await ping(printing(IPV4), '192.168.1.1', signal, 'macos');
  await ping(printing('1 packets transmitted, 0 packets received, 100% packet loss'), 'fe80::1', signal, 'macos');
  expect(commands).toEqual(['ping -n -c 5 -i 0.2 -W 2000 192.168.1.1', 'ping6 -n -c 5 -i 0.2 fe80::1']);
});
