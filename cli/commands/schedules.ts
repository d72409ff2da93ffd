/** `lanreach schedule …` */
import { InvalidArgumentError, Option } from 'commander';
import type { BodyOf } from '../../client/routes.ts';
import type { Schedule } from '../../shared/api/schedules.ts';
import { TOOL, TOOLS, type Tool } from '../../shared/tools/list.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { type Cell, type Fields, fields, muted, state, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { durationText, toSeconds, toTime } from '../option-values.ts';
import { wordsOf } from './run-text.ts';
import { addTemplate, type Place, tagsOf } from './selection.ts';

interface When {
  cron?: string;
  every?: number;
  window?: { from: string; to: string };
  jitter?: number;
  startWithin?: number;
  until?: string;
  agent?: string;
}

type Arguments = Record<string, string | boolean>;

export function addScheduleCommands(command: Command): void {
  const add = (name: string, description: string) =>
    command.part(name, description).withSite("default: the token's default site");
  const ofOne = (name: string, description: string) =>
    add(name, description).argument('<id>', 'as "schedule list" shows it');
  const change = ({ request, site }: Session, schedule: string, body: BodyOf<'PATCH /schedules/{schedule}'>) =>
    request('PATCH /schedules/{schedule}', { site, params: { schedule }, body }, described);

  withTiming(add('add', 'run a tool again and again, at one site or at all with a tag').withTags())
    .argument('<name>', 'for people')
    .addOption(new Option('--tool <tool>', 'what to run').choices(TOOLS).makeOptionMandatory())
    .option('--arg <name=value>', `an argument of the tool, as often as needed (${argumentNames()})`, collectArguments)
    .run(async (session, name: string, chosen: Place & When & { tool: Tool; arg?: Arguments }) => {
      const { tool, arg, cron, every } = chosen;
      if ((cron === undefined) === (every === undefined))
        throw new Failure('usage', "Say when: --cron '0 2 * * *', or --every 6h");
      const wanted = { name, tool, arguments: arg ?? {}, ...timingOf(chosen) };
      const tags = tagsOf(chosen);
      if (tags !== null) return addTemplate(session, tags, name, { schedules: [wanted] });
      return session.request('POST /schedules', { site: session.site, body: wanted }, described);
    });

  add('list', 'list the schedules of a site').run(({ request, site }) =>
    request('GET /schedules', { site }, ({ schedules }) =>
      table(['NAME', 'WHEN', 'NEXT', 'LAST', 'TOOL', 'SITE', 'MISSED', 'ID'], schedules.map(row)),
    ),
  );

  ofOne('show', 'show a schedule').run(async ({ request, note, site }, schedule: string) => {
    const { last } = await request('GET /schedules/{schedule}', { site, params: { schedule } }, described);
    if (last !== null) note(`What it printed: lanreach runs ${last.job}`);
  });

  withTiming(ofOne('set', 'change when a schedule runs; what is not named stays as it is'))
    .option('--name <name>', 'for people')
    .run((session, id: string, { name, ...chosen }: When & { name?: string }) =>
      change(session, id, { name, ...timingOf(chosen) }),
    );

  for (const [name, description, enabled] of [
    ['pause', 'run a schedule no more, until it is resumed', false],
    ['resume', 'run a schedule again', true],
  ] as const)
    ofOne(name, description).run((session, id: string) => change(session, id, { enabled }));

  ofOne('remove', 'remove a schedule; what it has run stays')
    .withYes()
    .run(async ({ confirm, request, note, site }, schedule: string) => {
      await confirm(`Remove the schedule ${schedule}?`);
      await request('DELETE /schedules/{schedule}', { site, params: { schedule } });
      note(`The schedule ${schedule} is removed.`);
    });
}

function withTiming(command: Command): Command {
  return command
    .option('--cron <expression>', "when, by the clock of the site: '0 2 * * *' is every night at two")
    .option('--every <duration>', 'how often, such as 6h; five minutes at least', toSeconds)
    .option('--window <from-to>', 'only within a part of the day, such as 22:00-06:00', toWindow)
    .option('--jitter <duration>', 'start up to this much later, so that not all sites start at once', toSeconds)
    .option('--start-within <duration>', 'how late a run may start; after that it counts as missed', toSeconds)
    .option('--until <time>', 'until when: 2026-12-31, or 2026-12-31T08:00:00Z', toTime)
    .withAgent();
}

function timingOf({ cron, every, window, jitter, startWithin, until, agent }: When) {
  const seconds = { everySeconds: every, jitterSeconds: jitter, startWithinSeconds: startWithin };
  return { cron, window, until, agent, ...seconds };
}

function toWindow(text: string): { from: string; to: string } {
  const [, from, to] = /^(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError('Expected two times such as 22:00-06:00.');
  return { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
}

function collectArguments(text: string, before: Arguments = {}): Arguments {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected a name and a value such as scan=192.168.1.0/24.');
  const value = text.slice(at + 1);
  const isFlag = value === 'true' || value === 'false';
  return { ...before, [text.slice(0, at)]: isFlag ? value === 'true' : value };
}

function argumentNames(): string {
  const named = TOOLS.map((tool) => [tool, Object.values(TOOL[tool].arguments).map(({ field }) => field)] as const);
  return named.flatMap(([tool, names]) => (names.length === 0 ? [] : [`${tool}: ${names.join(', ')}`])).join('; ');
}

function row(schedule: Schedule): Cell[] {
  const { id, site, name, tool, missed } = schedule;
  const times = [whenText(schedule), nextText(schedule), lastText(schedule)];
  return [name, ...times, tool, site, missed?.count ?? 0, muted(id)];
}

function whenText({ cron, everySeconds, window }: Schedule): string {
  const often = cron ?? `every ${durationText(everySeconds ?? 0)}`;
  return window === null ? often : `${often}, ${window.from}-${window.to}`;
}

const nextText = ({ enabled, nextAt }: Schedule): Cell => (enabled ? time(nextAt, 'never') : state('paused'));

function lastText({ last }: Schedule): Cell {
  if (last === null) return '-';
  return [time(last.turn), ' ', state(last.state), last.reason === null ? '' : ` (${last.reason})`];
}

function described(schedule: Schedule): Fields {
  const { id, site, name, timeZone, jitterSeconds, startWithinSeconds, until, agent, missed } = schedule;
  return fields({
    ...{ id, site, name },
    command: wordsOf(schedule),
    when: `${whenText(schedule)} (${timeZone})`,
    until: until && time(until),
    starts: `up to ${durationText(jitterSeconds)} later, ${durationText(startWithinSeconds)} at the latest`,
    agent: agent ?? 'one that is connected',
    next: nextText(schedule),
    last: lastText(schedule),
    missed: missed && [missed.count, ', last ', time(missed.lastAt)],
    created: [time(schedule.createdAt), ` by ${schedule.createdBy}`],
  });
}
