/** Wake-on-LAN that is verified, run for real: a host of the lab that sleeps until it hears the packet, or for good. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { CommandJson } from '../../../shared/tools/list.ts';
import { describeLab } from '../../lab/describe-lab.ts';
import type { InsideEvent, InsideSettings } from '../../lab/inside.ts';
import { AGENT, bare, HOSTS, NOBODY } from '../../lab/plan.ts';
import { waitFor } from '../../support/wait-for.ts';

const { mac, ipv4 } = HOSTS.sleeper;
const IP = bare(ipv4);

/** A host that sleeps: it hears magic packets, and the switch passes on nothing that comes from it. */
const SLEEPS = `nft 'add table netdev sleep;
  add chain netdev sleep from { type filter hook ingress device sleeper priority 0; policy drop; }'`;
const AWAKES = `nft 'add table netdev sleep; delete table netdev sleep'`;

interface Ran {
  /** The command, when it has succeeded. */
  result: { packets: unknown[]; verified?: { afterMs: number } } | null;
  failure: { reason: string; message: string } | null;
  lines: string[];
}

interface Options {
  settings?: InsideSettings;
  unprivileged?: boolean;
  /** Called with each line of the output as it comes. */
  onLine?(line: string, cancel: () => void): void;
}

describeLab('waking in the lab', {}, (lab) => {
  afterEach(() => lab.on('switch', AWAKES));

  /** Packets to the sleeping host that it has heard. */
  const heard = () => lab.magicPackets().filter((packet) => packet.mac === mac).length;

  async function wake(
    command: Partial<CommandJson> & object,
    { settings = {}, unprivileged = false, onLine }: Options = {},
  ): Promise<Ran> {
    const text = JSON.stringify({ tool: 'wakeonlan', mac, verify: true, ...command });
    const argv = [process.execPath, join(lab.folder, 'inside.mjs'), text, JSON.stringify(settings)];
    const inside = await lab.run(argv, { unprivileged });
    inside.stdin.on('error', () => {}); // It may have ended by itself.
    const ran: Ran = { result: null, failure: null, lines: [] };
    for await (const line of createInterface({ input: inside.stdout })) {
      const event: InsideEvent = JSON.parse(line);
      if (event.event === 'failure') ran.failure = event;
      if (event.event === 'answer') ran.result = event.result as Ran['result'];
      if (event.event !== 'output') continue;
      ran.lines.push(event.text.trimEnd());
      onLine?.(event.text, () => inside.stdin.write('cancel\n'));
    }
    await inside.exited;
    return ran;
  }

  /** Wakes the host some time after it has heard a packet. */
  async function wakesWhenItHears(afterMs: number): Promise<void> {
    const before = heard();
    await waitFor('a magic packet', () => (heard() > before ? true : undefined), 60_000);
    await sleep(afterMs);
    await lab.on('switch', AWAKES);
  }

  test.each([
    ['by ARP at its last address', { ip: IP }, {}],
    ['in the whole network, where no address of it is known', {}, {}],
    ['where it has got another address since', { ip: NOBODY.lan }, {}],
    ['without any right, from the neighbour table', { ip: IP }, { unprivileged: true }],
  ])('a host that wakes by the packet is seen: %s', async (_, command, options) => {
    await lab.on('agent', 'ip neigh flush all');
    await lab.on('switch', SLEEPS);
    const [{ result, failure, lines }] = await Promise.all([wake(command, options), wakesWhenItHears(2_000)]);
    expect([failure, lines]).toEqual([null, expect.anything()]);
    expect(result?.verified).toEqual({ awake: true, already: false, afterMs: expect.any(Number), ip: IP });
    const afterMs = result?.verified?.afterMs ?? 0;
    expect(afterMs).toBeGreaterThan(1_000); // It woke two seconds after it had heard the packet.
    expect(lines[0]).toBe(`Sent magic packet to ${mac} via eth0 10.77.1.255:9`);
    expect(lines.find((line) => line.startsWith('Watching '))).toMatch(/^Watching .*10\.77\.1\.0\/24 for up to 120 s$/);
    expect(lines.at(-1)).toBe(`Awake after ${Math.round(afterMs / 1000)} s: ${IP} answered`);
  });

  test('a host that is awake ends it at once, and is sent the packet nevertheless', async () => {
    const before = heard();
    const { result, lines } = await wake({ ip: IP });
    expect(result?.verified).toEqual({ awake: true, already: true, afterMs: 0, ip: IP });
    expect(lines.at(-1)).toBe(`Was already awake: ${IP} answered before the packet was sent`);
    await waitFor('the packets', () => (heard() >= before + 6 ? true : undefined), 60_000);
  });

  test.each([
    ['by ARP', {}],
    ['without any right', { unprivileged: true }],
  ])('a host that stays asleep gives no sign, %s', async (_, options) => {
    await lab.on('agent', 'ip neigh flush all');
    await lab.on('switch', SLEEPS);
    const { result, failure, lines } = await wake({ ip: IP }, { ...options, settings: { wakeWatchMs: 8_000 } });
    expect([result, failure]).toMatchObject([null, { reason: 'tool_failed', message: 'no sign of it in 8 s' }]);
    expect(lines.at(-1)).toBe('No sign of it in 8 s');
  });

  test.each([
    ['one that is stale', `ip neigh replace ${IP} lladdr ${mac} dev eth0 nud stale`],
    ['one that has just been confirmed', `ping -c 1 -W 5 ${IP} >/dev/null`],
  ])('an entry of the neighbour table from before the packet is no sign: %s', async (_, remember) => {
    await lab.on('agent', `ip neigh flush all; ${remember}`);
    await lab.on('switch', SLEEPS);
    await sleep(2_000); // The kernel counts whole seconds.
    const { failure } = await wake({ ip: IP }, { unprivileged: true, settings: { wakeWatchMs: 6_000 } });
    expect(failure?.message).toBe('no sign of it in 6 s');
  });

  test('another host at the last address of the device is no sign', async () => {
    await lab.on('switch', SLEEPS);
    const { failure } = await wake({ ip: bare(HOSTS.nas.ipv4) }, { settings: { wakeWatchMs: 3_000 } });
    expect(failure?.message).toBe('no sign of it in 3 s');
  });

  test('it can be cancelled while it watches', async () => {
    await lab.on('switch', SLEEPS);
    const { failure } = await wake(
      { ip: IP },
      {
        onLine: (line, cancel) => {
          if (line.startsWith('Watching')) cancel();
        },
      },
    );
    expect(failure?.reason).toBe('cancelled');
  });

  test("an address in no network of the agent's host is not asked; the device is looked for by its MAC", async () => {
    const { result, lines } = await wake({ ip: '10.77.2.20' });
    expect(result?.verified).toMatchObject({ already: true, ip: IP });
    expect(lines.join()).not.toContain('10.77.2.20');
  });

  test('the policy on discovery holds: where it allows nothing, nothing is sent', async () => {
    const before = heard();
    const forbidden = await wake({ ip: IP }, { settings: { policy: { discovery: { allow: false } } } });
    expect(forbidden.failure).toMatchObject({ reason: 'target_not_allowed' });
    expect(forbidden.failure?.message).toContain('discovery.allow');
    const none = await wake({ ip: IP }, { settings: { policy: { discovery: { networks: ['10.99.0.0/24'] } } } });
    expect(none.failure?.message).toContain('10.77.1.0/24 is not allowed by the policy of this host; nothing was sent');
    expect([forbidden.lines, none.lines, heard()]).toEqual([[], [], before]);
  });

  test("the agent's own host is awake", async () => {
    const { result } = await wake({ mac: AGENT.mac });
    expect(result?.verified).toMatchObject({ already: true, ip: bare(AGENT.ipv4) });
  });
});
