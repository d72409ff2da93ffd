/** What the actions of commands use: the API, and the two output streams. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Client, openClient, type Question } from '../../client/client.ts';
import type { AnswerOf, Route } from '../../client/routes.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { shellWord } from '../../shared/install-line.ts';
import { printable, printableJson } from '../../shared/text.ts';
import { type AccessOptions, mayColor, readAccess } from './config.ts';
import { expiryNotice } from './expiry-notice.ts';
import { Failure } from './failure.ts';
import { streamFetch } from './stream-fetch.ts';
import { type Cell, columnName, headingsOf, line, render, type Text } from './text.ts';
import { type World, worldOf } from './world.ts';

/** Options of many commands. */
interface Options extends AccessOptions {
  /** Empty: the whole answer. */
  json?: string;
  jq?: string;
  columns?: string[];
  site?: string | string[];
  yes?: boolean;
  watch?: number | true;
}

/** The two output streams. */
export interface Output {
  /** Whether the answer is wanted as JSON. */
  isJson: boolean;
  /** Writes the result to standard output: the API's JSON with --json or --jq, else the text for people. */
  show(answer: unknown, text: () => Text): Promise<void>;
  /** Writes a file to standard output: its exact bytes, but without control characters on a terminal. */
  write(file: string, isJson: boolean): void;
  /** Writes a remark about the result to standard error. */
  note(text: Cell): void;
}

export interface Session extends Output {
  client: Client;
  world: World;
  /** That of --site; undefined: the token's default site. */
  site: string | undefined;
  /** `--site` as it was given, for a command that is suggested; empty without. */
  siteWords: string;
  /** Sends a request, shows its answer, and notes what of a list cannot be read. @returns the answer */
  request<R extends Route>(
    route: R,
    question?: Question<R>,
    text?: (answer: AnswerOf<R>) => Text,
  ): Promise<AnswerOf<R>>;
  /**
   * For what cannot be undone. Returns when the person has agreed, or has said so with --yes.
   * @param what a question, such as `Revoke the token dash?`
   * @throws {Failure} when the person has not agreed, or `usage` when there is no terminal
   */
  confirm(what: string): Promise<void>;
}

export function openSession(command: Command): Session {
  const world = worldOf(command);
  const output = openOutput(command);
  const { site: given, yes, ...options } = command.optsWithGlobals<Options>();
  const access = readAccess(options, world.env);
  const client = openClient({ ...access, onAnswer: expiryNotice(world, access.url, output.note) }, streamFetch);
  const site = typeof given === 'string' ? given : undefined;
  return {
    ...{ client, world, site, ...output },
    siteWords: site === undefined ? '' : ` --site ${shellWord(site)}`,
    async request(route, question, text = () => '') {
      const answer = await client.ask(route, question);
      await output.show(answer, () => text(answer));
      noteUnreadable(output, (answer as { unreadable?: Unreadable[] }).unreadable ?? []);
      return answer;
    },
    async confirm(what) {
      if (!yes) await (await import('./question.ts')).confirm(world, what);
    },
  };
}

const WATCH_SECONDS = 5;
/** To the first line, and everything away. */
const CLEAR = '\x1b[H\x1b[2J\x1b[3J';

/** Runs the action of a command; with --watch again and again. */
export async function inSession(command: Command, action: (session: Session) => Promise<unknown>): Promise<void> {
  const { watch } = command.opts<Options>();
  const { stdout } = worldOf(command);
  if (watch !== undefined && stdout.isTTY !== true) throw new Failure('usage', '--watch needs a terminal');
  for (;;) {
    if (watch !== undefined) stdout.write(CLEAR);
    await action(openSession(command));
    if (watch === undefined) return;
    await sleep((watch === true ? WATCH_SECONDS : watch) * 1000);
  }
}

/** For a command that asks the API nothing. */
export function openOutput(command: Command): Output {
  const { json, jq, columns } = command.optsWithGlobals<Options>();
  const { stdout, stderr, env } = worldOf(command);
  const write = (file: string, isJson: boolean) => {
    if (stdout.isTTY !== true) stdout.write(file);
    else stdout.write(isJson ? printableJson(file) : printable(file.replaceAll('\r\n', '\n')));
  };
  return {
    isJson: json !== undefined || jq !== undefined,
    async show(answer, text) {
      if (json !== undefined || jq !== undefined) return write(await jsonText(answer, json, jq), true);
      const shown = madeOf(text);
      if (columns !== undefined) requireColumns(shown, columns);
      const isTerminal = stdout.isTTY === true;
      const width = isTerminal ? { width: stdout.columns || 80 } : {};
      const look = { isColored: mayColor(stdout, env), isRelative: isTerminal, ...width };
      stdout.write(render(shown, look, columns));
    },
    write,
    note(text) {
      const look = { isColored: mayColor(stderr, env), isRelative: stderr.isTTY === true };
      stderr.write(render(line([text]), look));
    },
  };
}

/** A service of another version, or another service, may answer with other fields than this program knows. */
function madeOf(text: () => Text): Text {
  try {
    return text();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message =
      'The answer is not as expected: is this the URL of the API, and not of a much older or newer version?';
    throw new Failure('failure', `${message} --json shows what it is`, { cause: error });
  }
}

async function jsonText(answer: unknown, json: string | undefined, jq: string | undefined): Promise<string> {
  if (!json && jq === undefined) return `${JSON.stringify(answer, null, 2)}\n`;
  const { chosenFields, filtered } = await import('./json-output.ts');
  const chosen = json ? chosenFields(answer, json.split(',')) : answer;
  return jq === undefined ? `${JSON.stringify(chosen, null, 2)}\n` : filtered(chosen, jq);
}

function requireColumns(text: Text, wanted: readonly string[]): void {
  const known = headingsOf(text).map(columnName);
  if (known.length === 0) throw new Failure('usage', '--columns is for tables, and this is none');
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Failure('usage', `There is no column "${unknown}". There are: ${known.join(', ')}`);
}

/** Reports the entries that a list could not show. */
export function noteUnreadable({ note }: Pick<Output, 'note'>, unreadable: readonly Unreadable[]): void {
  for (const { id, problem } of unreadable)
    note(`${id} is not shown, because what is stored cannot be read: ${problem}`);
}
