import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finished, RunProcess } from '../host/run-process.ts';
import { parseMacosPing, parseWindowsPing } from './other-pings.ts';
import { ping } from './ping.ts';

const ENGLISH = `
Pinging 192.168.1.1 with 32 bytes of data:
Reply from 192.168.1.1: bytes=32 time=2ms TTL=64
Reply from 192.168.1.1: bytes=32 time<1ms TTL=64
Request timed out.
Reply from 192.168.1.1: bytes=32 time=6ms TTL=64

Ping statistics for 192.168.1.1:
    Packets: Sent = 4, Received = 3, Lost = 1 (25% loss),
Approximate round trip times in milli-seconds:
    Minimum = 0ms, Maximum = 6ms, Average = 2ms
`;
const SAME = { measured: { rttMs: 3, sent: 4, lost: 1, jitterMs: 3 }, complaint: null };

/** As they are printed in a code page that is not UTF-8, and read as if it were: letters are lost, and numbers are not. */
const GERMAN = `
Ping wird ausgef\ufffdhrt f\ufffdr 192.168.1.1 mit 32 Bytes Daten:
Antwort von 192.168.1.1: Bytes=32 Zeit=2ms TTL=64
Antwort von 192.168.1.1: Bytes=32 Zeit<1ms TTL=64
Zeit\ufffdberschreitung der Anforderung.
Antwort von 192.168.1.1: Bytes=32 Zeit=6ms TTL=64

Ping-Statistik f\ufffdr 192.168.1.1:
    Pakete: Gesendet = 4, Empfangen = 3, Verloren = 1
    (25% Verlust),
Ca. Zeitangaben in Millisek.:
    Minimum = 0ms, Maximum = 6ms, Mittelwert = 2ms
`;

/** With a blank before the unit and before the colon. */
const FRENCH = `
Envoi d'une requ\ufffdte 'Ping'  192.168.1.1 avec 32 octets de donn\ufffdes :
R\ufffdponse de 192.168.1.1 : octets=32 temps=2 ms TTL=64
R\ufffdponse de 192.168.1.1 : octets=32 temps<1ms TTL=64
D\ufffdlai d'attente de la demande d\ufffdpass\ufffd.
R\ufffdponse de 192.168.1.1 : octets=32 temps=6 ms TTL=64

Statistiques Ping pour 192.168.1.1:
    Paquets : envoy\ufffds = 4, re\ufffdus = 3, perdus = 1 (perte 25%),
`;

test.each([
  ['English', ENGLISH],
  ['German', GERMAN],
  ['English, with the line ends of Windows', ENGLISH.replaceAll('\n', '\r\n')],
])('the ping of Windows, %s', (_, text) => {
  expect(parseWindowsPing(text, '192.168.1.1')).toEqual(SAME);
});

test('a language that puts its word in front of the percentage', () => {
  expect(parseWindowsPing(FRENCH, '192.168.1.1')).toEqual(SAME);
});

test('what a router or this host says is no answer, although Windows counts it as received', () => {
  const text = (from: string, ...words: string[]) =>
    `\nPinging 10.0.0.9 with 32 bytes of data:\n${`${words[0]} ${from}: ${words[1]}\n`.repeat(2)}\nPing statistics for 10.0.0.9:\n    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),\n`;
  const expected = {
    measured: { rttMs: null, sent: 2, lost: 2, jitterMs: null },
    complaint: '10.0.0.2 says that it cannot be reached',
  };
  expect(parseWindowsPing(text('10.0.0.2', 'Reply from', 'Destination host unreachable.'), '10.0.0.9')).toEqual(
    expected,
  );
  expect(parseWindowsPing(text('10.0.0.2', 'Antwort von', 'Zielhost nicht erreichbar.'), '10.0.0.9')).toEqual(expected);
});

test('IPv6 answers have neither size nor TTL', () => {
  const text = `
Pinging fe80::1%5 with 32 bytes of data:
Reply from fe80::1%5: time=3ms
Reply from fe80::1%5: time<1ms

Ping statistics for fe80::1%5:
    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),
`;
  expect(parseWindowsPing(text, 'fe80::1%5')?.measured).toEqual({ rttMs: 2, sent: 2, lost: 0, jitterMs: 2 });
});

test('the ping of macOS, and its ping6', () => {
  const ipv4 = `PING 192.168.1.1 (192.168.1.1): 56 data bytes
64 bytes from 192.168.1.1: icmp_seq=0 ttl=64 time=2.000 ms
Request timeout for icmp_seq 1
64 bytes from 192.168.1.1: icmp_seq=2 ttl=64 time=4.000 ms
64 bytes from 192.168.1.1: icmp_seq=2 ttl=64 time=9.000 ms (DUP!)

--- 192.168.1.1 ping statistics ---
3 packets transmitted, 2 packets received, +1 duplicates, 33.3% packet loss
round-trip min/avg/max/stddev = 2.000/3.000/4.000/1.000 ms
`;
  expect(parseMacosPing(ipv4)?.measured).toEqual({ rttMs: 3, sent: 3, lost: 1, jitterMs: 2 });
  const ipv6 = `PING6(56=40+8+8 bytes) fe80::2%en0 --> fe80::1%en0
16 bytes from fe80::1%en0, icmp_seq=0 hlim=64 time=1.500 ms

--- fe80::1%en0 ping6 statistics ---
1 packets transmitted, 1 packets received, 0.0% packet loss
`;
  expect(parseMacosPing(ipv6)?.measured).toMatchObject({ rttMs: 1.5, sent: 1, lost: 0 });
  const unreachable =
    '36 bytes from 10.0.0.1: Destination Host Unreachable\n\n2 packets transmitted, 0 packets received, 100.0% packet loss\n';
  expect(parseMacosPing(unreachable)).toMatchObject({ complaint: '10.0.0.1 says: Destination Host Unreachable' });
});

test('whatever is printed is read without a fault, and never as more than there were', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(...ENGLISH.split('\n'), ...GERMAN.split('\n'), ...FRENCH.split('\n')),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      for (const report of [parseWindowsPing(lines.join('\n'), '192.168.1.1'), parseMacosPing(lines.join('\n'))]) {
        if (report === null) continue;
        expect(report.measured.lost).toBeGreaterThanOrEqual(0);
        expect(report.measured.sent).toBeGreaterThanOrEqual(report.measured.lost);
        expect((report.complaint ?? '').length).toBeLessThan(200);
      }
    }),
  );
});

test('a check uses the program of its system', async () => {
  const asked: string[][] = [];
  const printing = (stdout: string): RunProcess => {
    return async (program, args) => {
      asked.push([program, ...args]);
      return {
        stdout,
        stderr: '',
        code: 0,
        signal: null,
        timedOut: false,
        aborted: false,
        truncated: false,
      } as Finished;
    };
  };
  const { signal } = new AbortController();
  expect(await ping(printing(GERMAN), '192.168.1.1', signal, 'windows')).toEqual({
    fault: null,
    measured: SAME.measured,
  });
  const silent = GERMAN.replace(/^Antwort.*$/gm, 'Zeit\ufffdberschreitung der Anforderung.').replace('= 3', '= 0');
  expect(await ping(printing(silent), '192.168.1.1', signal, 'windows')).toMatchObject({
    fault: 'no answer to 4 pings',
  });
  await ping(printing('1 packets transmitted, 0 packets received, 100% packet loss'), 'fe80::1', signal, 'macos');
  expect(asked.map(([program, ...args]) => `${program} ${args.join(' ')}`)).toEqual([
    'ping -4 -n 5 -w 1200 192.168.1.1',
    'ping -4 -n 5 -w 1200 192.168.1.1',
    'ping6 -n -c 5 -i 0.2 fe80::1',
  ]);
});
