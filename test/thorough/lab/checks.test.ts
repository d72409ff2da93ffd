/** What an agent tells of hosts that lose packets, are slow, or die: it agrees with what was done to them. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change, Point } from '../../../shared/agent/measurements.ts';
import type { PlannedCheck, Probe } from '../../../shared/agent/plan.ts';
import type { CheckEvent, CheckOptions } from '../../lab/check.ts';
import { type Lab, type LabProcess, labSupport, startLab } from '../../lab/lab.ts';
import { bundleProgram } from '../../support/bundle-program.ts';

const unsupported = labSupport();
if (unsupported !== null) console.warn(`Checks are not tested in the lab: ${unsupported}`);

/** Longer than a run takes that is not answered, and the one of the internet, which then asks the gateway. */
const INTERVAL_MS = 4_000;
const INTERNET_INTERVAL_MS = 6_000;

const IDS = { lossy: 1, slow: 2, dying: 3, web: 4, names: 5, internet: 6, cabin: 7, nobody: 8 };
type Name = keyof typeof IDS;
const idOf = (name: Name) => IDS[name].toString(16).padStart(12, '0');

describe.skipIf(unsupported !== null)('checks in the lab', () => {
  let lab: Lab;
  let agent: LabProcess;
  let aheadMs = 0;
  const changes: Change[] = [];
  const points = new Map<string, Point[]>();
  let slowMs = 0;

  beforeAll(async () => {
    lab = await startLab();
    const { HOSTS, SERVER, INTERNET, NOBODY, bare, DOMAIN } = lab.truth;
    await lab.on(
      HOSTS.printer.name,
      `nft 'add table ip lab; add chain ip lab arriving { type filter hook input priority 0; };
            add rule ip lab arriving icmp type echo-request numgen inc mod 10 < 3 drop'`,
    );
    const { probe: slow, delayMs } = await slowDown(HOSTS.desktop.name, bare(HOSTS.desktop.ipv4));
    slowMs = delayMs;
    const probes: Record<Name, Probe> = {
      lossy: { kind: 'ping', host: bare(HOSTS.printer.ipv4) },
      slow,
      dying: { kind: 'ping', host: bare(HOSTS.phone.ipv4) },
      web: { kind: 'http', url: `http://nas.${DOMAIN}/`, status: '200', text: 'lab' },
      names: { kind: 'dns', name: `nas.${DOMAIN}`, record: 'A', expect: bare(HOSTS.nas.ipv4) },
      internet: { kind: 'internet', anchors: [bare(INTERNET.ipv4), NOBODY.blackHole] },
      cabin: { kind: 'site', host: bare(SERVER.ipv4), site: 'cabin' },
      nobody: { kind: 'ping', host: NOBODY.lan },
    };
    const checks = (Object.keys(IDS) as Name[]).map(
      (name): PlannedCheck => ({ id: idOf(name), everySeconds: 60, probe: probes[name] }),
    );
    const options: CheckOptions = {
      folder: lab.folder,
      checks,
      intervalMs: { internet: INTERNET_INTERVAL_MS, other: INTERVAL_MS },
      internetInfoUrl: `${INTERNET.info}/good`,
    };
    const program = await bundleProgram(join(import.meta.dirname, '..', '..', 'lab', 'check.ts'), lab.folder);
    agent = await lab.run([process.execPath, '--no-warnings', program, JSON.stringify(options)]);
    agent.stderr.on('data', (text: Buffer) => console.warn(text.toString()));
    createInterface({ input: agent.stdout }).on('line', (line) => {
      const event: CheckEvent = JSON.parse(line);
      if (event.event === 'begun') aheadMs = event.aheadMs;
      else {
        changes.push(...event.message.changes);
        for (const [id, some] of event.message.points?.checks ?? []) points.set(id, some);
      }
    });
  });
  afterAll(async () => {
    await lab?.close();
  });

  /** By a delay of its packets, where the kernel has that; else by a web server on it that takes its time. */
  async function slowDown(host: string, ip: string): Promise<{ probe: Probe; delayMs: number }> {
    try {
      await lab.on(host, 'tc qdisc add dev eth0 root netem delay 50ms');
      return { probe: { kind: 'ping', host: ip }, delayMs: 50 };
    } catch {
      const delayMs = 500;
      const server = `require('http').createServer((_, answer) => setTimeout(() => answer.end(), ${delayMs})).listen(8000)`;
      await lab.run([process.execPath, '-e', server], { host });
      return { probe: { kind: 'http', url: `http://${ip}:8000/`, status: '200' }, delayMs };
    }
  }

  const toldOf = (name: Name) =>
    changes.flatMap((change) => ('check' in change && change.check === idOf(name) ? [change] : []));
  const stateOf = (name: Name) => toldOf(name).flatMap((change) => ('ok' in change ? [change.ok] : []));

  test('deaths and losses are told once, with the time of the first failure, and so is the return', async () => {
    const { HOSTS, ROUTER, SERVER, PUBLIC_INFO, bare } = lab.truth;
    const all: Name[] = ['lossy', 'slow', 'dying', 'web', 'names', 'internet', 'cabin'];
    await expect.poll(() => all.map(stateOf)).toEqual(all.map(() => [true]));
    await expect.poll(() => stateOf('nobody')).toEqual([false]);
    const address = { t: 'address', address: PUBLIC_INFO.ip, provider: PUBLIC_INFO.org };
    await expect.poll(() => changes).toContainEqual(expect.objectContaining(address));

    const diedAt = Date.now() + aheadMs;
    await lab.on(HOSTS.phone.name, 'ip link set eth0 down');
    await lab.on(ROUTER.name, 'ip link set wan0 down');
    await expect
      .poll(() => [stateOf('dying'), stateOf('internet')])
      .toEqual([
        [true, false],
        [true, false],
      ]);
    const [, death] = toldOf('dying');
    expect(death).toMatchObject({ reason: expect.stringContaining('no answer') });
    // A run may have begun before that, and not have been answered from the first packet on.
    expect(death?.at).toBeGreaterThan(diedAt - INTERVAL_MS);
    expect(death?.at).toBeLessThan(Date.now() + aheadMs - INTERVAL_MS);
    expect(toldOf('internet').at(-1)).toMatchObject({ gateway: true });

    await lab.on(HOSTS.phone.name, 'ip link set eth0 up');
    await lab.on(ROUTER.name, 'ip link set wan0 up; ip route replace default via 192.0.2.2 dev wan0');
    const there = [true, false, true];
    await expect.poll(() => [stateOf('dying'), stateOf('internet')]).toEqual([there, there]);
    const paths = () => toldOf('cabin').flatMap((change) => (change.t === 'path' ? [change.hops] : []));
    await expect.poll(paths).toEqual([[bare(ROUTER.ipv4), bare(SERVER.ipv4)]]);
    expect(all.slice(0, 2).map(stateOf)).toEqual([[true], [true]]);
  });

  test('the points agree within 5 % with what nft and tc did', async () => {
    agent.stdin.write('end\n');
    await expect.poll(() => points.size).toBe(Object.keys(IDS).length);
    const of = (name: Name) => points.get(idOf(name)) ?? [];
    const share = (some: Point[]) =>
      some.reduce((sum, [, , , lost]) => sum + lost, 0) / some.reduce((sum, [, , sent]) => sum + sent, 0);
    // Of any ten packets in a row, three were dropped.
    const lossy = of('lossy').slice(0, 2 * Math.floor(of('lossy').length / 2));
    expect(lossy.length).toBeGreaterThanOrEqual(4);
    expect(Math.abs(share(lossy) - 0.3)).toBeLessThanOrEqual(0.05 * 0.3);
    // The shortest: where this machine had other things to do meanwhile, others are late.
    const rtts = of('slow').flatMap(([, rttMs]) => (rttMs === null ? [] : [rttMs]));
    expect(Math.abs(Math.min(...rtts) - slowMs)).toBeLessThanOrEqual(0.05 * slowMs);
    expect([share(of('slow')), share(of('nobody'))]).toEqual([0, 1]);
    expect(of('dying').filter(([, rttMs]) => rttMs === null).length).toBeGreaterThanOrEqual(2);
    // One of its two anchors never answers.
    expect(share(of('internet'))).toBeGreaterThanOrEqual(0.5);
    for (const name of ['web', 'names'] as const) expect(share(of(name))).toBe(0);
  });
});
