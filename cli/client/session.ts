/** What every command uses: the API client, and the two output streams. */
import type { Command } from 'commander';
import { type Client, openClient } from '../../client/client.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { printable, printableJson } from '../../shared/text.ts';
import { type AccessOptions, mayColor, readAccess } from './config.ts';

export interface GlobalOptions extends AccessOptions {
  json?: boolean;
}

/** The two output streams. */
export interface Output {
  /** Writes the result to standard output: the API's JSON with --json, else the text for people. */
  show(answer: unknown, text: () => string): void;
  /** Writes a file to standard output: its exact bytes, but without control characters on a terminal. */
  write(file: string, isJson: boolean): void;
  /** Writes a remark about the result to standard error. */
  note(text: string): void;
}

export interface Session extends Output {
  client: Client;
}

export function openSession(command: Command): Session {
  return { client: openClient(readAccess(command.optsWithGlobals<GlobalOptions>())), ...openOutput(command) };
}

/** For a command that asks the API nothing. */
export function openOutput(command: Command): Output {
  const options = command.optsWithGlobals<GlobalOptions>();
  return {
    show(answer, text) {
      if (options.json) write(`${JSON.stringify(answer, null, 2)}\n`, true);
      else process.stdout.write(emphasized(printable(text())));
    },
    write,
    note(text) {
      process.stderr.write(`${printable(text)}\n`);
    },
  };
}

function write(file: string, isJson: boolean): void {
  if (!process.stdout.isTTY) process.stdout.write(file);
  else process.stdout.write(isJson ? printableJson(file) : printable(file.replaceAll('\r\n', '\n')));
}

/** Reports the entries that a list could not show. */
export function noteUnreadable({ note }: Pick<Output, 'note'>, unreadable: readonly Unreadable[]): void {
  for (const { id, problem } of unreadable)
    note(`${id} is not shown, because what is stored cannot be read: ${problem}`);
}

/** On a terminal the headings of a table, which are in capitals, are bold. */
function emphasized(text: string): string {
  const [heading = ''] = text.split('\n', 1);
  if (!mayColor(process.stdout) || !/^[A-Z][A-Z ]+$/.test(heading)) return text;
  return `\x1b[1m${heading}\x1b[0m${text.slice(heading.length)}`;
}
