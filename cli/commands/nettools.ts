/** Commands that an agent runs on the LAN of a site: `lanreach wake`, `traceroute`, `nmap` and so on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { isFinal, NMAP_MODES, type NmapMode } from '../../shared/agent/messages.ts';
import type { InterfaceRecord } from '../../shared/agent/results.ts';
import { type Job, jobs } from '../../shared/api/jobs.ts';
import { nettools } from '../../shared/api/nettools.ts';
import type { Operation, Output } from '../../shared/api/operation.ts';
import type { Client, Question } from '../client.ts';
import { Failure } from '../failure.ts';
import { openSession } from '../session.ts';
import { table, withLineEnd } from '../text.ts';
import { agentOption, siteOption } from './site-option.ts';

/** The API holds a request for 280 s, and then answers with the job. */
const HELD_MS = 295_000;
const LOOK_EVERY_MS = 2_000;
/** No tool runs for longer than a quarter of an hour. */
const GIVE_UP_AFTER_MS = 20 * 60_000;

interface Place {
  site?: string;
  agent?: string;
}

export function addNettoolCommands(program: Command): void {
  const onSite = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .addOption(siteOption())
      .addOption(agentOption())
      .helpGroup('On the LAN of a site:');
  const where = ({ site, agent }: Place) => ({ site, query: { agent } });

  onSite('wake', 'send Wake-on-LAN packets to a device')
    .argument('<mac>')
    .action(async (devMac: string, place: Place, command: Command) =>
      runTool(command, nettools.wakeOnLan, { ...where(place), body: { devMac } }, ({ output }) => output),
    );

  onSite('traceroute', 'show the routers between the agent and an address')
    .argument('<ip>')
    .action(async (devLastIP: string, place: Place, command: Command) =>
      runTool(command, nettools.traceroute, { ...where(place), body: { devLastIP } }, ({ output }) => output),
    );

  onSite('nslookup', 'resolve an address or a host name')
    .argument('<address-or-name>')
    .action(async (devLastIP: string, place: Place, command: Command) =>
      runTool(command, nettools.nslookup, { ...where(place), body: { devLastIP } }, ({ output }) => output.join('\n')),
    );

  onSite('nmap', 'scan the ports of an address or a range')
    .argument('<target>', 'IP address, or a range such as 192.168.1.0/24')
    .addOption(new Option('--mode <mode>').choices(NMAP_MODES).default('normal'))
    .action(async (scan: string, { mode, ...place }: Place & { mode: NmapMode }, command: Command) =>
      runTool(command, nettools.nmap, { ...where(place), body: { scan, mode } }, ({ output }) => output.join('\n')),
    );

  onSite('speedtest', 'measure the internet connection').action(async (place: Place, command: Command) =>
    runTool(command, nettools.speedtest, where(place), ({ output }) => output.join('\n')),
  );

  onSite('internet', 'show public address, city, country and organisation').action(
    async (place: Place, command: Command) =>
      runTool(command, nettools.internetInfo, where(place), ({ output }) => output),
  );

  onSite('interfaces', "list the network interfaces of the agent's host").action(
    async (place: Place, command: Command) =>
      runTool(command, nettools.interfaces, where(place), ({ interfaces }) =>
        table(['NAME', 'TYPE', 'STATE', 'MTU', 'MAC', 'ADDRESSES'], Object.values(interfaces).map(interfaceRow)),
      ),
  );
}

/** Runs a command to its end, also when that takes longer than one request. */
async function runTool<Op extends Operation>(
  command: Command,
  operation: Op,
  question: Question<Op>,
  textOf: (answer: Output<Op>) => string,
): Promise<void> {
  const { client, show, note } = openSession(command);
  const outcome = await client.run(operation, { ...question, timeoutMs: HELD_MS });
  if ('answer' in outcome) return show(outcome.answer, () => withLineEnd(textOf(outcome.answer)));
  note(`This takes a while. It goes on without us, too: lanreach job ${outcome.job.id}`);
  const job = await untilEnded(client, outcome.job);
  show(job, () => withLineEnd(job.output ?? ''));
  if (job.state === 'succeeded') return;
  const why = job.message ?? job.reason;
  throw new Failure('failure', `The command ended as ${job.state}${why === null ? '' : `: ${why}`}`);
}

async function untilEnded(client: Client, started: Job): Promise<Job> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  let job = started;
  while (!isFinal(job.state)) {
    if (Date.now() > giveUpAt) throw new Failure('failure', `The job ${job.id} has not ended in time`);
    await sleep(LOOK_EVERY_MS);
    job = await client.ask(jobs.getJob, { params: { id: job.id } });
  }
  return job;
}

function interfaceRow({ name, type, state, mtu, mac, ipv4, ipv6 }: InterfaceRecord): string[] {
  return [name, type, state, String(mtu), mac ?? '-', [...ipv4, ...ipv6].join(' ') || '-'];
}
