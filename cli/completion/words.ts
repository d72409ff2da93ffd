/** Completion for the shell: which words may stand at this place of a command. */
import type { Argument, Option } from 'commander';
import type { Command } from '../command.ts';

/** What may stand at a place of a command line. */
type Place =
  | { kind: 'words'; words: readonly Word[] }
  /** What only the API knows, such as `site` for the ids of sites. `options` are those given so far. */
  | { kind: 'names'; of: string; options: Readonly<Record<string, string>> }
  /** Files, which the shell completes by itself. */
  | { kind: 'files' };

export interface Word {
  word: string;
  /** What it is for; empty when there is nothing to say. */
  about: string;
}

/** Options and arguments with these names take a file. */
const FILES = new Set(['file']);

/**
 * The words that may stand at the end of a command line.
 * @param words those behind the name of the program; the last one is being typed and may be empty
 */
export async function placeOf(program: Command, words: readonly string[]): Promise<Place> {
  const { command, position, options, open } = await walk(program, words.slice(0, -1));
  const typed = words.at(-1) ?? '';
  if (open !== null) return valuesOf(open, nameIn(open.flags), options);
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  const assigned = flag === undefined ? undefined : optionNamed(command, flag);
  // The shells complete the whole word, so the name of the option is left to the person.
  if (assigned !== undefined && value !== undefined) return { kind: 'words', words: [] };
  if (typed.startsWith('-')) return { kind: 'words', words: chainOf(command).flatMap(optionWords) };
  const visible = command.createHelp().visibleCommands(command);
  if (position === 0 && visible.length > 0) {
    return { kind: 'words', words: visible.map((one) => ({ word: one.name(), about: one.description() })) };
  }
  const argument = argumentAt(command, position);
  return argument === undefined ? { kind: 'words', words: [] } : valuesOf(argument, argument.name(), options);
}

interface Walked {
  /** The innermost command that is named. */
  command: Command;
  /** How many of its arguments stand there already. */
  position: number;
  /** Values of options, by their long names without hyphens. */
  options: Record<string, string>;
  /** The option whose value comes next. */
  open: Option | null;
}

async function walk(program: Command, words: readonly string[]): Promise<Walked> {
  const walked: Walked = { command: program, position: 0, options: {}, open: null };
  for (const word of words) {
    if (walked.open !== null) {
      walked.options[walked.open.name()] = word;
      walked.open = null;
      continue;
    }
    if (word.startsWith('-')) {
      const [name = '', value] = word.split('=', 2);
      const option = optionNamed(walked.command, name);
      if (value !== undefined && option !== undefined) walked.options[option.name()] = value;
      else if (option?.required) walked.open = option;
      continue;
    }
    const sub =
      walked.position === 0
        ? walked.command.commands.find((one) => one.name() === word || one.aliases().includes(word))
        : undefined;
    if (sub === undefined) {
      walked.position++;
      continue;
    }
    await sub.complete();
    walked.command = sub;
  }
  return walked;
}

/** A command and those that it is part of, whose options may stand behind it as well. */
function chainOf(command: Command): Command[] {
  return [command, ...(command.parent === null ? [] : chainOf(command.parent))];
}

function optionNamed(command: Command, name: string): Option | undefined {
  return chainOf(command)
    .flatMap((one) => one.options)
    .find(({ long, short }) => long === name || short === name);
}

function optionWords(command: Command): Word[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : []));
}

function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic ? last : undefined);
}

/** `site` of `--site <site...>`. */
function nameIn(flags: string): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? '';
}

function valuesOf({ argChoices }: Option | Argument, name: string, options: Record<string, string>): Place {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices.map((word) => ({ word, about: '' })) };
  // Such as <on|off>.
  if (name.includes('|')) return { kind: 'words', words: name.split('|').map((word) => ({ word, about: '' })) };
  return FILES.has(name) ? { kind: 'files' } : { kind: 'names', of: name, options };
}
