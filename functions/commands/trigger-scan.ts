/** `POST /nettools/trigger-scan`: scans a whole LAN by one or several commands. */
import type { Agent } from '../../shared/api/records.ts';
import { MAX_SCANS_AT_ONCE, type ScanRequest } from '../../shared/api/trigger-scan.ts';
import { ServiceError } from '../../shared/errors.ts';
import { nameOfAgent } from '../../shared/identity.ts';
import { formatRange, type IpRange, parseRange, range, rangeSize, rangeWithin } from '../../shared/network.ts';
import { Command } from '../../shared/tools/list.ts';
import type { Scanning } from '../../shared/tools/nmap.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { SiteCall } from '../http/call.ts';
import { invalid, validationError } from '../http/errors.ts';
import { HandlerResult } from '../http/handler-result.ts';
import type { JobHandle } from './agent-dispatcher.ts';
import { agentNamed, noAgent } from './choose-agent.ts';
import type { CommandContext } from './context.ts';
import { acceptedJob } from './job-events.ts';

interface Scan {
  /** The name of the agent; without one, an agent is chosen. */
  agent: string | undefined;
  command: Command;
}

type Begin = (call: SiteCall, command: Command, agent: string | undefined) => Promise<JobHandle>;

/** What an agent reports of itself. */
type Reported = Pick<Agent, 'id' | 'networks' | 'discovery'>;

/** The largest range that an agent scans, unless its policy allows more. */
const MOST_ADDRESSES = 1024n;
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(range);

/** @param begin starts one command */
export async function triggerScan(
  context: CommandContext,
  call: SiteCall,
  input: ScanRequest & { agent?: string | undefined },
  begin: Begin,
): Promise<HandlerResult> {
  const scans = await scansOf(context, call, input);
  const handles: JobHandle[] = [];
  const failures: string[] = [];
  try {
    for (const [i, { agent, command }] of scans.entries()) {
      // Each job has a key of its own, so that a repeated request finds all of them again.
      const idempotencyKey = call.idempotencyKey === null ? null : `${call.idempotencyKey} ${i}`;
      try {
        handles.push(await begin({ ...call, idempotencyKey }, command, agent));
      } catch (error) {
        // Those that have begun continue, so the response must list them.
        if (handles.length === 0 || !(error instanceof ServiceError)) throw error;
        failures.push(error.message);
      }
    }
    const rows = await Promise.all(handles.map((handle) => acceptedJob(context, handle)));
    const jobs = rows.filter((job) => job !== null);
    const [first] = handles;
    if (first === undefined) throw new Error('a scan without a command');
    const message = [`Scan triggered for type: ${input.type}`, ...failures].join('; ');
    const headers = { Location: `${call.prefix}/jobs/${first.id}` };
    return new HandlerResult({ success: true, message, scan_id: first.id, jobs }, { status: 202, headers });
  } finally {
    for (const handle of handles) handle.leave();
  }
}

async function scansOf(
  { sites }: CommandContext,
  { site }: SiteCall,
  { agent, ...request }: ScanRequest & { agent?: string | undefined },
): Promise<Scan[]> {
  const { type, scan, mode = 'fast', protocol } = request;
  if (type === 'NMAP' && scan !== undefined) {
    const command = Command.parse({ tool: 'nmap', target: scan.text, mode, protocol });
    return [{ agent, command }];
  }
  const [known, all] = await Promise.all([sites.find(site), sites.agents(site)]);
  if (known === null) throw new ServiceError('site_forbidden', siteForbidden(site));
  if (type !== 'NMAP') checkArguments(request);
  const named = agent === undefined ? null : agentNamed(agent, site, all);
  if (type !== 'NMAP' && !known.discovery.enabled) {
    const how = `PATCH /sites/${site} with {"discovery": {"enabled": true}}, or lanreach site discover ${site} on`;
    throw new ServiceError('conflict', `Discovery is off at site "${site}". To switch it on: ${how}`);
  }
  const online = all.filter(({ id, state }) => (named === null ? state === 'online' : id === named.id));
  if (online.length === 0) throw noAgent(site);
  return type === 'NMAP' ? portScans(online, { mode, protocol }) : discoveryPasses(online);
}

/** One for each agent that watches the LAN; if none does, one for the first agent, which reports the reason. */
export function discoveryPasses(agents: readonly Reported[]): Scan[] {
  const watching = agents.filter(({ discovery }) => discovery?.state === 'on' || discovery?.state === 'failing');
  const chosen = watching.length > 0 ? watching : agents.slice(0, 1);
  return chosen.slice(0, MAX_SCANS_AT_ONCE).map(({ id }) => ({ agent: nameOfAgent(id), command: { tool: 'arpscan' } }));
}

/** One for each network, by the first agent that is attached to it. */
export function portScans(agents: readonly Reported[], how: Scanning): Scan[] {
  const scans = new Map<string, Scan>();
  for (const { id, discovery, networks: attached } of agents) {
    const watched = discovery?.state === 'on' ? (discovery.networks ?? []) : [];
    for (const text of watched.length > 0 ? watched : attached) {
      const network = parseRange(text);
      if (network === null || !isScannable(network)) continue;
      const target = formatRange(network);
      const command = Command.parse({ tool: 'nmap', target, ...how });
      if (!scans.has(target)) scans.set(target, { agent: nameOfAgent(id), command });
    }
  }
  if (scans.size > 0) return [...scans.values()].slice(0, MAX_SCANS_AT_ONCE);
  const message = `expected an address or a range: no connected agent is attached to a private IPv4 network with at most ${MOST_ADDRESSES} addresses`;
  throw invalid('scan', message);
}

function isScannable(network: IpRange): boolean {
  const size = rangeSize(network);
  return size > 1n && size <= MOST_ADDRESSES && PRIVATE.some((one) => rangeWithin(network, one));
}

/** Rejects an argument that would have no effect, so that the caller does not take the scan for a smaller one. */
function checkArguments({ type, ...given }: ScanRequest): void {
  const fields = (['scan', 'mode', 'protocol'] as const).filter((field) => given[field] !== undefined);
  if (fields.length === 0) return;
  const message = `expected only with type NMAP: ${type} asks the networks that the settings of the site name`;
  throw validationError(fields.map((path) => ({ path, message })));
}
