/** `lanreach agent …` */
import type { Command } from 'commander';
import { type Agent, admin } from '../../shared/api/admin.ts';
import type { Client } from '../client.ts';
import { isLoopback } from '../config.ts';
import { openSession } from '../session.ts';
import { fields, table } from '../text.ts';

export function addAgentCommands(program: Command): void {
  const agent = program.command('agent').description('agents: the programs on the LANs that run the commands');

  agent
    .command('list')
    .description('list the agents and their state')
    .option('--site <site>', 'of this site only; default: of every site that the token may use')
    .action(async ({ site }: { site?: string }, command: Command) => {
      const { client, show } = openSession(command);
      const agents = site === undefined ? await agentsEverywhere(client) : await agentsOf(client, site);
      show({ success: true, agents }, () => table(['ID', 'STATE', 'SINCE', 'VERSION', 'NETWORKS'], agents.map(row)));
    });

  agent
    .command('enrol')
    .alias('enroll')
    .description('make a one-time code for a new agent, and show the line to run on its host')
    .requiredOption('--site <site>', 'the site on whose LAN the host is')
    .requiredOption('--name <name>', 'name of the agent within the site, such as main')
    .action(async ({ site, name }: { site: string; name: string }, command: Command) => {
      const { client, show, note } = openSession(command);
      const made = await client.ask(admin.createEnrolmentCode, { params: { site }, body: { name } });
      const line = `lanreach-agent enrol ${made.code} --url ${client.url}`;
      show(made, () => fields({ agent: made.agent, code: made.code, expires: made.expiresAt, run: line }));
      note('Run the last line on a host of that LAN. The code works once.');
      if (isLoopback(client.url)) note(`${client.url} leads to this host only; elsewhere use an address of this host.`);
    });
}

async function agentsEverywhere(client: Client): Promise<Agent[]> {
  const { sites } = await client.ask(admin.listSites);
  const agents: Agent[] = [];
  // One after the other: a person waits, and there may be hundreds of sites.
  for (const { id } of sites) agents.push(...(await agentsOf(client, id)));
  return agents;
}

async function agentsOf(client: Client, site: string): Promise<Agent[]> {
  return (await client.ask(admin.listAgents, { params: { site } })).agents;
}

function row({ id, state, since, version, networks }: Agent): string[] {
  return [id, state, since ?? '-', version ?? '-', networks.join(' ') || '-'];
}
