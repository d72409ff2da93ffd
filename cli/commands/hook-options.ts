/** What the options of a notification say: events, quiet hours, chosen devices, a digest. */
import { InvalidArgumentError, Option } from 'commander';
import type { EventType } from '../../shared/api/events.ts';
import type { Hook } from '../../shared/api/hooks.ts';
import type { Digest, ReportTime } from '../../shared/schedule-terms.ts';
import { EVENT_TYPES, HOOK_FORMATS, REPORT_LANGUAGES, WEEKDAYS } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import type { Command } from '../command.ts';
import { onOrOff } from '../option-values.ts';

export interface Chosen {
  name?: string;
  event?: EventType[];
  format?: Hook['format'];
  skipRandomMacs?: boolean;
  /** commander makes an empty text of null. */
  digest?: Digest | '';
  report?: ReportTime | '';
  quiet?: NonNullable<Hook['quiet']> | '';
  quietExcept?: EventType[];
  only?: string[];
}

const DIGEST_EXAMPLES = 'daily@08:00, weekly@monday,08:00 or none';

function digestFrom(text: string): Digest | null {
  if (text === 'none') return null;
  const [, day] = /^daily@(.+)$/.exec(text) ?? [];
  const [, weekday, at] = /^weekly@(\w+),(.+)$/.exec(text) ?? [];
  const time = day ?? at ?? '';
  if (/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) {
    if (day !== undefined) return { every: 'day', at: time };
    const named = WEEKDAYS.find((one) => one === weekday);
    if (named !== undefined) return { every: 'week', weekday: named, at: time };
  }
  throw new InvalidArgumentError(`Expected ${DIGEST_EXAMPLES}, by the clock of the site.`);
}

export function digestText(digest: Digest | null): string {
  if (digest === null) return 'none';
  return digest.every === 'day' ? `daily@${digest.at}` : `weekly@${digest.weekday},${digest.at}`;
}

const REPORT_EXPECTED = `monthly@07:00 or weekly@07:00, with a language behind it if it is not English, such as monthly@07:00,de; or none`;

function reportFrom(text: string): ReportTime | null {
  if (text === 'none') return null;
  const [, often, at = '', named = 'en'] = /^(monthly|weekly)@(\d\d:\d\d)(?:,(\w\w))?$/.exec(text) ?? [];
  const language = REPORT_LANGUAGES.find((one) => one === named);
  if (often === undefined || language === undefined) throw new InvalidArgumentError(`Expected ${REPORT_EXPECTED}.`);
  return { every: often === 'monthly' ? 'month' : 'week', at, language };
}

export function reportText(report: ReportTime | null): string {
  if (report === null) return 'none';
  const { every, at, language, timeZone } = report;
  return [`${every}ly@${at}`, language, ...(timeZone === undefined ? [] : [timeZone])].join(',');
}

const QUIET_EXPECTED = '22:00-07:00, by the clock of the site, or none';
const ONLY_EXPECTED = 'type:<type>, group:<group>, device:<mac>, favourites, or none';

function quietFrom(text: string): Hook['quiet'] {
  if (text === 'none') return null;
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError(`Expected ${QUIET_EXPECTED}.`);
  return { from, to };
}

/** The words of `--only`, each of one device or of many; the API knows which exist. */
function onlyFrom(words: readonly string[]): Hook['only'] {
  if (words.join() === 'none') return null;
  const all = (kind: string) =>
    words.flatMap((word) => (word.startsWith(`${kind}:`) ? [word.slice(kind.length + 1)] : []));
  const wrong = words.find((word) => word !== 'favourites' && !/^(?:type|group|device):./s.test(word));
  if (wrong !== undefined) throw new Failure('usage', `--only: "${wrong}": expected ${ONLY_EXPECTED}`);
  const lists = { types: all('type'), groups: all('group'), devices: all('device') };
  const named = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  return { ...named, ...(words.includes('favourites') ? { favourites: true } : {}) };
}

/** Adds them to `notifications add` and `set`. */
export function addRuleOptions(command: Command, format: Option): Command {
  return command
    .option('--name <name>', 'its name in lists, in place of its URL')
    .addOption(new Option('--event <type...>', 'the events to send').choices(EVENT_TYPES))
    .addOption(format)
    .option('--skip-random-macs <on|off>', 'leave out new devices with a randomized MAC', onOrOff)
    .option('--digest <when>', `one message that sums up changes: ${DIGEST_EXAMPLES}`, digestFrom)
    .option('--report <when>', `a report by e-mail: ${REPORT_EXPECTED}`, reportFrom)
    .option('--quiet <hours>', `hold messages during these hours: ${QUIET_EXPECTED}`, quietFrom)
    .addOption(new Option('--quiet-except <type...>', 'send these events at once all the same').choices(EVENT_TYPES))
    .option('--only <what...>', `only of certain devices: ${ONLY_EXPECTED}`);
}

export function formatOption(): Option {
  return new Option('--format <format>', 'the format of the receiver').choices(HOOK_FORMATS);
}

/** What of the options goes to the API; nothing of those that were not given. */
export function ruleOf({ name, event, format, skipRandomMacs, digest, report, quiet, quietExcept, only }: Chosen) {
  if (quietExcept !== undefined && !quiet) throw new Failure('usage', '--quiet-except needs --quiet');
  return {
    name,
    events: event,
    format,
    skipRandomMacs,
    digest: digest === '' ? null : digest,
    report: report === '' ? null : report,
    quiet: quiet === '' ? null : quiet && { ...quiet, ...(quietExcept && { exceptEvents: quietExcept }) },
    only: only === undefined ? undefined : onlyFrom(only),
  };
}

export function quietText(quiet: Hook['quiet']): string {
  if (quiet === null) return 'none';
  const { from, to, exceptEvents = [] } = quiet;
  return `${from}-${to}${exceptEvents.length === 0 ? '' : ` (not ${exceptEvents.join(', ')})`}`;
}

export function onlyText(only: Hook['only']): string {
  if (only === null) return 'every device';
  const { types = [], groups = [], devices = [], favourites = false } = only;
  const words = [
    ...types.map((type) => `type:${type}`),
    ...groups.map((group) => `group:${group}`),
    ...devices.map((device) => `device:${device}`),
    ...(favourites ? ['favourites'] : []),
  ];
  return words.join(', ');
}
