import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIp, formatRange, range } from '../../shared/network.ts';
import { Command, type CommandJson, TOOLS, type Tool } from '../../shared/tools/list.ts';
import { NMAP_MODES, type NmapMode } from '../../shared/tools/nmap.ts';
import type { Attachment } from '../host/network.ts';
import { withoutAllowed } from '../tools/target-policy.ts';
import {
  type AgentPolicy,
  type CommandKind,
  checkCommand,
  describePolicy,
  hasRoom,
  mayWait,
  narrowed,
  parsePolicy,
} from './policy.ts';

const DEFAULTS = parsePolicy({});
const HOST: Attachment = { networks: [], addresses: [], interfaceNames: new Set(['lo', 'eth0']) };

const nmap = (target: string, mode: NmapMode = 'fast') => ({ tool: 'nmap' as const, target, mode });
/** What the agent makes of a command that has come in. */
const refusalOf = (policy: AgentPolicy, command: CommandJson, host = HOST) =>
  checkCommand(policy, Command.parse(command), host);
const check = (command: CommandJson, policy: unknown = {}, networks: string[] = [], addresses: string[] = []) =>
  refusalOf(parsePolicy(policy), command, { ...HOST, networks: networks.map(range), addresses: addresses.map(range) })
    ?.reason ?? 'allowed';

describe('nmap by default', () => {
  test.each([
    ...'10.0.0.1 10.77.1.0/24 172.16.0.1 172.31.255.255 192.168.1.7/24 100.64.0.1 100.127.255.0/24'.split(' '),
    ...'169.254.7.7 127.0.0.1 fd00::1 fd77:1::70/125 fe80::1%eth0 ::1 ::ffff:10.0.0.1'.split(' '),
  ])('%s is local', (target) => expect(check(nmap(target))).toBe('allowed'));

  test.each([
    ...'8.8.8.8 172.32.0.1 100.128.0.1 192.169.0.1 9.255.255.255 2001:db8::1 fec0::1 ::ffff:8.8.8.8'.split(' '),
    ...'::8.8.8.8 ::10.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::a00:1 2002:a00:1::1'.split(' '), // IPv4-compatible, NAT64, 6to4
  ])('%s is outside', (target) => expect(check(nmap(target))).toBe('target_not_allowed'));

  test.each(['fe80::1', 'fe80::1%eth9', 'fe80::/64'])('%s is no target on this host', (target) =>
    expect(check(nmap(target))).toBe('invalid_target'),
  );

  test.each(['0.0.0.0', '224.0.0.1', '255.255.255.255', '::', 'ff02::1', 'router', '10.0.0'])(
    '%s is no target, and no command',
    (target) => expect(Command.safeParse(nmap(target)).success).toBe(false),
  );

  test('networks of the host itself are local, whatever their addresses', () => {
    expect(check(nmap('203.0.113.0/28'), {}, ['203.0.113.0/24'])).toBe('allowed');
    expect(check(nmap('203.0.112.0/23'), {}, ['203.0.113.0/24'])).toBe('target_not_allowed');
    expect(check(nmap('2001:db8::/120'), {}, ['2001:db8::/64'])).toBe('allowed');
  });

  test.each<[string, NmapMode, string]>([
    ['10.0.0.0/22', 'fast', 'allowed'],
    ['10.0.0.0/21', 'fast', 'target_not_allowed'],
    ['10.0.0.0/22', 'normal', 'allowed'],
    ['10.0.0.0/24', 'detail', 'allowed'],
    ['10.0.0.0/23', 'detail', 'target_not_allowed'],
    ['10.0.0.0/23', 'skipdiscovery', 'target_not_allowed'],
    ['fd00::/118', 'fast', 'allowed'],
    ['fd00::/117', 'fast', 'target_not_allowed'],
    ['fd00::/64', 'fast', 'target_not_allowed'],
    ['10.0.0.0/8', 'fast', 'target_not_allowed'],
  ])('size: %s in mode %s is %s', (target, mode, expected) => expect(check(nmap(target, mode))).toBe(expected));

  test('of UDP each mode spends seconds on an address', () => {
    const udp = (target: string, mode: NmapMode) => refusalOf(DEFAULTS, { ...nmap(target, mode), protocol: 'udp' });
    for (const mode of NMAP_MODES) {
      expect(udp('10.0.0.0/24', mode)).toBeNull();
      expect(udp('10.0.0.0/23', mode)?.message).toContain(`at most 256 in mode ${mode} of UDP`);
    }
  });

  test('a refusal says what was refused, and why', () => {
    expect(refusalOf(DEFAULTS, nmap('10.0.0.0/8'))?.message).toBe(
      '10.0.0.0/8 holds 16777216 addresses; this agent scans at most 1024 in mode fast',
    );
    expect(refusalOf(DEFAULTS, nmap('8.8.8.8'))?.message).toContain('8.8.8.8');
    expect(refusalOf(DEFAULTS, nmap('fe80::1%eth9'))?.message).toContain('eth9');
  });
});

/** Traceroute and nslookup may look outside; a link-local address needs an interface only where packets are sent to it. */
test.each<[CommandJson, string]>([
  [{ tool: 'traceroute', target: '8.8.8.8' }, 'allowed'],
  [{ tool: 'traceroute', target: '2001:db8::1' }, 'allowed'],
  [{ tool: 'nslookup', query: '8.8.8.8' }, 'allowed'],
  [{ tool: 'nslookup', query: 'example.org' }, 'allowed'],
  [{ tool: 'traceroute', target: 'fe80::1' }, 'invalid_target'],
  [{ tool: 'traceroute', target: 'fe80::1%eth0' }, 'allowed'],
  [{ tool: 'traceroute', target: 'fe80::1%wlan0' }, 'invalid_target'],
  [{ tool: 'nslookup', query: 'fe80::1' }, 'allowed'],
  [{ tool: 'nslookup', query: 'fe80::1%wlan0' }, 'invalid_target'],
])('by default, %j is: %s', (command, expected) => expect(check(command)).toBe(expected));

describe("cloud metadata and the agent's own host", () => {
  const METADATA = ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '100.100.100.200', 'fd20:ce::254'];
  const OWN = ['127.0.0.1', '::1', '192.168.1.7', 'fd77::7', 'fe80::7'];
  const own = (command: CommandJson, policy: unknown = {}) =>
    check(command, policy, ['192.168.1.0/24', 'fd77::/64'], OWN);
  const kept = (target: string, rules: object = {}) =>
    withoutAllowed(parsePolicy({ nmap: rules }).nmap, range(target)).map((one) => formatRange(one.range));

  test.each([...METADATA, 'fe80::a9fe:a9fe%eth0', '169.254.170.2'])('no tool and no mode reaches %s', (target) => {
    for (const mode of NMAP_MODES) {
      expect(check(nmap(target, mode))).toBe('target_not_allowed');
      expect(check(nmap(target, mode), { nmap: { outside: true } })).toBe('target_not_allowed');
    }
    expect(check({ tool: 'traceroute', target })).toBe('target_not_allowed');
    expect(check({ tool: 'nslookup', query: target })).toBe('target_not_allowed');
  });

  test.each(['64:ff9b::a9fe:a9fe', '64:ff9b::a9fe:a900/120', '2002:a9fe:a9fe::1', 'fe80::5efe:a9fe:a9fe%eth0'])(
    'nor by the spelling %s',
    (target) => {
      expect(check(nmap(target), { nmap: { outside: true } })).toBe('target_not_allowed');
      expect(check(nmap(target), { nmap: { outside: true, allow: ['169.254.169.254'] } })).toBe('allowed');
    },
  );

  test.each(['127.0.0.1', '127.0.0.3', '127.9.0.0/28', '::1', '::ffff:127.0.0.1', '192.168.1.7', 'fd77::7'])(
    'every mode looks at %s, unless the operator denies it',
    (target) => {
      for (const mode of NMAP_MODES) {
        expect(own(nmap(target, mode))).toBe('allowed');
        expect(own(nmap(target, mode), { nmap: { deny: [target] } })).toBe('target_not_allowed');
      }
      if (!target.includes('/')) expect(own({ tool: 'traceroute', target })).toBe('allowed');
    },
  );

  test('allow brings them back', () => {
    for (const target of METADATA) {
      expect(check(nmap(target), { nmap: { allow: [target] } })).toBe('allowed');
      expect(check({ tool: 'traceroute', target }, { traceroute: { allow: [target] } })).toBe('allowed');
      expect(check({ tool: 'nslookup', query: target }, { nslookup: { allow: [target] } })).toBe('allowed');
      expect(check(nmap(target), { nmap: { allow: [target], deny: [target] } })).toBe('target_not_allowed');
    }
  });

  test('of a range that holds such addresses and others, the others are scanned', () => {
    expect(kept('192.168.1.0/24')).toEqual([]);
    expect(own(nmap('169.254.168.0/22', 'fast'))).toBe('allowed');
    expect(kept('169.254.168.0/22')).toEqual(['169.254.169.254', '169.254.170.2', '169.254.170.23']);
    expect(kept('fd00:ec2::200/120')).toEqual(['fd00:ec2::254']);
  });

  test('a refusal says why, and what to add to the policy', () => {
    const refusal = (command: CommandJson) => refusalOf(DEFAULTS, command, { ...HOST, addresses: OWN.map(range) });
    expect(refusal({ tool: 'traceroute', target: '169.254.169.254' })?.message).toBe(
      'This agent does not send traceroute to 169.254.169.254 (cloud metadata); ' +
        "to allow it, add 169.254.169.254 to traceroute.allow in the agent's policy file",
    );
    expect(refusal({ tool: 'nslookup', query: '64:ff9b::a9fe:a9fe' })?.message).toContain(
      '(leads to 169.254.169.254, cloud metadata)',
    );
  });
});

describe('a policy of the operator', () => {
  test('can switch a tool off', () => {
    for (const tool of ['speedtest', 'internetinfo', 'interfaces'] as const) {
      expect(check({ tool }, { [tool]: { enabled: false } })).toBe('target_not_allowed');
    }
    expect(check(nmap('10.0.0.1'), { nmap: { enabled: false } })).toBe('target_not_allowed');
  });

  test('can allow targets outside', () => {
    expect(check(nmap('198.51.100.7'), { nmap: { allow: ['198.51.100.0/24'] } })).toBe('allowed');
    expect(check(nmap('198.51.101.7'), { nmap: { allow: ['198.51.100.0/24'] } })).toBe('target_not_allowed');
    expect(check(nmap('8.8.8.8'), { nmap: { outside: true } })).toBe('allowed');
    const inside = { traceroute: { outside: false } };
    expect(check({ tool: 'traceroute', target: '8.8.8.8' }, inside)).toBe('target_not_allowed');
  });

  test('denies outweigh everything, for a range that touches them too', () => {
    const policy = { nmap: { allow: ['10.0.0.0/8'], deny: ['10.0.0.5'] } };
    expect(check(nmap('10.0.0.5'), policy)).toBe('target_not_allowed');
    expect(check(nmap('::ffff:10.0.0.5'), policy)).toBe('target_not_allowed');
    expect(check(nmap('10.0.0.0/29'), policy)).toBe('target_not_allowed');
    expect(check(nmap('10.0.0.8/29'), policy)).toBe('allowed');
    const query = { tool: 'nslookup', query: '10.0.0.5' } as const;
    expect(check(query, { nslookup: { deny: ['10.0.0.0/24'] } })).toBe('target_not_allowed');
  });

  test.each([
    ...'64:ff9b::a00:5 64:ff9b::a00:0/120 64:ff9b:1::a00:5 64:ff9b:1:a00:0:500:: 64:ff9b:1:a:0:5::'.split(' '),
    ...'64:ff9b:1:0:a:0:500:: 2002:a00:5::1 ::a00:5 ::ffff:a00:5 ::ffff:0:a00:5 fe80::5efe:a00:5%eth0'.split(' '),
    ...['fd00::200:5efe:a00:5', '2001:db8::5efe:a00:5', '2001:0:a00:5::', '2001::f5ff:fffa'], // Teredo: server, client
  ])('a denied IPv4 address stays denied as %s', (target) => {
    for (const outside of [true, false]) {
      const allow = ['::/0', '0.0.0.0/0'];
      expect(check(nmap(target), { nmap: { outside, allow, deny: ['10.0.0.5'] } })).toBe('target_not_allowed');
      expect(check(nmap(target), { nmap: { outside, allow, deny: ['10.9.0.5'] } })).toBe('allowed');
    }
    const command = { tool: 'nslookup', query: target } as const;
    if (!target.includes('/')) expect(check(command, { nslookup: { deny: ['10.0.0.5'] } })).toBe('target_not_allowed');
  });

  test('a denied MAC is never woken, however it is written', () => {
    const policy = { wakeonlan: { deny: ['001e.06aa.bb01'] } };
    expect(check({ tool: 'wakeonlan', mac: '00-1e-06-aa-bb-01' }, policy)).toBe('target_not_allowed');
    expect(check({ tool: 'wakeonlan', mac: '00-1e-06-aa-bb-02' }, policy)).toBe('allowed');
    expect(check({ tool: 'wakeonlan', mac: '00-1e-06-aa-bb-01', verify: true }, policy)).toBe('target_not_allowed');
    // Packets to a group are possible, but no device answers as a group.
    expect(check({ tool: 'wakeonlan', mac: '01-1e-06-aa-bb-02' }, policy)).toBe('allowed');
    expect(check({ tool: 'wakeonlan', mac: '01-1e-06-aa-bb-02', verify: true }, policy)).toBe('invalid_target');
  });

  test('sets the size of scans', () => {
    const policy = { nmap: { maxAddresses: 16, maxAddressesSlow: 1 } };
    expect(check(nmap('10.0.0.0/28'), policy)).toBe('allowed');
    expect(check(nmap('10.0.0.0/27'), policy)).toBe('target_not_allowed');
    expect(check(nmap('10.0.0.0/31', 'detail'), policy)).toBe('target_not_allowed');
  });
});

describe('reading a policy', () => {
  test('what is left out has its default', () => {
    expect(DEFAULTS.concurrency).toMatchObject({ total: 8, nmap: 2, speedtest: 1 });
    const targets = { enabled: true, outside: false, allow: [], deny: [] };
    expect(DEFAULTS.nmap).toEqual({ ...targets, maxAddresses: 1024, maxAddressesSlow: 256 });
    expect(parsePolicy({ concurrency: { nmap: 1 } }).concurrency).toMatchObject({ total: 8, nmap: 1 });
  });

  test.each<[unknown, string]>([
    [{ nmap: { alow: [] } }, 'nmap'],
    [{ nmpa: {} }, 'nmpa'],
    [{ nmap: { allow: ['10.0.0.0/33'] } }, 'nmap.allow.0'],
    [{ nmap: { deny: ['10.0.0.1', 'fe80::1%eth0'] } }, 'nmap.deny.1'],
    [{ wakeonlan: { deny: ['no mac'] } }, 'wakeonlan.deny.0'],
    [{ nmap: { maxAddresses: 0 } }, 'nmap.maxAddresses'],
    [{ concurrency: { total: 'many' } }, 'concurrency.total'],
    [{ speedtest: { enabled: 'no' } }, 'speedtest.enabled'],
    [{ discovery: { networks: 'all' } }, 'malformed: discovery'],
    [{ discovery: { networks: ['fd00::/64'] } }, 'malformed: discovery'],
    [{ discovery: { networks: ['10.0.0.0/33'] } }, 'malformed: discovery'],
    [{ discovery: { maxAddresses: 0 } }, 'malformed: discovery'],
    [{ discovery: { enabled: true } }, 'malformed: discovery'],
    [{ discovery: { recognize: 'no' } }, 'malformed: discovery'],
    [[], 'policy'],
    [null, 'policy'],
    ['{}', 'policy'],
  ])('%j is refused, and the field is named', (json, field) => {
    expect(() => parsePolicy(json)).toThrow(field);
  });

  test('the summary names recognition where it is not allowed', () => {
    expect(describePolicy(DEFAULTS)).not.toContain('recognition');
    const policy = parsePolicy({ discovery: { recognize: false } });
    expect(describePolicy(policy)).toContain('at most 8192 addresses, recognition is not allowed');
  });
});

describe('how much runs at once', () => {
  const tools = fc.array(fc.constantFrom(...TOOLS), { maxLength: 12 });

  const LONG: readonly Tool[] = ['nmap', 'speedtest', 'traceroute'];
  const kind = (tool: Tool, isLong = LONG.includes(tool)): CommandKind => ({ tool, isLong });

  /** The commands that start, of those that arrive one after the other. */
  function started(policy: AgentPolicy, commands: readonly Tool[]): CommandKind[] {
    const running: CommandKind[] = [];
    for (const tool of commands) if (hasRoom(policy, kind(tool), running)) running.push(kind(tool));
    return running;
  }

  test('no more than the policy says, of each tool and of all', () => {
    fc.assert(
      fc.property(tools, fc.integer({ min: 1, max: 64 }), (commands, total) => {
        const policy = parsePolicy({ concurrency: { total } });
        const running = started(policy, commands);
        expect(running.length).toBeLessThanOrEqual(total);
        for (const tool of TOOLS) {
          expect(running.filter((other) => other.tool === tool).length).toBeLessThanOrEqual(policy.concurrency[tool]);
        }
      }),
    );
  });

  test('whatever long commands run, there is room for a short one', () => {
    const long = fc.array(fc.constantFrom(...LONG), { maxLength: 30 });
    fc.assert(
      fc.property(long, fc.integer({ min: 2, max: 64 }), (commands, total) => {
        const policy = parsePolicy({ concurrency: { total } });
        const running = started(policy, commands);
        for (const tool of ['interfaces', 'nslookup', 'internetinfo', 'wakeonlan'] as const) {
          expect(hasRoom(policy, kind(tool), running)).toBe(true);
        }
        expect(running.length).toBeLessThanOrEqual(Math.max(1, total - 2));
      }),
    );
    expect(started(parsePolicy({ concurrency: { total: 1 } }), ['nmap', 'interfaces'])).toEqual([kind('nmap')]);
  });

  test('long and short commands wait in queues of their own', () => {
    const policy = parsePolicy({ concurrency: { queue: 1, shortQueue: 2 } });
    expect(mayWait(policy, kind('nmap'), [kind('interfaces'), kind('interfaces')])).toBe(true);
    expect(mayWait(policy, kind('nmap'), [kind('speedtest')])).toBe(false);
    expect(mayWait(policy, kind('interfaces'), [kind('speedtest'), kind('nslookup')])).toBe(true);
    expect(mayWait(policy, kind('interfaces'), [kind('wakeonlan'), kind('nslookup')])).toBe(false);
  });
});

test('no IPv6 address outside of the local ranges is ever scanned by default', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
      const text = formatIp({ family: 6, value, zone: null });
      const local = value >> 121n === 0xfcn >> 1n || value >> 118n === 0x3fan || value === 1n;
      const command = Command.safeParse(nmap(text)).data;
      const refused = command === undefined || checkCommand(DEFAULTS, command, HOST) !== null;
      return refused || local || value >> 32n === 0xffffn;
    }),
  );
});

test('no text that is taken for a target makes the check throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.ipV4(), fc.ipV6(), fc.domain()), (text) => {
      const targets = [
        { tool: 'nslookup', query: text },
        { tool: 'traceroute', target: text },
      ];
      for (const command of [nmap(text), ...targets, { tool: 'wakeonlan', mac: text }]) {
        const { data } = Command.safeParse(command);
        if (data !== undefined) checkCommand(DEFAULTS, data, HOST);
      }
    }),
  );
});

describe('what a site does not want', () => {
  const command = fc.oneof(
    fc.record({
      tool: fc.constant('nmap' as const),
      target: fc.constantFrom('10.0.0.0/26', '10.0.0.0/22', '10.0.0.0/20'),
      mode: fc.constantFrom(...NMAP_MODES),
    }),
    fc.constantFrom<CommandJson>({ tool: 'speedtest' }, { tool: 'traceroute', target: '10.0.0.1' }),
  );
  const rules = fc.record({
    nmap: fc.record({ enabled: fc.boolean(), maxAddresses: fc.integer({ min: 1, max: 8_192 }) }),
    speedtest: fc.record({ enabled: fc.boolean() }),
  });
  const wish = fc.record({
    deny: fc.subarray([...TOOLS, 'a tool of tomorrow']),
    maxScanAddresses: fc.option(fc.integer({ min: 1, max: 65_536 })),
  });

  test('narrows the policy of the host, and never widens it', () => {
    fc.assert(
      fc.property(command, rules, wish, (sent, own, wanted) => {
        const policy = parsePolicy(own);
        const both = narrowed(policy, wanted);
        if (refusalOf(policy, sent) !== null) expect(refusalOf(both, sent)).not.toBeNull();
        if (wanted.deny.includes(sent.tool)) expect(refusalOf(both, sent)?.reason).toBe('target_not_allowed');
        if (wanted.deny.length === 0 && wanted.maxScanAddresses === null) expect(both).toEqual(policy);
      }),
    );
    expect(refusalOf(narrowed(DEFAULTS, { deny: [], maxScanAddresses: 64 }), nmap('10.0.0.0/26'))).toBeNull();
    expect(refusalOf(narrowed(DEFAULTS, { deny: [], maxScanAddresses: 64 }), nmap('10.0.0.0/25'))).not.toBeNull();
  });
});
