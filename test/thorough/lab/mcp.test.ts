/** Every tool of MCP, called by the official client, against the system in the lab: what it says is true of the LAN. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeLab } from '../../lab/describe-lab.ts';
import type { Lab } from '../../lab/lab.ts';
import { INTERNET } from '../../lab/plan.ts';
import { type Inside, startInside } from '../../lab/system-inside.ts';
import { type Assistant, connectAssistant, type McpAnswer, REVISIONS } from '../../mcp-client.ts';

let inside: Inside;
async function prepare(lab: Lab): Promise<void> {
  const services = { INTERNET_INFO_URL: `${INTERNET.info}/good`, SPEEDTEST_SERVER: INTERNET.speedtest };
  inside = await startInside(lab, 'assisted', 8790, { DISCOVER: 'auto', ...services });
}

describeLab('an assistant in the lab', { prepare }, (lab) => {
  const called = new Set<string>();

  const connect = (revision: (typeof REVISIONS)[number]) => connectAssistant(inside.url, inside.token, { revision });

  /** The result of a tool, which must be a success. */
  async function result(
    one: Assistant,
    tool: string,
    args: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    called.add(tool);
    for (let tries = 1; ; tries++) {
      const answer = await one.call(tool, args);
      // Where the machine stands still, the agent counts as silent, and the caller is told to try again.
      if (answer.text.includes('(agent_silent)') && tries < 5) await sleep(1_000);
      else return succeeded(tool, answer);
    }
  }

  function succeeded(tool: string, { isError, text, structured }: McpAnswer): Record<string, unknown> {
    expect(isError, `${tool}: ${text}`).toBe(false);
    expect(JSON.parse(text)).toEqual(structured);
    return structured;
  }

  /** The job when it has ended. */
  async function ended(one: Assistant, id: unknown): Promise<Record<string, unknown>> {
    for (;;) {
      const job = await result(one, 'get_job', { id });
      if (!['queued', 'accepted', 'running'].includes(String(job.state))) return job;
      await sleep(500);
    }
  }

  test.each(REVISIONS)('%s: every tool answers, and what it says is true', async (revision) => {
    await using one = await connect(revision);
    const { HOSTS, SERVER, PUBLIC_INFO, AGENT, DOMAIN, bare } = lab.truth;
    called.clear();

    expect(await result(one, 'list_sites')).toMatchObject({ sites: [{ id: 'home', staleSince: null }] });

    // Found by discovery, which is asked to look now.
    const scan = await result(one, 'trigger_scan', {});
    expect(scan.message).toBe('Scan triggered for type: ARPSCAN');
    expect(await ended(one, scan.scan_id)).toMatchObject({ state: 'succeeded', tool: 'arpscan' });
    const ofNas = async () => (await result(one, 'search_devices', { query: HOSTS.nas.mac })).devices as object[];
    await expect.poll(ofNas).toMatchObject([{ devMac: HOSTS.nas.mac, devLastIP: bare(HOSTS.nas.ipv4) }]);
    const list = await result(one, 'list_devices', { status: 'online', limit: 500 });
    expect((list.devices as { devMAC: string }[]).map(({ devMAC }) => devMAC)).toContain(HOSTS.desktop.mac);
    expect((await result(one, 'get_latest_device')).devices).toHaveLength(1);
    expect((await result(one, 'get_network_topology')).nodes).not.toHaveLength(0);

    const alias = `shelf ${revision}`;
    const since = new Date().toISOString();
    expect(await result(one, 'set_device_alias', { mac: HOSTS.nas.mac, alias })).toEqual({ success: true });
    expect((await result(one, 'what_changed', { since, type: 'renamed' })).events).toMatchObject([
      { type: 'renamed', device: { mac: HOSTS.nas.mac, name: alias } },
    ]);

    const ports = await result(one, 'run_nmap', { target: bare(HOSTS.nas.ipv4), mode: 'normal' });
    expect(ports).toMatchObject({ mode: 'normal', ip: bare(HOSTS.nas.ipv4), job: expect.any(String) });
    for (const target of [bare(HOSTS.nas.ipv4), HOSTS.nas.mac.toLowerCase().replaceAll(':', '-')]) {
      const open = async () =>
        ((await result(one, 'get_open_ports', { target })).ports as { port: number }[]).map(({ port }) => port);
      await expect.poll(open).toEqual([...HOSTS.nas.tcp]);
    }

    const route = await result(one, 'run_traceroute', { target: bare(SERVER.ipv4) });
    expect(route).toMatchObject({ result: { reached: true, hops: [{ hop: 1 }, { hop: 2 }] } });
    const name = await result(one, 'dns_lookup', { query: `nas.${DOMAIN}` });
    expect(name).toMatchObject({ result: { addresses: expect.arrayContaining([bare(HOSTS.nas.ipv4)]) } });
    const { interfaces } = await result(one, 'network_interfaces');
    expect(Object.values(interfaces as object)).toContainEqual(
      expect.objectContaining({ mac: AGENT.mac, state: 'up' }),
    );
    expect((await result(one, 'internet_info')).output).toContain(PUBLIC_INFO.ip);
    expect((await result(one, 'speed_test')).output).toHaveLength(3);

    const packets = () => lab.magicPackets().filter(({ mac }) => mac === HOSTS.sleeper.mac).length;
    const before = packets();
    expect((await result(one, 'wol_wake_device', { devMac: HOSTS.sleeper.mac })).message).toContain('WOL packet sent');
    await expect.poll(packets).toBeGreaterThan(before);

    const long = await result(one, 'trigger_scan', { type: 'NMAP', scan: '10.77.1.0/24', mode: 'detail' });
    expect(await result(one, 'cancel_job', { id: long.scan_id })).toMatchObject({ state: 'cancelled' });

    const large = await result(one, 'start_scan', { range: bare(HOSTS.nas.ipv4) });
    const scanned = async () => result(one, 'get_scan', { scan: large.id });
    await expect.poll(async () => (await scanned()).state).toBe('done');
    expect(await scanned()).toMatchObject({ hosts: 1, found: [{ address: bare(HOSTS.nas.ipv4), mac: HOSTS.nas.mac }] });

    expect(await result(one, 'changes_since', {})).toMatchObject({ truncated: false });
    const { id: check } = await result(one, 'add_check', { kind: 'ping', host: bare(HOSTS.nas.ipv4) });
    const { checks } = await result(one, 'list_checks', {});
    expect(checks).toContainEqual(expect.objectContaining({ id: check, kind: 'ping' }));
    expect(await result(one, 'site_matrix', {})).toMatchObject({ edges: [] });
    expect(await result(one, 'get_series', { of: 'speed' })).toHaveProperty('series');
    const nightly = { name: 'nightly', tool: 'interfaces', cron: '0 2 * * *' };
    const { id: schedule } = await result(one, 'add_schedule', nightly);
    expect(await result(one, 'list_schedules', {})).toMatchObject({ schedules: [{ name: 'nightly' }] });
    expect(await result(one, 'remove_schedule', { schedule })).toEqual({ success: true });

    expect(await result(one, 'find_devices', { q: HOSTS.nas.mac })).toMatchObject({
      devices: [{ site: 'home', devMac: HOSTS.nas.mac }],
    });
    expect(await result(one, 'explain_device', { target: bare(HOSTS.nas.ipv4) })).toMatchObject({ mac: HOSTS.nas.mac });
    expect(await result(one, 'find_same_devices', {})).toMatchObject({ same: [] });
    expect(await result(one, 'propose_topology', {})).toHaveProperty('proposals');
    const pair = { mac: HOSTS.nas.mac, macs: [HOSTS.printer.mac] };
    expect(await result(one, 'join_devices', pair)).toMatchObject({ joined: 1 });
    expect(await result(one, 'split_device', pair)).toMatchObject({ split: 1 });

    const everywhere = { tool: 'nslookup', arguments: { devLastIP: `nas.${DOMAIN}` }, sites: ['home'] };
    const { id: batch } = await result(one, 'run_on_sites', everywhere);
    await expect.poll(async () => (await result(one, 'get_batch', { id: batch })).state).toBe('done');
    expect(await result(one, 'compare_batch', { id: batch })).toMatchObject({ tool: 'nslookup' });
    const { id: endless } = await result(one, 'run_on_sites', { ...everywhere, tool: 'speedtest', arguments: {} });
    expect(await result(one, 'cancel_batch', { id: endless })).toMatchObject({ id: endless });

    expect([...called].sort()).toEqual(await one.toolNames());
  });

  test('a target outside of the policy is refused, and the model is told not to try other ways', async () => {
    await using one = await connect(REVISIONS[0]);
    const { isError, text } = await one.call('run_nmap', { target: lab.truth.bare(lab.truth.INTERNET.ipv4) });
    expect([isError, text]).toEqual([true, expect.stringMatching(/target_not_allowed[\s\S]*tell the user/)]);
  });

  test.each(REVISIONS)(
    '%s: a long scan tells how far it is; when nobody waits any more, it is stopped',
    async (revision) => {
      await using one = await connect(revision);
      const gone = new AbortController();
      const told: number[] = [];
      const call = one.call(
        'run_nmap',
        { target: '10.77.1.0/24', mode: 'detail' },
        {
          signal: gone.signal,
          onprogress: ({ progress }) => {
            told.push(progress);
            if (told.length !== 2) return;
            // Before 2026-07-28 the word that a call is cancelled is a request of its own, which a server without sessions
            // cannot match with a call: there it is the end of the connection that counts.
            if (revision === REVISIONS[0]) gone.abort();
            else void one.client.close();
          },
        },
      );
      await expect(call).rejects.toThrow();
      expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
      const newest = async () => {
        const { jobs } = (await (await inside.request('GET', '/jobs?tool=nmap&limit=1')).json()) as { jobs: object[] };
        return jobs[0];
      };
      await expect.poll(newest).toMatchObject({ request: { mode: 'detail' }, state: 'cancelled' });
      const { entries } = (await (await inside.request('GET', '/audit?site=home&limit=20')).json()) as {
        entries: { action: string }[];
      };
      expect(entries.map(({ action }) => action)).toContain('job.cancel');
    },
  );
});
