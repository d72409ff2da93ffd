/** An enrolled agent as its package and systemd run it, with the service's side of its updates in the hands of the test. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { EMPTY_PLAN } from '../../../shared/agent/plan.ts';
import { packPlan } from '../../../shared/agent/wire.ts';
import { type AgentProcess, startAgentProcess } from './agent-process.ts';
import type { AgentSites } from './enrolled-site.ts';
import { type MadeUpPackage, startReleaseServer } from './made-up-release.ts';

/** Returns when it is connected for the first time. A version that is on trial has to be healthy for a second. */
export async function startUpdatableSite(
  agents: AgentSites,
  { launcher }: MadeUpPackage,
  environment: Record<string, string>,
) {
  const site = await agents.startSite();
  const { broker, state } = site;
  const releases = await startReleaseServer();
  const agent = superviseAgent(launcher, {
    LANREACH_AGENT_DATA: state,
    LANREACH_API: releases.url,
    LANREACH_SETTLE_SECONDS: '1',
    ...environment,
  });
  await broker.presence('online');
  const online = () => broker.presences.filter(({ state }) => state === 'online');
  let revision = Date.now();
  return {
    broker,
    state,
    releases,
    agent,
    /** Sends a plan that names this version. */
    plan(version: string) {
      const plan = packPlan({ ...EMPTY_PLAN, update: { version } });
      return broker.send('ctl', { v: PROTOCOL_VERSION, t: 'plan', revision: ++revision, plan });
    },
    /** What the agent has said of versions and updates since it began: "<its version>: <that of the update> <its state>". */
    said: () =>
      online()
        .map(({ version, update }) => `${version}: ${update?.last?.version ?? '-'} ${update?.last?.state ?? '-'}`)
        .filter((text, i, all) => text !== all[i - 1]),
    /** Its last presence while it was connected. */
    last: () => online().at(-1),
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await releases[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** Starts the launcher again whenever it ends, as systemd does with the unit of the package. */
function superviseAgent(launcher: string, environment: Record<string, string>) {
  /** How each process ended, in their order. */
  const ends: Awaited<AgentProcess['ended']>[] = [];
  let stderr = '';
  let isOver = false;
  let current: AgentProcess;
  const lives = (async () => {
    while (!isOver) {
      current = startAgentProcess(launcher, ['run'], { LANREACH_RESTARTED: 'yes', ...environment });
      const end = await current.ended;
      stderr += current.stderr();
      ends.push(end);
      if (end.code === 2) return;
      await sleep(50);
    }
  })();
  return {
    ends,
    stderr: () => stderr + (current.child.exitCode === null ? current.stderr() : ''),
    /** The process that runs. */
    child: () => current.child,
    async [Symbol.asyncDispose]() {
      isOver = true;
      current.child.kill('SIGKILL');
      await lives;
    },
  };
}
