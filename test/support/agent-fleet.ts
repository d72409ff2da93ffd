/** Many real agents in this process, each enrolled, with its own state directory and connection. Only tools are fake. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { Agent } from '../../agent/agent.ts';
import { enrol } from '../../agent/identity/exchange-code.ts';
import type { RunAnyTool } from '../../agent/jobs/run-command.ts';
import { endpointOf } from '../../agent/link/session.ts';
import { overview } from '../../shared/api/overview.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { ApiClient } from '../api-client.ts';
import { startTestAgent } from './agent/test-agent.ts';
import { makeTestFolder } from './test-folder.ts';
import { waitFor } from './wait-for.ts';

/** Agents that are enrolled and started at the same time. */
const AT_ONCE = 8;

export interface AgentFleet extends AsyncDisposable {
  agents: ReadonlyMap<SiteId, Agent>;
}

/** @param toolOf what the tools of the agent of a site do */
export async function startAgentFleet(
  system: Pick<ApiClient, 'request' | 'url'>,
  brokerPort: number,
  sites: readonly SiteId[],
  toolOf: (site: SiteId) => RunAnyTool,
): Promise<AgentFleet> {
  const folder = makeTestFolder();
  const agents = new Map<SiteId, Agent>();
  const limit = pLimit(AT_ONCE);
  const start = async (site: SiteId) => {
    const { json } = await system.request('POST', `/sites/${site}/agents`, { body: { name: 'main' } });
    const stateDirectory = join(folder.path, site);
    mkdirSync(stateDirectory);
    const identity = await enrol((json as { code: string }).code, system.url, stateDirectory);
    const agent = await startTestAgent(stateDirectory, brokerPort, {
      ...{ stage: identity.stage, agent: identity.agent, runTool: toolOf(site) },
      dial: () => endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`),
    });
    agents.set(site, agent);
  };
  // They find no programs on their host, which they would ask for their versions: a thousand processes.
  const { PATH } = process.env;
  process.env.PATH = '/nonexistent';
  try {
    await Promise.all(sites.map((site) => limit(() => start(site))));
  } finally {
    process.env.PATH = PATH;
  }
  const isOnline = async () => {
    const { json } = await system.request('GET', '/overview?limit=500');
    const { sites: shown } = overview.getOverview.response.parse(json);
    const online = new Set(
      shown.filter(({ agents }) => agents.some(({ state }) => state === 'online')).map(({ id }) => id),
    );
    return sites.every((site) => online.has(site));
  };
  await waitFor('all agents to be connected', isOnline, 120_000);
  return {
    agents,
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.values()].map((agent) => limit(() => agent.stop(0))));
      await folder.remove();
    },
  };
}
