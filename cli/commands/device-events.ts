/** `lanreach devices events|watch` */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { EVENT_TYPES } from '../../shared/words.ts';
import { mayColor } from '../client/config.ts';
import { failureOf } from '../client/failure.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, line, render, type Text, table, time } from '../client/text.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { labelOf } from './device-text.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';

interface EventOptions {
  site?: string;
  type?: EventType[];
  since?: string;
  limit: number;
  follow?: boolean;
}

const LISTED = 20;

export function addEventCommands(command: Command): void {
  command
    .command('events')
    .description('show what has happened to the devices, or to one of them')
    .argument('[device]', DEVICE)
    .addOption(typeOption())
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--limit <number>', 'how many at most, up to 1000', countOf, LISTED)
    .option('--follow', 'show those that are still to come, as they happen; "devices watch" does the same')
    .addOption(siteOption())
    .action(async (device: string | undefined, options: EventOptions, own: Command) => {
      const session = openSession(own);
      const { site, type, since, limit, follow } = options;
      const key = device === undefined ? undefined : await keyOf(session, device, site);
      const query = { type: type?.join(','), since, device: key };
      if (follow) return followEvents(session, { site, query });
      const page = { ...query, limit: String(limit) };
      const answer = await session.client.ask('GET /events', { site, query: page });
      await session.show(answer, () => table(['TIME', 'TYPE', 'DEVICE', 'NAME', 'WHAT'], answer.events.map(eventRow)));
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null) session.note('There may be older ones; --limit shows more.');
    });

  command
    .command('watch')
    .description('show what happens to the devices, or to one of them, as it happens')
    .argument('[device]', DEVICE)
    .addOption(typeOption())
    .addOption(siteOption())
    .action(async (device: string | undefined, { site, type }: EventOptions, own: Command) => {
      const session = openSession(own);
      const key = device === undefined ? undefined : await keyOf(session, device, site);
      await followEvents(session, { site, query: { type: type?.join(','), device: key } });
    });
}

function typeOption(): Option {
  const description = `of these types only, with commas: ${EVENT_TYPES.join(', ')}`;
  return new Option('--type <types>', description).argParser(typesOf);
}

/** Lost connections in a row, after which the command gives up. */
const MAX_BREAKS = 10;

interface Followed {
  site: string | undefined;
  query: { type: string | undefined; since?: string | undefined; device: string | undefined };
}

/** Shows events until it is interrupted. What happens while the connection is broken is shown when it is back. */
async function followEvents({ client, write, note, isJson, world }: Session, question: Followed): Promise<never> {
  let lastEventId = '';
  let retryMs = 0;
  const look = { isColored: mayColor(world.stdout, world.env), isRelative: false };
  for (let breaks = 0; ; ) {
    try {
      for await (const { event, data, ...one } of client.follow('GET /events', lastEventId, question)) {
        breaks = 0;
        lastEventId = one.id ?? lastEventId;
        retryMs = one.retryMs ?? retryMs;
        if (event === 'ready' && !isJson) note('Waiting for events; Ctrl-C ends this.');
        if (event === 'gap')
          note('Too much has happened meanwhile: events were left out, "lanreach devices events" has them');
        if (event !== 'message') continue;
        if (isJson) write(`${JSON.stringify(data)}\n`, true);
        else world.stdout.write(render(eventLine(data as DeviceEvent), look));
      }
    } catch (error) {
      // One that was refused, or never worked, is not going to work.
      const failure = failureOf(error);
      if (failure?.ending !== 'failure' || lastEventId === '' || ++breaks > MAX_BREAKS) throw error;
      note(`${failure.message}; trying again`);
    }
    await sleep(Math.max(retryMs, Math.min(30_000, 500 * 2 ** breaks)) * (0.5 + Math.random()));
  }
}

function eventLine(event: DeviceEvent): Text {
  const [at = '', type = '', ...rest] = eventRow(event);
  return line([at, String(type).padEnd(10), ...rest]);
}

function eventRow({ id, at, type, device, changes, count, deleted = 0 }: DeviceEvent): Cell[] {
  const edits = Object.entries(changes).map(
    ([field, { from, to }]) => `${labelOf(field).toLowerCase()}: ${quoted(from)} → ${quoted(to)}`,
  );
  const many =
    count === undefined ? [] : [`${count} devices${deleted > 0 && deleted < count ? `, ${deleted} deleted` : ''}`];
  // What "restore" asks for.
  const change = type === 'deleted' || deleted > 0 ? [`change ${id.split('.')[0]}`] : [];
  return [time(at), type, device?.key ?? '', device?.name ?? '', [...many, ...edits, ...change].join(', ')];
}

function quoted(value: string | number | null): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function typesOf(text: string): EventType[] {
  return text.split(',').map((word) => {
    const type = EVENT_TYPES.find((one) => one === word.trim());
    if (type !== undefined) return type;
    throw new InvalidArgumentError(`Expected some of ${EVENT_TYPES.join(', ')}.`);
  });
}

function countOf(text: string): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= 1 && number <= 1_000) return number;
  throw new InvalidArgumentError('Expected a number from 1 to 1000.');
}
