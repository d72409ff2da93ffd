import { expect, test } from 'vitest';
import { PlannedCheck } from '../../../shared/agent/plan.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { type Addresses, madeChecks } from './check-makers.ts';
import type { CheckSettings, StoredCheck } from './check-store.ts';

const SETTINGS = { label: 'x', everySeconds: 60, agents: 'auto', enabled: true, createdAt: '', createdBy: '' } as const;
const NOWHERE: Addresses = { ofDevice: () => null, ofSite: () => null };

function agent(name: string, ...networks: string[]): Agent {
  const details = { version: null, programs: {}, capabilities: [], load: null, discovery: null, update: null };
  const connection = { since: null, protocol: 4, problem: null, offlineReason: null, host: null, limitedUntil: null };
  return { id: `home:${name}`, state: 'online', networks, ...connection, ...details };
}

function madeOf(given: Partial<CheckSettings> & Pick<CheckSettings, 'kind'>, agents: Agent[], addresses = NOWHERE) {
  const check: StoredCheck = { id: '0000000000aa', ...SETTINGS, ...given };
  const [made] = madeChecks([check], agents, addresses);
  return made ?? expect.fail('nothing made');
}

const A = agent('a', '10.0.0.0/24');
const B = agent('b', '192.168.1.0/24', '192.168.2.0/24');
const C = agent('c', '192.168.1.0/24');
const D = agent('d', '0.0.0.0/0');

test('by themselves two agents make a check: those in the network of the target, then by name', () => {
  const makers = (given: Parameters<typeof madeOf>[0], agents = [D, C, B, A]) => madeOf(given, agents).makers;
  expect(makers({ kind: 'ping', host: '192.168.1.9' })).toEqual(['b', 'c']);
  expect(makers({ kind: 'http', url: 'https://192.168.2.9/' })).toEqual(['b', 'a']);
  expect(makers({ kind: 'http', url: 'https://[fd00::1]/' })).toEqual(['a', 'b']);
  // No agent is attached to the whole internet, whatever it reports.
  expect(makers({ kind: 'tcp', host: '203.0.113.9', port: 1 })).toEqual(['a', 'b']);
  expect(makers({ kind: 'ping', host: 'nas.lan' }, [C])).toEqual(['c']);
  expect(makers({ kind: 'internet' }, [])).toEqual([]);
});

test('the probe is for the present address of the device or the site, and null while that is unknown', () => {
  const there: Addresses = { ofDevice: () => '192.168.1.9', ofSite: () => 'vpn.example.org' };
  const device = '00:1E:06:AA:BB:01';
  // The probe has what the check has, and this.
  for (const [given, more, away] of [
    [{ kind: 'ping', device }, { device: undefined, host: '192.168.1.9' }, null],
    [{ kind: 'tcp', device, port: 445 }, { device: undefined, host: '192.168.1.9' }, null],
    [{ kind: 'ping', host: 'nas.lan' }, {}],
    [{ kind: 'http', url: 'http://nas/' }, { status: '200-399' }],
    [{ kind: 'http', url: 'http://nas/', status: '401', text: 'x' }, {}],
    [{ kind: 'dns', name: 'example.org' }, { record: 'A' }],
    [{ kind: 'internet' }, { anchors: ['1.1.1.1', '9.9.9.9'] }],
    [{ kind: 'site', toSite: 'cabin' }, { toSite: undefined, host: 'vpn.example.org', site: 'cabin' }, null],
  ] as [Parameters<typeof madeOf>[0], object, null?][]) {
    const made = madeOf(given, [A], there);
    const probe = { ...given, ...more };
    expect(made.probe).toEqual(probe);
    expect(PlannedCheck.safeParse({ id: made.check.id, everySeconds: 60, probe: made.probe }).success).toBe(true);
    expect(madeOf(given, [A]).probe).toEqual(away === null ? null : probe);
  }
});
