/** `lanreach agent …` */
import type { Agent, ListedAgent } from '../../shared/api/records.ts';
import { Failure } from '../client/failure.ts';
import { noteUnreadable, type Session } from '../client/session.ts';
import { type Cell, state, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { agentText, updateText } from './agent-text.ts';
import { addCodeCommands } from './codes.ts';

const LISTED = '<site>:<name>, as "agent list" shows it';

export function addAgentCommands(agent: Command): void {
  agent
    .part('list', 'list the agents and their state')
    .withSite('of this site only; default: of every site that the token may use')
    .withWatch()
    .run(async (session) => {
      const { site, show } = session;
      const agents = site === undefined ? await agentsEverywhere(session) : await agentsOf(session, site);
      await show({ success: true, agents }, () =>
        table(['AGENT', 'STATE', 'SINCE', 'VERSION', 'UPDATE', 'DISCOVERY', 'NETWORKS'], agents.map(row)),
      );
      noteStrange(session, agents);
    });

  agent
    .part('show', 'show an agent: its state and why, its host, connections, networks and programs')
    .argument('<agent>', LISTED)
    .run(async (session, id: string) => {
      const params = partsOf(id);
      noteStrange(session, [await session.request('GET /sites/{site}/agents/{name}', { params }, agentText)]);
    });

  agent
    .part('revoke', 'disconnect an agent at once and revoke its certificate')
    .argument('<agent>', LISTED)
    .withYes()
    .run(async ({ confirm, request, note }, id: string) => {
      const { site, name } = partsOf(id);
      await confirm(`Disconnect the agent ${id} and revoke its certificate?`);
      await request('DELETE /sites/{site}/agents/{name}', { params: { site, name } });
      note(`Agent ${id} is revoked. A new one of its name: lanreach agent enrol --site ${site} --name ${name}`);
    });

  addCodeCommands(agent);
}

async function agentsEverywhere(session: Session): Promise<ListedAgent[]> {
  const { sites } = await session.client.ask('GET /sites');
  const agents: ListedAgent[] = [];
  // Sequential, because there may be hundreds of sites.
  for (const { id } of sites) agents.push(...(await agentsOf(session, id)));
  return agents;
}

async function agentsOf(session: Session, site: string): Promise<ListedAgent[]> {
  const { agents, unreadable } = await session.client.ask('GET /sites/{site}/agents', { params: { site } });
  noteUnreadable(session, unreadable);
  return agents;
}

function row(agent: ListedAgent): Cell[] {
  const { id, since, version, discovery, networks } = agent;
  const now = [id, state(agent.state), time(since), version ?? '-', updateText(agent)];
  return [...now, discovery?.state ?? '-', networks.join(' ') || '-'];
}

function partsOf(id: string): { site: string; name: string } {
  const [site = '', name, ...rest] = id.split(':');
  if (site !== '' && name && rest.length === 0) return { site, name };
  throw new Failure('usage', `Expected the id of an agent, such as home:main, not "${id}"`);
}

/** Says of each agent that is of no use, or that seems to be on another LAN and is held, why. */
export function noteStrange(
  { note }: Pick<Session, 'note'>,
  agents: readonly Pick<Agent, 'id' | 'discovery' | 'problem'>[],
): void {
  for (const { id, discovery, problem } of agents) {
    if (problem !== null) note(`${id} ${problem}`);
    if (discovery?.state !== 'another-network') continue;
    for (const text of strangeText(discovery)) note(`${id} seems to be on another network and tells nothing: ${text}`);
  }
}

/** One line for each network that seems to be another one. */
function strangeText({ strange = [] }: NonNullable<Agent['discovery']>): string[] {
  if (strange.length === 0) return ['its host has not said which'];
  return strange.map(({ network, gateway, answered, known }) => {
    const at = gateway === null ? 'without a known gateway' : `with the gateway ${gateway}`;
    return `${network} ${at}, where ${answered} of ${known} known devices answer`;
  });
}
