import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { ENDED, NETWORK as LAN, pass, seen } from '../../test/support/agent/made-up-lan.ts';
import type { RunProcess } from '../host/run-process.ts';
import { type DhcpServer, DhcpServerSearch, parseDhcpServers } from './dhcp-servers.ts';

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../test/fixtures/discovery', name), 'utf8');
const HOUR = 60 * 60_000;

const place = { address: '10.9.0.1', gateway: '10.9.0.254', range: range('10.9.0.0/24'), cidr: '10.9.0.0/24' };
const NETWORK = { ...LAN, ...place };
const PASS = pass([seen('00:0D:B9:00:00:02', '10.9.0.2')], { network: NETWORK });

/** An agent on this link whose nmap prints a report, and whose arp-scan sees another device there. */
function search(report: string) {
  const runs: string[] = [];
  const seen: [string, DhcpServer[]][] = [];
  const run: RunProcess = async (program, args) => {
    runs.push([program, ...args].join(' '));
    const stdout = program === 'nmap' ? report : '10.9.0.3\t00:11:22:00:00:03\n';
    return { stdout, ...ENDED };
  };
  const servers = new DhcpServerSearch((network, found) => seen.push([network, found]));
  const look = (at: number) => servers.search({ run, signal: new AbortController().signal }, [PASS, PASS], at);
  return { look, runs, seen };
}

test('a second DHCP server is reported, with its MAC', async () => {
  const { look, runs, seen } = search(fixture('two-dhcp-servers.xml'));
  await look(HOUR);
  const servers = [
    { ip: '10.9.0.2', mac: '00:0D:B9:00:00:02' },
    { ip: '10.9.0.3', mac: '00:11:22:00:00:03' },
  ];
  expect(seen).toEqual([['10.9.0.0/24', servers]]);
  expect(runs[0]).toContain(' -e eth0 --script broadcast-dhcp-discover ');
  expect(runs[0]).toContain(`broadcast-dhcp-discover.mac=${NETWORK.mac}`);
});

test('a link is searched once an hour', async () => {
  const { look, seen } = search(fixture('no-dhcp-server.xml'));
  for (const minutes of [0, 1, 59, 60, 61, 119, 120]) await look(HOUR + minutes * 60_000);
  expect(seen).toEqual(Array.from({ length: 3 }, () => ['10.9.0.0/24', []]));
});

test('server identifiers must be addresses, and each counts once', () => {
  const whole = fixture('two-dhcp-servers.xml');
  expect(parseDhcpServers(whole)).toEqual(['10.9.0.2', '10.9.0.3']);
  expect(parseDhcpServers(whole.replaceAll('>10.9.0.3<', '>10.9.0.2<'))).toEqual(['10.9.0.2']);
  expect(parseDhcpServers(whole.replaceAll('>10.9.0.3<', '>--script=x<'))).toEqual(['10.9.0.2']);
});
