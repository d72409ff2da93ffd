import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultGateway } from '../checks/internet.ts';
import { macosGateway, windowsDefaultRoutes, windowsIpv6Gateway } from './default-routes.ts';

/** German; the words of other languages stand at the same places. */
const ROUTES = `===========================================================================
Schnittstellenliste
  5...00 1e 06 aa bb 02 ......Intel(R) Ethernet Connection
  1...........................Software Loopback Interface 1
===========================================================================

IPv4-Routentabelle
===========================================================================
Aktive Routen:
     Netzwerkziel    Netzwerkmaske          Gateway    Schnittstelle Metrik
          0.0.0.0          0.0.0.0      10.8.0.1         10.8.0.2     75
          0.0.0.0          0.0.0.0      192.168.1.1     192.168.1.7     25
          0.0.0.0          0.0.0.0   Auf Verbindung         10.9.0.2      5
===========================================================================
St\ufffdndige Routen:
  Netzwerkadresse          Netzmaske  Gatewayadresse  Metrik
          0.0.0.0          0.0.0.0    192.168.1.254       1
`;
const ROUTES_IPV6 = `IPv6-Routentabelle
===========================================================================
Aktive Routen:
 If Metrik Netzwerkziel             Gateway
  5    281 ::/0                     fe80::1
  1    331 ::1/128                  Auf Verbindung
`;

test('the routes of Windows to everywhere, the best first', () => {
  const expected = [
    { gateway: '192.168.1.1', from: '192.168.1.7' },
    { gateway: '10.8.0.1', from: '10.8.0.2' },
  ];
  expect(windowsDefaultRoutes(ROUTES)).toEqual(expected);
  expect(windowsDefaultRoutes(ROUTES.replaceAll('\n', '\r\n'))).toEqual(expected);
  expect(windowsIpv6Gateway(ROUTES_IPV6)).toBe('fe80::1%5');
  expect(windowsIpv6Gateway(ROUTES_IPV6.replace('::/0 ', '::/1 '))).toBeNull();
});

test('the gateway of macOS', () => {
  const text =
    '   route to: default\ndestination: default\n       mask: default\n    gateway: 192.168.1.1\n  interface: en0\n';
  expect(macosGateway(text)).toBe('192.168.1.1');
  expect(macosGateway('route: writing to routing socket: not in table\n')).toBeNull();
});

test('whatever is printed is read without a fault', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom(...ROUTES.split('\n'), ...ROUTES_IPV6.split('\n')));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const text = lines.join('\n');
      for (const { gateway } of windowsDefaultRoutes(text)) expect(gateway).toMatch(/^[\d.]+$/);
      windowsIpv6Gateway(text);
      macosGateway(text);
    }),
  );
});

test('a system is asked for its gateway in its own way', async () => {
  const asked: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    asked.push([program, ...args].join(' '));
    const stdout = args.includes('-4') ? '' : ROUTES_IPV6;
    return { stdout, stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
  };
  expect(await defaultGateway(run, new AbortController().signal, 'windows')).toBe('fe80::1%5');
  expect(asked).toEqual(['route print -4 0.0.0.0', 'route print -6']);
});
