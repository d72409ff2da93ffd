/** A /16 with sixty hosts, scanned shard by shard by a built agent for the cloud's side behind the router. */
import { expect, test } from 'vitest';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Output } from '../../../shared/api/operation.ts';
import type { scans } from '../../../shared/api/scans.ts';
import { type CloudSide, startCloudSide } from '../../lab/cloud-side.ts';
import { describeLab } from '../../lab/describe-lab.ts';
import type { Lab, LabProcess } from '../../lab/lab.ts';
import { HOSTS } from '../../lab/plan.ts';
import { waitFor } from '../../support/wait-for.ts';

const SITE = 'plant';
const RANGE = '10.20.0.0/16';
const SHARDS = 64;
/** A shard of silent addresses takes 7 s; this is five times as much for all of them. */
const SCAN_WITHIN_MS = 40 * 60_000;
/** All addresses of one host, with its ports: fifty-nine shards have one, and one has two of them. */
const ADDRESSES = Array.from({ length: 60 }, (_, i) => (i < 59 ? `10.20.${4 * i + 1}.${i + 2}` : '10.20.0.77'));
const NEW_PORT = 8081;

type Answer = Output<typeof scans.getScan>;

let cloud: CloudSide;
let agent: LabProcess;
const ask: CloudSide['ask'] = (...request) => cloud.ask(...request);

async function startAgent(): Promise<void> {
  agent = await cloud.startAgent('main');
  await waitFor('the agent', async () => {
    const { agents } = await ask<{ agents: { state: string }[] }>('GET', `/sites/${SITE}/agents`);
    return agents.some(({ state }) => state === 'online');
  });
}

async function prepare(lab: Lab): Promise<void> {
  await lab.on('agent', 'ip addr add 10.20.255.254/16 dev eth0');
  await lab.on('nas', ADDRESSES.map((address) => `ip addr add ${address}/16 dev eth0`).join('\n'));
  cloud = await startCloudSide(lab, SITE);
  await cloud.enrol('main');
  await startAgent();
}

describeLab('a scan of a /16', { timeout: 2 * SCAN_WITHIN_MS, prepare }, (lab) => {
  const show = (id: string) => ask<Answer>('GET', `/scans/${id}`);
  const ended = (id: string) =>
    waitFor(
      `the scan ${id}`,
      async () => {
        const scan = await show(id);
        return scan.state === 'running' ? undefined : scan;
      },
      SCAN_WITHIN_MS,
    );
  const jobsOf = async (id: string) => (await ask<{ jobs: Job[] }>('GET', `/jobs?limit=500&actor=scan:${id}`)).jobs;

  test('finds its hosts, goes on after a kill, and says what is other the next time', async () => {
    const { id, shards } = await ask<Answer>('POST', '/scans', { range: RANGE });
    expect(shards.total).toBe(SHARDS);
    await waitFor('ten shards', async () => (await show(id)).shards.done >= 10, SCAN_WITHIN_MS);
    await agent.kill('SIGKILL');
    await agent.exited;
    await startAgent();
    const first = await ended(id);
    expect(first).toMatchObject({ state: 'done', shards: { done: SHARDS, failed: 0 }, percent: 100, diff: null });
    const own = '10.20.255.254';
    const expected = HOSTS.nas.tcp.filter((port) => port < 1_000);
    expect(
      first.found
        .map(({ address }) => address)
        .filter((address) => address !== own)
        .sort(),
    ).toEqual([...ADDRESSES].sort());
    for (const { address, ports } of first.found) {
      if (address !== own) expect(ports.map(({ port }) => port)).toEqual(expect.arrayContaining(expected));
    }
    // What ran when it was killed was tried again, as another job; nothing that had ended was.
    const jobs = await jobsOf(id);
    expect(jobs.filter(({ state }) => state === 'succeeded')).toHaveLength(SHARDS);
    expect(jobs.filter(({ state }) => state !== 'succeeded').map(({ state, reason }) => [state, reason])).toEqual([
      ['interrupted', 'agent_restarted'],
    ]);
    const took = jobs.flatMap(({ startedAt, endedAt, state }) =>
      state === 'succeeded' && startedAt !== null && endedAt !== null
        ? [Date.parse(endedAt) - Date.parse(startedAt)]
        : [],
    );
    console.log(
      `a shard took ${Math.round(took.reduce((sum, ms) => sum + ms, 0) / took.length)} ms, at most ${Math.max(...took)}`,
    );

    const [gone = '', changed = ''] = ADDRESSES.slice(30);
    const appeared = '10.20.200.200';
    await lab.on('nas', `ip addr del ${gone}/16 dev eth0\nip addr add ${appeared}/16 dev eth0`);
    const server = `require('node:net').createServer((s) => s.end()).listen(${NEW_PORT}, '${changed}')`;
    const listening = await lab.run([process.execPath, '-e', server], { host: 'nas' });
    const again = await ask<Answer>('POST', '/scans', { range: RANGE });
    const second = await ended(again.id);
    expect(second.diff).toMatchObject({
      ...{ against: id, appeared: [appeared], gone: [gone], closed: [] },
      opened: [{ address: changed, port: NEW_PORT, protocol: 'tcp' }],
    });
    await listening.kill('SIGKILL');
  });
});
