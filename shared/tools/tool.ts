/** The declaration of a tool, from which messages, operation, limits, policy, programs and command line derive. */
import * as z from 'zod';
import type { McpTool } from '../mcp-tool.ts';
import type { ResultSummary } from './summary.ts';

/** One argument of a command, such as its target. */
interface Argument {
  /**
   * Parses the text of the caller into a value that all other code trusts. The value's JSON must be a text that the
   * same schema accepts, because the agent parses it again. An optional one must accept its own values as they are.
   */
  schema: z.ZodType;
  /** Its name in the body of a request to the API. */
  field: string;
  /** Its command line in `lanreach` (commander's syntax; an enum is a choice). Absent where that is written by hand. */
  cli?: { argument: string; description?: string } | { option: string; default?: string };
}
export type Arguments = Readonly<Record<string, Argument>>;

/** A program of the host that a tool runs. */
export interface Program {
  /** The Debian package that contains it. */
  package: string;
  /** Arguments that make it print its version and do nothing else. */
  versionArgs: readonly string[];
  /** Matches the version in that output: the first group that matches. */
  version: RegExp;
}

export interface CommandLimits {
  /** Limit of a run in milliseconds, a little above the sum of the tool's own limits. */
  runMs: number;
  /** Whether it may run for minutes; such commands leave slots free for others. */
  isLong: boolean;
}

/** The parsed values of a command. */
type Values<Args extends Arguments> = { [Name in keyof Args]: z.output<Args[Name]['schema']> };
/** The same in the body of a request, before parsing. */
type Fields<Args extends Arguments> = z.input<
  z.ZodObject<{ [Name in keyof Args as Args[Name]['field']]: Args[Name]['schema'] }>
>;

interface Declaration<
  Name extends string,
  Args extends Arguments,
  Result extends z.ZodType,
  Answer extends z.core.$ZodShape,
> {
  /** Name of the tool in paths, commands, jobs and policies. */
  name: Name;
  /** One sentence for the documentation of the API. */
  summary: string;
  /**
   * The first one is the target of the command. If it is an address or a range to which packets are sent, it must be
   * called `target`, because it is used to choose an agent in the same network.
   */
  arguments: Args;
  /** Schema of the parsed output. */
  result: Result;
  /** The fields of the API's response, besides `success`. */
  answer: Answer;
  /** The response to a success; null if it needs the result, which is absent when it was too long. */
  toAnswer(
    outcome: { output: string; result: z.output<Result> | null },
    values: Values<Args>,
  ): z.input<z.ZodObject<Answer>> | null;
  /** The summary of a result, for lists of jobs. Must be cheap: it is called whenever a result is stored. */
  summarise(result: z.output<Result>): ResultSummary;
  /** The texts to compare between sites, in any order. Without it, only the numbers of the summary are compared. */
  compare?(result: z.output<Result>): string[];
  limits: CommandLimits & {
    /** How many an agent runs at once, unless its policy sets another number. Long and short ones count separately. */
    atOnce: number;
  };
  /** Smaller limits for some of its commands. */
  limitsOf?(values: Values<Args>): CommandLimits;
  /** The programs that it requires, by name. */
  programs: Readonly<Record<string, Program>>;
  cli?: {
    /** The response as a table, with headings in the first row; by default the output is shown. */
    table(answer: z.output<z.ZodObject<Answer>>): string[][];
  };
  /** Its form for assistants, without which they cannot call it, or only by another operation that starts it. */
  mcp?: McpTool;
  /** An example for the documentation and, as a valid one, for the tests. */
  example: { request: Fields<Args>; output: string; result: z.input<Result> };
}

type CommandSchema<Name extends string, Args extends Arguments> = z.ZodObject<
  { tool: z.ZodLiteral<Name> } & { [Key in keyof Args]: Args[Key]['schema'] }
>;

type CommandJsonSchema<Name extends string, Args extends Arguments> = z.ZodObject<
  { tool: z.ZodLiteral<Name> } & {
    [Key in keyof Args]: Args[Key]['schema'] extends z.ZodOptional
      ? Args[Key]['schema']
      : z.ZodType<z.input<Args[Key]['schema']>, z.input<Args[Key]['schema']>>;
  }
>;

export type Tool<
  Name extends string,
  Args extends Arguments,
  Result extends z.ZodType,
  Answer extends z.core.$ZodShape,
> = Declaration<Name, Args, Result, Answer> & {
  /** Schema of a command for an agent, from its JSON. */
  command: CommandSchema<Name, Args>;
  /** Schema of the JSON of a command, as it is sent, stored and shown. The values are not parsed. */
  commandJson: CommandJsonSchema<Name, Args>;
};

/** Any tool, for code that handles all of them in the same way. */
export type AnyTool = Tool<string, Arguments, z.ZodType, z.core.$ZodShape>;

export function defineTool<
  const Name extends string,
  const Args extends Arguments,
  Result extends z.ZodType,
  Answer extends z.core.$ZodShape,
>(declaration: Declaration<Name, Args, Result, Answer>): Tool<Name, Args, Result, Answer> {
  const commandOf = (schemaOf: (argument: Argument) => z.core.$ZodType) => {
    const schemas = Object.entries(declaration.arguments).map(([name, argument]) => [name, schemaOf(argument)]);
    return z.object({ tool: z.literal(declaration.name), ...Object.fromEntries(schemas) }) as unknown;
  };
  return {
    ...declaration,
    // The compiler cannot relate the arguments to their names.
    command: commandOf(({ schema }) => schema) as CommandSchema<Name, Args>,
    commandJson: commandOf(({ schema }) => (schema instanceof z.ZodPipe ? schema.in : schema)) as CommandJsonSchema<
      Name,
      Args
    >,
  };
}

/** The lines of a tool's output, for responses with a list of lines. */
export function linesOf(output: string): string[] {
  const text = output.replace(/\n+$/, '');
  return text === '' ? [] : text.split('\n');
}
