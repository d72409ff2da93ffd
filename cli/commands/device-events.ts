/** `lanreach devices events|watch` */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import type { QueryOf } from '../../client/routes.ts';
import type { DeviceEvent } from '../../shared/api/events.ts';
import { EVENT_TYPES } from '../../shared/words.ts';
import { mayColor } from '../client/config.ts';
import { failureOf } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { type Cell, line, render, type Text, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { countUpTo, listFrom, TIME_EXAMPLES, toTime } from '../option-values.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { labelOf } from './device-text.ts';

interface EventOptions {
  type?: string;
  since?: string;
  limit: number;
  follow?: boolean;
}

export function addEventCommands(command: Command): void {
  const add = (name: string, description: string) =>
    command
      .part(name, description)
      .argument('[device]', DEVICE)
      .option('--type <types>', `of these types only, with commas: ${EVENT_TYPES.join(', ')}`, typesOf);

  add('events', 'show what has happened to the devices, or to one of them')
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--limit <number>', 'how many at most, up to 1000', countUpTo(1_000), 20)
    .option('--follow', 'show those that are still to come, as they happen; "devices watch" does the same')
    .withSite()
    .run(async (session, device: string | undefined, { type, since, limit, follow }: EventOptions) => {
      const { site, request, note } = session;
      const query = { type, since, device: device === undefined ? undefined : await keyOf(session, device) };
      if (follow) return followEvents(session, query);
      const page = { ...query, limit: String(limit) };
      const answer = await request('GET /events', { site, query: page }, ({ events }) =>
        table(['TIME', 'TYPE', 'DEVICE', 'NAME', 'WHAT'], events.map(eventRow)),
      );
      if (answer.nextCursor !== null) note('There may be older ones; --limit shows more.');
    });

  add('watch', 'show what happens to the devices, or to one of them, as it happens')
    .withSite()
    .run(async (session, device: string | undefined, { type }: EventOptions) =>
      followEvents(session, { type, device: device === undefined ? undefined : await keyOf(session, device) }),
    );
}

/** Lost connections in a row, after which the command gives up. */
const MAX_BREAKS = 10;

/** Shows events until it is interrupted. What happens while the connection is broken is shown when it is back. */
async function followEvents(session: Session, query: NonNullable<QueryOf<'GET /events'>>): Promise<never> {
  const { client, write, note, isJson, world, site } = session;
  let lastEventId = '';
  let retryMs = 0;
  const look = { isColored: mayColor(world.stdout, world.env), isRelative: false };
  for (let breaks = 0; ; ) {
    try {
      for await (const { event, data, ...one } of client.follow('GET /events', lastEventId, { site, query })) {
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

function typesOf(text: string): string {
  const types = listFrom(text);
  if (types.every((word) => EVENT_TYPES.some((type) => type === word))) return types.join(',');
  throw new InvalidArgumentError(`Expected some of ${EVENT_TYPES.join(', ')}.`);
}
