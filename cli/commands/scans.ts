/** `lanreach scans …`, and scans of networks that are too large for one command. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { ConnectionError } from '../../client/errors.ts';
import type { AnswerOf } from '../../client/routes.ts';
import { type Scan, type ScanDiff, type ScannedHost, scanRange, shardAddresses } from '../../shared/api/scans.ts';
import { shellWord } from '../../shared/install-line.ts';
import { rangeSize } from '../../shared/network.ts';
import type { Scanning } from '../../shared/tools/nmap.ts';
import { Failure } from '../client/failure.ts';
import { progressLine } from '../client/progress-line.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, fields, muted, state, type Text, table, time } from '../client/text.ts';
import { isRefusedForNow, UNREACHABLE_FOR_MS } from './nettools.ts';
import { siteOption } from './site-option.ts';

const CHECK_INTERVAL_MS = 2_000;

interface SiteOptions {
  site?: string;
}

export function addScansCommands(command: Command): void {
  command
    .command('list')
    .description('list the scans of the last 30 days')
    .addOption(siteOption())
    .action(async ({ site }: SiteOptions, own: Command) => {
      const session = openSession(own);
      const answer = await session.client.ask('GET /scans', { site });
      await session.show(answer, () =>
        table(['NETWORK', 'STATE', 'HOSTS', 'MODE', 'PARTS', 'STARTED', 'ID'], answer.scans.map(row)),
      );
      noteUnreadable(session, answer.unreadable);
    });

  command
    .command('show')
    .description('show the hosts of a scan, and the differences from the previous one')
    .argument('<scan>', 'its id, as "scans list" shows it')
    .addOption(siteOption())
    .action(async (scan: string, { site }: SiteOptions, own: Command) => {
      const { client, show, note } = openSession(own);
      const answer = await client.ask('GET /scans/{scan}', { site, params: { scan } });
      await show(answer, () => scanText(answer));
      note(stateText(answer));
    });

  command
    .command('cancel')
    .description('stop a scan; what it has found stays')
    .argument('<scan>', 'its id, as "scans list" shows it')
    .addOption(siteOption())
    .action(async (scan: string, { site }: SiteOptions, own: Command) => {
      const { client, show } = openSession(own);
      const answer = await client.ask('DELETE /scans/{scan}', { site, params: { scan } });
      await show(answer, () => fields({ scan: answer.id, network: answer.range, state: answer.state }));
    });
}

/** Whether a target is a network that one command of an agent does not scan, by the default of its policy. */
export function isLarge(target: string | undefined, how: Scanning): boolean {
  const range = target === undefined ? null : scanRange(target);
  return range !== null && rangeSize(range) > BigInt(shardAddresses(how));
}

/** Starts a scan in shards, and shows its progress until it ends, unless --no-wait is given. */
export async function scanLarge(
  session: Session,
  { site, range, mode, protocol, wait }: Scanning & { site: string | undefined; range: string; wait: boolean },
): Promise<void> {
  const { client, show, note } = session;
  const started = await client.ask('POST /scans', { site, body: { range, mode, protocol } });
  const where = site === undefined ? '' : ` --site ${shellWord(site)}`;
  note(`${started.shards.total} parts. To see it later: lanreach scans show ${started.id}${where}`);
  if (!wait) return show(started, () => fields({ scan: started.id, network: started.range, state: started.state }));
  await untilScanned(session, site, started.id);
  const answer = await client.ask('GET /scans/{scan}', { site, params: { scan: started.id } });
  await show(answer, () => scanText(answer));
  note(stateText(answer));
  if (answer.state === 'done' && answer.shards.failed === 0) return;
  const why = answer.problem === null ? '' : `: ${answer.problem}`;
  throw new Failure('failure', `The scan is ${answer.state}, ${answer.shards.failed} parts failed${why}`);
}

/** The list says how far each is, without its hosts. */
async function untilScanned({ client, world }: Session, site: string | undefined, id: string): Promise<void> {
  const line = progressLine(world.stderr);
  let answeredAt = Date.now();
  try {
    for (;;) {
      const next = sleep(CHECK_INTERVAL_MS);
      try {
        const { scans: known } = await client.ask('GET /scans', { site });
        const scan = known.find((one) => one.id === id);
        if (scan === undefined || scan.state !== 'running') return;
        line.show(`${scan.range}: ${scan.hosts} hosts`, scan.percent);
        answeredAt = Date.now();
      } catch (error) {
        const isBroken = error instanceof ConnectionError && Date.now() - answeredAt < UNREACHABLE_FOR_MS;
        if (!isBroken && !isRefusedForNow(error)) throw error;
      }
      await next;
    }
  } finally {
    line.clear();
  }
}

function row({ id, range, mode, protocol, shards: { total, done, failed }, hosts, createdAt, ...scan }: Scan): Cell[] {
  const ended = failed === 0 ? `${done}/${total}` : `${done}/${total}, ${failed} failed`;
  return [
    range,
    state(scan.state),
    String(hosts),
    protocol === 'udp' ? `${mode} udp` : mode,
    ended,
    time(createdAt),
    muted(id),
  ];
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
