/**
 * Runs cycles of discovery on the agent's host of the lab, with the agent's own scanners and rule, and a clock that the
 * test sets. The first argument says how, as JSON; each line of JSON on standard input is a command, and is answered by
 * one on standard output.
 */
import { createInterface } from 'node:readline';
import { runCycle } from '../../agent/discovery/cycle.ts';
import { type DhcpServer, DhcpServerSearch } from '../../agent/discovery/dhcp-servers.ts';
import { KnownDevices } from '../../agent/discovery/known-devices.ts';
import type { ForeignNetwork } from '../../agent/discovery/known-networks.ts';
import { sightingOf } from '../../agent/discovery/sighting.ts';
import { chooseNetworks, readLinks } from '../../agent/discovery/watched-networks.ts';
import { rawSockets } from '../../agent/host/network.ts';
import { createRunProcess } from '../../agent/host/run-process.ts';
import { parsePolicy } from '../../agent/jobs/policy.ts';
import type { DiscoverySettings, Sighting } from '../../shared/agent/discovery.ts';
import { formatRange } from '../../shared/network.ts';

export interface DiscoverOptions {
  /** File for the known devices. */
  file: string;
  networks: DiscoverySettings['networks'];
  /** MACs that a person has confirmed. */
  confirmed?: string[];
  /** Where programs are looked for, instead of in the directories of the system. */
  path?: string;
  /** Whether DHCP servers are looked for. */
  dhcp?: boolean;
}

export type DiscoverCommand = { do: 'cycle'; at: number } | { do: 'restart'; at: number };

export interface DiscoverAnswer {
  devices: Sighting[];
  /** The number of the last change. */
  lastChange: number;
  methods: string[];
  failures: string[];
  valid: string[];
  problems: string[];
  /** Those that the last search has found, by network. */
  dhcpServers: Record<string, DhcpServer[]>;
  /** Networks that seem to be those of somebody else. */
  strange: ForeignNetwork[];
  /** Networks in which somebody answers for nearly every address. */
  crowded: string[];
  tookMs: number;
}

const options: DiscoverOptions = JSON.parse(process.argv[2] ?? '{}');
const log = { error: (about: object) => console.error(JSON.stringify(about)) };
const run = createRunProcess(options.path === undefined ? {} : { path: options.path });
const { signal } = new AbortController();
/** Before all times that the test gives to cycles. */
const EPOCH = Date.UTC(2026, 0, 1);
let known = await KnownDevices.open(options.file, EPOCH, log);

const dhcpServers: DiscoverAnswer['dhcpServers'] = {};
const search = new DhcpServerSearch((network, servers) => {
  dhcpServers[network] = servers;
});

const NO_REPORT = { methods: [], failures: [], valid: [], problems: [], strange: [], crowded: [] };

async function cycle(at: number) {
  const links = await readLinks(run, signal);
  const { networks, problems } = chooseNetworks(links, options.networks, parsePolicy({}).discovery);
  const attached = links.map(({ network }) => formatRange(network));
  const report = await runCycle(known, {
    run,
    signal,
    networks,
    rawSockets: rawSockets(),
    now: () => at,
    intervalMs: 60_000,
    surroundings: { confirmed: options.confirmed ?? [], attached },
    onChanges: () => known.save(),
    ...(options.dhcp ? { dhcpServers: search } : {}),
  });
  return {
    methods: [...report.methods],
    failures: report.failures.map(({ failure }) => failure),
    valid: [...report.valid],
    problems,
    strange: [...report.foreign],
    crowded: [...known.proxyArpNetworks],
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const command: DiscoverCommand = JSON.parse(line);
  const startedAt = performance.now();
  // As after the agent was killed: what was not written down is lost.
  if (command.do === 'restart') known = await KnownDevices.open(options.file, command.at, log);
  const report = command.do === 'restart' ? NO_REPORT : await cycle(command.at);
  const answer: DiscoverAnswer = {
    ...report,
    devices: known.all().map(sightingOf),
    lastChange: known.lastChange,
    dhcpServers,
    tookMs: performance.now() - startedAt,
  };
  console.log(JSON.stringify(answer));
}
process.exit(0);
