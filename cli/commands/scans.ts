/** `lanreach scans …`, and scans of networks that are too large for one command. */
import type { AnswerOf } from '../../client/routes.ts';
import { type Scan, type ScanDiff, type ScannedHost, scanRange, shardAddresses } from '../../shared/api/scans.ts';
import { rangeSize } from '../../shared/network.ts';
import type { Scanning } from '../../shared/tools/nmap.ts';
import { Failure } from '../client/failure.ts';
import { until } from '../client/patience.ts';
import { progressLine } from '../client/progress-line.ts';
import type { Session } from '../client/session.ts';
import { type Cell, fields, muted, state, type Text, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';

const LISTED = 'its id, as "scans list" shows it';

export function addScansCommands(command: Command): void {
  command
    .part('list', 'list the scans of the last 30 days')
    .withSite()
    .run(({ request, site }) =>
      request('GET /scans', { site }, ({ scans }) =>
        table(['NETWORK', 'STATE', 'HOSTS', 'MODE', 'PARTS', 'STARTED', 'ID'], scans.map(row)),
      ),
    );

  command
    .part('show', 'show the hosts of a scan, and the differences from the previous one')
    .argument('<scan>', LISTED)
    .withSite()
    .run(showScan);

  command
    .part('cancel', 'stop a scan; what it has found stays')
    .argument('<scan>', LISTED)
    .withSite()
    .run(({ request, site }, scan: string) => request('DELETE /scans/{scan}', { site, params: { scan } }, inShort));
}

async function showScan({ request, note, site }: Session, scan: string): Promise<Scan> {
  const answer = await request('GET /scans/{scan}', { site, params: { scan } }, scanText);
  note(stateText(answer));
  return answer;
}

const inShort = ({ id, range, state: known }: Scan) => fields({ scan: id, network: range, state: known });

/** Whether a target is a network that one command of an agent does not scan, by the default of its policy. */
export function isLarge(target: string | undefined, how: Scanning): boolean {
  const range = target === undefined ? null : scanRange(target);
  return range !== null && rangeSize(range) > BigInt(shardAddresses(how));
}

/** Starts a scan in shards, and shows its progress until it ends, unless --no-wait is given. */
export async function scanLarge(
  session: Session,
  { wait, ...body }: Scanning & { range: string; wait: boolean },
): Promise<void> {
  const { client, show, note, site, siteWords } = session;
  const started = await client.ask('POST /scans', { site, body });
  note(`${started.shards.total} parts. To see it later: lanreach scans show ${started.id}${siteWords}`);
  if (!wait) return show(started, () => inShort(started));
  await untilScanned(session, started.id);
  const { state: known, shards, problem } = await showScan(session, started.id);
  if (known === 'done' && shards.failed === 0) return;
  const why = problem === null ? '' : `: ${problem}`;
  throw new Failure('failure', `The scan is ${known}, ${shards.failed} parts failed${why}`);
}

/** The list says how far each is, without its hosts. */
async function untilScanned({ client, site, world }: Session, id: string): Promise<void> {
  const line = progressLine(world.stderr);
  const look = async () => {
    const { scans: known } = await client.ask('GET /scans', { site });
    const scan = known.find((one) => one.id === id);
    if (scan === undefined || scan.state !== 'running') return true;
    line.show(`${scan.range}: ${scan.hosts} hosts`, scan.percent);
    return null;
  };
  await until(look).finally(line.clear);
}

function row({ id, range, mode, protocol, shards: { total, done, failed }, hosts, createdAt, ...scan }: Scan): Cell[] {
  const ended = failed === 0 ? `${done}/${total}` : `${done}/${total}, ${failed} failed`;
  const how = protocol === 'udp' ? `${mode} udp` : mode;
  return [range, state(scan.state), hosts, how, ended, time(createdAt), muted(id)];
}

function scanText({ found, diff }: AnswerOf<'GET /scans/{scan}'>): Text {
  const hosts = table(['HOST', 'MAC', 'PORTS'], found.map(hostRow));
  return diff === null ? hosts : [hosts, '\n', diffText(diff)];
}

function hostRow({ address, mac, ports }: ScannedHost): string[] {
  const open = ports.map(
    ({ port, protocol, service }) => `${port}/${protocol}${service === null ? '' : ` ${service}`}`,
  );
  return [address, mac ?? '', open.join(', ')];
}

function diffText({ against, appeared, gone, opened, closed }: ScanDiff): Text {
  const port = ({ address, port, protocol }: ScanDiff['opened'][number]) => `${address} ${port}/${protocol}`;
  const changes = [
    ...appeared.map((address) => ['appeared', address]),
    ...gone.map((address) => ['gone', address]),
    ...opened.map((one) => ['opened', port(one)]),
    ...closed.map((one) => ['closed', port(one)]),
  ];
  return changes.length === 0
    ? `Nothing is other than in scan ${against}.\n`
    : table([`SINCE ${against}`, 'WHAT'], changes);
}

function stateText({ state, shards: { total, done, failed }, hosts, problem }: Scan): string {
  const parts = `${done} of ${total} parts${failed === 0 ? '' : `, ${failed} failed`}`;
  return `${state}: ${hosts} hosts, ${parts}${problem === null ? '' : `; ${problem}`}`;
}
