/** An enrolled agent as its package and systemd run it, with the service's side of its updates in the hands of the test. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL_VERSION, type Presence } from '../../../shared/agent/messages.ts';
import { EMPTY_PLAN } from '../../../shared/agent/plan.ts';
import { packPlan } from '../../../shared/agent/wire.ts';
import { startAgentProcess } from './agent-process.ts';
import type { TestBroker } from './broker.ts';
import type { AgentSites } from './enrolled-site.ts';
import { type MadeUpPackage, startReleaseServer } from './made-up-release.ts';

export interface UpdatableSite extends AsyncDisposable {
  broker: TestBroker;
  state: string;
  releases: Awaited<ReturnType<typeof startReleaseServer>>;
  agent: SupervisedAgent;
  /** Sends a plan that names this version. */
  plan(version: string): Promise<void>;
  /** What the agent has said of versions and updates since it began: "<its version>: <that of the update> <its state>". */
  said(): string[];
  /** Its last presence while it was connected. */
  last(): Presence | undefined;
}

/** Returns when it is connected for the first time. A version that is on trial has to be healthy for a second. */
export async function startUpdatableSite(
  agents: AgentSites,
  { launcher }: MadeUpPackage,
  environment: Record<string, string>,
): Promise<UpdatableSite> {
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
    plan(version) {
      const plan = packPlan({ ...EMPTY_PLAN, update: { version } });
      return broker.send('ctl', { v: PROTOCOL_VERSION, t: 'plan', revision: ++revision, plan });
    },
    said: () =>
      online()
        .map(({ version, update }) => `${version}: ${update?.last?.version ?? '-'} ${update?.last?.state ?? '-'}`)
        .filter((text, i, all) => text !== all[i - 1]),
    last: () => online().at(-1),
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await releases[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

interface SupervisedAgent extends AsyncDisposable {
  /** How each process ended, in their order. */
  ends: { code: number | null; signal: NodeJS.Signals | null }[];
  stderr(): string;
  /** The process that runs. */
  child(): ChildProcess;
}

/** Starts the launcher again whenever it ends, as systemd does with the unit of the package. */
function superviseAgent(launcher: string, environment: Record<string, string>): SupervisedAgent {
  const ends: SupervisedAgent['ends'] = [];
  let stderr = '';
  let isOver = false;
  let current: ReturnType<typeof startAgentProcess>;
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
    child: () => current.child,
    async [Symbol.asyncDispose]() {
      isOver = true;
      current.child.kill('SIGKILL');
      await lives;
    },
  };
}
