/** `lanreach schedule …` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Schedule } from '../../shared/api/schedules.ts';
import { TOOL, TOOLS, type Tool } from '../../shared/tools/list.ts';
import { Failure } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { type Cell, fields, muted, state, type Text, table, time } from '../client/text.ts';
import { durationText, toSeconds } from './duration-option.ts';
import { addTemplate, type Place, sitesOption, tagsOf } from './selection.ts';
import { agentOption } from './site-option.ts';
import { toTime } from './time-option.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface SiteOption {
  site?: string;
}

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
    command.command(name).description(description).option('--site <site>', "default: the token's default site");
  const addChange = (name: string, description: string) =>
    add(name, description).argument('<id>', 'as "schedule list" shows it');

  withTiming(add('add', 'run a tool again and again, at one site or at all with a tag').addOption(sitesOption()))
    .argument('<name>', 'for people')
    .addOption(new Option('--tool <tool>', 'what to run').choices(TOOLS).makeOptionMandatory())
    .option('--arg <name=value>', `an argument of the tool, as often as needed (${argumentNames()})`, collectArguments)
    .action(async (name: string, chosen: Place & When & { tool: Tool; arg?: Arguments }, own: Command) => {
      const session = openSession(own);
      const { tool, arg, cron, every } = chosen;
      if ((cron === undefined) === (every === undefined))
        throw new Failure('usage', "Say when: --cron '0 2 * * *', or --every 6h");
      const wanted = { name, tool, arguments: arg ?? {}, ...timingOf(chosen) };
      const tags = tagsOf(chosen);
      if (tags !== null) return void (await addTemplate(session, tags, name, { schedules: [wanted] }));
      const added = await session.client.ask('POST /schedules', { site: chosen.site, body: wanted });
      await session.show(added, () => fields(described(added)));
    });

  add('list', 'list the schedules of a site').action(async ({ site }: SiteOption, own: Command) => {
    const session = openSession(own);
    const answer = await session.client.ask('GET /schedules', { site });
    await session.show(answer, () => listText(answer.schedules));
    noteUnreadable(session, answer.unreadable);
  });

  add('show', 'show a schedule')
    .argument('<id>', 'as "schedule list" shows it')
    .action(async (schedule: string, { site }: SiteOption, own: Command) => {
      const { client, show, note } = openSession(own);
      const found = await client.ask('GET /schedules/{schedule}', { site, params: { schedule } });
      await show(found, () => fields(described(found)));
      if (found.last !== null) note(`What it printed: lanreach runs ${found.last.job}`);
    });

  withTiming(addChange('set', 'change when a schedule runs; what is not named stays as it is'))
    .option('--name <name>', 'for people')
    .action(async (id: string, { name, ...chosen }: SiteOption & When & { name?: string }, own: Command) => {
      await change(own, id, chosen.site, { ...(name === undefined ? {} : { name }), ...timingOf(chosen) });
    });

  for (const [name, description, enabled] of [
    ['pause', 'run a schedule no more, until it is resumed', false],
    ['resume', 'run a schedule again', true],
  ] as const)
    addChange(name, description).action((id: string, { site }: SiteOption, own: Command) =>
      change(own, id, site, { enabled }),
    );

  addChange('remove', 'remove a schedule; what it has run stays')
    .addOption(yesOption())
    .action(async (schedule: string, { site, yes }: SiteOption & YesOption, own: Command) => {
      const { client, show, note, world } = openSession(own);
      await confirm(world, `Remove the schedule ${schedule}?`, yes);
      const answer = await client.ask('DELETE /schedules/{schedule}', { site, params: { schedule } });
      await show(answer, () => '');
      note(`The schedule ${schedule} is removed.`);
    });
}

async function change(own: Command, schedule: string, site: string | undefined, body: object): Promise<void> {
  const { client, show } = openSession(own);
  const changed = await client.ask('PATCH /schedules/{schedule}', { site, params: { schedule }, body });
  await show(changed, () => fields(described(changed)));
}

function withTiming(command: Command): Command {
  return command
    .option('--cron <expression>', "when, by the clock of the site: '0 2 * * *' is every night at two")
    .option('--every <duration>', 'how often, such as 6h; five minutes at least', toSeconds)
    .option('--window <from-to>', 'only within a part of the day, such as 22:00-06:00', toWindow)
    .option('--jitter <duration>', 'start up to this much later, so that not all sites start at once', toSeconds)
    .option('--start-within <duration>', 'how late a run may start; after that it counts as missed', toSeconds)
    .option('--until <time>', 'until when: 2026-12-31, or 2026-12-31T08:00:00Z', toTime)
    .addOption(agentOption());
}

function timingOf({ cron, every, window, jitter, startWithin, until, agent }: When) {
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { everySeconds: every }),
    ...(window === undefined ? {} : { window }),
    ...(jitter === undefined ? {} : { jitterSeconds: jitter }),
    ...(startWithin === undefined ? {} : { startWithinSeconds: startWithin }),
    ...(until === undefined ? {} : { until }),
    ...(agent === undefined ? {} : { agent }),
  };
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

function listText(all: readonly Schedule[]): Text {
  return table(['NAME', 'WHEN', 'NEXT', 'LAST', 'TOOL', 'SITE', 'MISSED', 'ID'], all.map(row));
}

function row(schedule: Schedule): Cell[] {
  const { id, site, name, tool, missed } = schedule;
  const times = [whenText(schedule), nextText(schedule), lastText(schedule)];
  return [name, ...times, tool, site, String(missed?.count ?? 0), muted(id)];
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

function described(schedule: Schedule): Record<string, Cell> {
  const { id, site, name, tool, request, timeZone, jitterSeconds, startWithinSeconds, until, agent } = schedule;
  const given = Object.entries(request).filter(([argument]) => argument !== 'tool');
  return {
    ...{ id, site, name },
    command: [tool, ...given.map(([argument, value]) => `${argument}=${value}`)].join(' '),
    when: `${whenText(schedule)} (${timeZone})`,
    ...(until === null ? {} : { until: time(until) }),
    starts: `up to ${durationText(jitterSeconds)} later, ${durationText(startWithinSeconds)} at the latest`,
    agent: agent ?? 'one that is connected',
    next: nextText(schedule),
    last: lastText(schedule),
    ...(schedule.missed === null ? {} : { missed: [`${schedule.missed.count}, last `, time(schedule.missed.lastAt)] }),
    created: [time(schedule.createdAt), ` by ${schedule.createdBy}`],
  };
}
