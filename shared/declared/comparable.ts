/** Parts in one form, whether a file says them or the API shows them, so that they can be compared. */
import type { Check } from '../api/checks.ts';
import { shownUrl } from '../api/hook-terms.ts';
import type { Hook } from '../api/hooks.ts';
import type { Schedule } from '../api/schedules.ts';
import type { Template } from '../api/templates.ts';
import { formatIp, parseHostName, parseIp } from '../network.ts';
import { TOOL, type Tool } from '../tools/list.ts';
import type { DeclaredCheck, DeclaredHook, DeclaredSchedule } from './parts.ts';
import { valuesOf } from './settings.ts';

export type Comparable = Readonly<Record<string, unknown>>;

/** What an agent is to run, by the names of its arguments: equal for all notations of a value. */
function commandOf(tool: Tool, given: Readonly<Record<string, unknown>>): Comparable {
  const values = Object.entries(TOOL[tool].arguments).map(([name, { field, schema }]) => {
    const parsed = schema.safeParse(given[field]);
    return [name, parsed.success ? parsed.data : given[field]];
  });
  return JSON.parse(JSON.stringify(Object.fromEntries(values))) as Comparable;
}

/** The fields of a request for a command, as a file says them. */
export function argumentsOf({
  tool,
  request,
}: Pick<Schedule, 'tool' | 'request'>): Record<string, string | number | boolean> {
  const values = request as Readonly<Record<string, string | number | boolean | undefined>>;
  const named = Object.entries(TOOL[tool].arguments).flatMap(([name, { field }]) => {
    const value = values[name];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  return Object.fromEntries(named);
}

/** What of a schedule never changes: another one is another schedule. */
export const fixedOfSchedule = (schedule: Comparable): unknown => [schedule.tool, schedule.arguments];

export function declaredSchedule({ tool, arguments: given, ...when }: DeclaredSchedule): Comparable {
  const { cron = null, everySeconds = null, window = null, until = null, agent = null } = when;
  const { jitterSeconds = 60, startWithinSeconds = 600, enabled = true } = when;
  return {
    ...{ tool, arguments: commandOf(tool, given), cron, everySeconds, window },
    until: until === null ? null : new Date(until).toISOString(),
    ...{ agent, jitterSeconds, startWithinSeconds, enabled },
  };
}

export function shownSchedule(schedule: Schedule): Comparable {
  const { tool, cron, everySeconds, window, until, agent, jitterSeconds, startWithinSeconds, enabled } = schedule;
  const given = commandOf(tool, argumentsOf(schedule));
  return {
    tool,
    arguments: given,
    cron,
    everySeconds,
    window,
    until,
    agent,
    jitterSeconds,
    startWithinSeconds,
    enabled,
  };
}

const ASKED = [
  'kind',
  'device',
  'host',
  'port',
  'url',
  'status',
  'text',
  'name',
  'record',
  'server',
  'expect',
] as const;

export const fixedOfCheck = ({ everySeconds, agents, enabled, ...asked }: Comparable): unknown => asked;

export function comparableCheck(check: DeclaredCheck | Check): Comparable {
  const { everySeconds, agents, enabled, anchors, toSite } = check;
  const asked = Object.fromEntries(ASKED.map((field) => [field, check[field]]));
  return {
    ...asked,
    host: hostOf(check.host),
    server: hostOf(check.server),
    url: check.url === undefined ? undefined : urlOf(check.url),
    name: check.kind === 'dns' ? hostOf(check.name) : undefined,
    anchors: anchors === undefined ? undefined : [...new Set(anchors.map(hostOf))],
    ...{ toSite, everySeconds, enabled },
    agents: typeof agents === 'string' ? agents : [...new Set(agents)],
  };
}

/** Of its URL only what is shown of it can be compared, and nothing of its secret. */
export function comparableHook(hook: Omit<DeclaredHook, 'secret' | 'name'> | Hook, isShown: boolean): Comparable {
  const { url, format, events, skipRandomMacs, quiet, only, digest, enabled } = hook;
  const where = isShown ? url : shownUrl(url);
  return { url: where, format, events: [...new Set(events)].sort(), skipRandomMacs, quiet, only, digest, enabled };
}

/** A template with a field for each of its parts. */
export function comparableTemplate(
  { tags, settings, schedules, checks, hooks }: Pick<Template, 'tags' | 'settings' | 'schedules' | 'checks' | 'hooks'>,
  isShown: boolean,
): Comparable {
  return {
    tags: [...new Set(tags)].sort(),
    ...Object.fromEntries(Object.entries(valuesOf(settings)).map(([path, value]) => [path, value])),
    ...Object.fromEntries(schedules.map((one) => [`schedule ${one.name}`, declaredSchedule(one)])),
    ...Object.fromEntries(checks.map((one) => [`check ${one.label}`, comparableCheck(one)])),
    ...Object.fromEntries(hooks.map((one) => [`hook ${one.name}`, comparableHook(one, isShown)])),
  };
}

function hostOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const address = parseIp(text);
  return address === null ? (parseHostName(text) ?? text) : formatIp(address);
}

function urlOf(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
