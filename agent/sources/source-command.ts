/** `lanreach-agent source`: the sources of this agent, in a file that the running agent follows. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { oneLine } from '../../shared/text.ts';
import type { Config } from '../config.ts';
import { SEEN_WITHIN_MS } from '../discovery/witness.ts';
import { readPolicy } from '../jobs/policy.ts';
import { STATE } from '../state/layout.ts';
import { enterAsOwner, prepareStateDirectory } from '../state/ownership.ts';
import { SOURCE_KINDS } from './kinds.ts';
import { type Reading, readSource } from './reading.ts';
import {
  MAX_SOURCES,
  Minutes,
  optionOf,
  readSources,
  SettingsError,
  SourceName,
  type StoredSource,
  sourceOf,
  writeSources,
} from './settings.ts';
import type { SourceKind } from './source.ts';

const SOURCE_HELP = `Usage:
  lanreach-agent source kinds                show every kind of source, its settings, and the rights that it needs
  lanreach-agent source add <kind> [--name <name>] [--every <minutes>] [--<setting> <value> …]
                                             read it once, and keep it if that works; secrets come from a prompt, or from
                                             standard input, one a line
  lanreach-agent source test <name> [--accept-certificate]
                                             read it once, and show what it brings
  lanreach-agent source list                 show the sources, without their secrets
  lanreach-agent source remove <name>
`;

interface Terminal {
  print(line: string): void;
  /** The secrets of these labels, in order; empty for one that was left out. */
  secrets(labels: readonly string[]): Promise<string[]>;
}

/** @throws {SettingsError} for wrong arguments @throws {SourceFailure} when the source cannot be read: nothing was kept */
export async function sourceCommand(
  [command, ...args]: readonly string[],
  config: Pick<Config, 'stateDirectory' | 'policyFile'>,
  terminal: Terminal = ON_TERMINAL,
  kinds: readonly SourceKind[] = SOURCE_KINDS,
): Promise<void> {
  const { print } = terminal;
  if (command === undefined || command === '--help' || command === '-h') return print(SOURCE_HELP.trimEnd());
  if (command === 'kinds') return print(kinds.map(describeKind).join('\n'));
  if (!['add', 'test', 'list', 'remove'].includes(command))
    throw new SettingsError(`there is no command "source ${command}"`);
  // Before the process becomes the owner of the state, who may not be able to read the policy.
  const { sources: rules } = await readPolicy(config.stateDirectory, config.policyFile);
  const { path: directory, leave } = await enterAsOwner(config.stateDirectory);
  try {
    await prepareStateDirectory(directory);
    const file = join(directory, STATE.sources);
    const all = await readSources(file);
    const tried = async (stored: StoredSource, mayPin: boolean) => {
      const source = sourceOf(stored, kinds);
      const options = { rules, pins: source.pins, mayPin, memory: new Map(), now: Date.now };
      const reading = await readSource(source, options, new AbortController().signal);
      for (const line of describeReading(reading, Date.now())) print(line);
      for (const [host, pin] of source.pins) print(`Its certificate at ${host} is pinned: SHA-256 ${pin}`);
      return { ...stored, pins: Object.fromEntries(source.pins) };
    };
    if (command === 'list') {
      if (all.length === 0)
        print('There are no sources. To add one: lanreach-agent source add <kind>; see source kinds');
      for (const each of all) print(describeStored(each, kinds));
    } else if (command === 'add') {
      const stored = await enteredSource(args, kinds, terminal);
      if (all.some(({ name }) => name === stored.name)) {
        throw new SettingsError(`--name: there is a source ${stored.name}; choose another name, or remove it first`);
      }
      if (all.length >= MAX_SOURCES)
        throw new SettingsError(`there are ${MAX_SOURCES} sources, as many as an agent reads`);
      const kept = await tried(stored, true);
      await writeSources(file, [...all, kept]);
      print(`Source ${kept.name} was added. A running agent reads it within seconds.`);
    } else {
      const { values, positionals } = parsed(args, command === 'test' ? { 'accept-certificate': 'boolean' } : {});
      const found = all.find(({ name }) => name === positionals[0]);
      if (found === undefined || positionals.length > 1) {
        throw new SettingsError(
          `source ${command} expects the name of a source: ${all.map(({ name }) => name).join(', ') || 'there is none'}`,
        );
      }
      const isAccepted = values['accept-certificate'] === true;
      if (command === 'remove') {
        await writeSources(file, all.toSpliced(all.indexOf(found), 1));
        print(`Source ${found.name} was removed.`);
      } else {
        const kept = await tried(isAccepted ? { ...found, pins: {} } : found, isAccepted);
        if (isAccepted) await writeSources(file, all.with(all.indexOf(found), kept));
      }
    }
  } finally {
    leave();
  }
}

async function enteredSource(
  args: readonly string[],
  kinds: readonly SourceKind[],
  { secrets }: Terminal,
): Promise<StoredSource> {
  const [word = '', ...rest] = args;
  const kind = kinds.find((each) => each.kind === word);
  if (kind === undefined)
    throw new SettingsError(`source add expects a kind: ${kinds.map((each) => each.kind).join(', ')}`);
  const names = Object.keys(kind.settings.shape);
  const open = names.filter((name) => !kind.secrets.includes(name));
  const secret = rest.find((arg) =>
    kind.secrets.some((name) => arg === optionOf(name) || arg.startsWith(`${optionOf(name)}=`)),
  );
  if (secret !== undefined) {
    throw new SettingsError(
      `${secret.split('=')[0]} is secret, and no argument: other users would see it. Enter it at the prompt`,
    );
  }
  const options = Object.fromEntries(
    ['--name', '--every', ...open.map(optionOf)].map((name) => [name.slice(2), 'string' as const]),
  );
  const { values, positionals } = parsed(rest, options);
  if (positionals.length > 0) throw new SettingsError(`source add takes one kind, but got "${positionals[0]}" as well`);
  const name = SourceName.safeParse(values.name ?? word);
  if (!name.success) throw new SettingsError(`--name: ${name.error.issues[0]?.message}`);
  const every = Minutes.safeParse(values.every ?? 5);
  if (!every.success) throw new SettingsError('--every: expected 1 to 30 minutes');
  const answers = kind.secrets.length > 0 ? await secrets(kind.secrets.map((each) => labelOf(kind, each))) : [];
  const entered = [
    ...open.map((each) => [each, values[optionOf(each).slice(2)]] as const),
    ...kind.secrets.map((each, i) => [each, answers[i] || undefined] as const),
  ].flatMap(([each, value]) => (typeof value === 'string' ? [[each, value] as const] : []));
  const base = { name: name.data, kind: word, everyMinutes: every.data, pins: {} };
  return { ...base, settings: Object.fromEntries(entered) };
}

function parsed(args: readonly string[], options: Record<string, 'string' | 'boolean'>) {
  const types = Object.entries(options).map(([name, type]) => [name, { type }] as const);
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: Object.fromEntries(types) });
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : String(error));
  }
}

function describeReading({ hosts, isCut }: Reading, now: number): string[] {
  const all = [...hosts.values()];
  const count = (has: (host: (typeof all)[number]) => unknown) => all.filter(has).length;
  const named = count(({ givenName, hostName }) => givenName ?? hostName);
  const given = count(({ givenName }) => givenName);
  const present = count(({ lastSeen }) => lastSeen !== undefined && now - lastSeen <= SEEN_WITHIN_MS);
  const placed = count(({ link }) => link?.ssid ?? link?.accessPoint ?? link?.port ?? link?.switch);
  const last = isCut ? ['It has more hosts; the others are ignored.'] : [];
  return [
    `It knows ${all.length} ${all.length === 1 ? 'host' : 'hosts'}: ${named} with a name (${given} by a person), ${present} seen within ${SEEN_WITHIN_MS / 60_000} minutes, ${placed} with a port or radio network.`,
    ...last,
  ];
}

function describeStored(
  { name, kind: word, everyMinutes, settings, pins }: StoredSource,
  kinds: readonly SourceKind[],
): string {
  const kind = kinds.find((each) => each.kind === word);
  const shown = Object.entries(settings).map(([key, value]) => {
    return `${optionOf(key)} ${kind === undefined || kind.secrets.includes(key) ? '(set)' : oneLine(value)}`;
  });
  const pinned = Object.keys(pins).length > 0 ? ', certificate pinned' : '';
  return `${name} (${kind?.title ?? word}), every ${everyMinutes} min${pinned}: ${shown.join(' ')}`;
}

function describeKind(kind: SourceKind): string {
  const settings = Object.keys(kind.settings.shape).map((name) => `    ${labelOf(kind, name)}`);
  return [`${kind.kind}: ${kind.title}`, ...settings, `    Rights: ${kind.rights}`].join('\n');
}

function labelOf({ settings, secrets }: SourceKind, name: string): string {
  const { description } = settings.shape[name] as { description?: string };
  const what = description === undefined ? '' : `: ${description}`;
  return `${secrets.includes(name) ? `${name} (secret)` : optionOf(name)}${what}`;
}

const MAX_INPUT = 64 * 1024;

const ON_TERMINAL: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  async secrets(labels) {
    if (!process.stdin.isTTY) return (await textOf(process.stdin)).slice(0, MAX_INPUT).split(/\r?\n/);
    const answers: string[] = [];
    for (const label of labels) answers.push(await hidden(`${label}: `));
    return answers;
  },
};

/** What a person enters is not shown. */
function hidden(label: string): Promise<string> {
  process.stderr.write(label);
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const input = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    input.once('SIGINT', () => {
      input.close();
      reject(new SettingsError('nothing was entered'));
    });
    input.question('', (answer) => {
      input.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
}
