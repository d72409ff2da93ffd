/**
 * What a tool is, declared once. The commands on the wire, the operation of the API, the limits and the sections of the
 * agent's policy, the programs and packages, and the command line are all derived from the declarations in this folder.
 */
import * as z from 'zod';

/** One value that a command needs, such as its target. */
export interface Argument {
  /**
   * Makes the value that everything behind it trusts from what the caller wrote. The value's JSON must be a text that the
   * same schema accepts: it goes to the agent, which parses it again.
   */
  schema: z.ZodType;
  /** Its name in the body of a request to the API. */
  field: string;
  /** How it is given to `lanreach`, in the syntax of commander. An option of a fixed set of words offers them. */
  cli: { argument: string; description?: string } | { option: string; default: string };
}
export type Arguments = Readonly<Record<string, Argument>>;

/** A program of the host that a tool runs. */
export interface Program {
  /** The Debian package that brings it. */
  package: string;
  /** Arguments with which it prints its version, and nothing else happens. */
  versionArgs: readonly string[];
  /** Finds the version in what it prints then: the first group that has matched. */
  version: RegExp;
}

/** The values of a command, parsed. */
export type Values<Args extends Arguments> = { [Name in keyof Args]: z.output<Args[Name]['schema']> };
/** The same in the body of a request, as the caller writes them. */
type Fields<Args extends Arguments> = { [Name in keyof Args as Args[Name]['field']]: z.input<Args[Name]['schema']> };

export interface Declaration<
  Name extends string,
  Args extends Arguments,
  Result extends z.ZodType,
  Answer extends z.core.$ZodShape,
> {
  /** Names the tool in paths, commands, jobs and policies. */
  name: Name;
  /** One sentence for the documentation of the API. */
  summary: string;
  /**
   * The first is what the command is aimed at. Where that is an address or a range to which packets go, it is called
   * `target`: it decides which agent is near.
   */
  arguments: Args;
  /** What the output means, parsed. */
  result: Result;
  /** The fields of an answer, beside `success`. */
  answer: Answer;
  /** The answer to a success; null when it cannot be given without the result, which is missing when it was too long. */
  toAnswer(
    outcome: { output: string; result: z.output<Result> | null },
    values: Values<Args>,
  ): z.input<z.ZodObject<Answer>> | null;
  limits: {
    /** Longest run in milliseconds, a little above what the tool's own limits add up to. */
    runMs: number;
    /** Whether it may run for a minute or a quarter of an hour: such commands leave room for others. */
    isLong: boolean;
    /** How many of them an agent runs at once, unless its policy says otherwise. */
    atOnce: number;
  };
  /** The programs that it cannot do without, by their names. */
  programs: Readonly<Record<string, Program>>;
  cli: {
    command: string;
    description: string;
    /** A command line for the help, without `lanreach`. */
    example?: string;
    /** The answer as a table, its first row the headings; without it, the output is shown. */
    table?(answer: z.output<z.ZodObject<Answer>>): string[][];
  };
  /** One run, for the documentation. It is also what the tests take for a valid one. */
  example: { request: Fields<Args>; output: string; result: z.input<Result> };
}

type CommandSchema<Name extends string, Args extends Arguments> = z.ZodObject<
  { tool: z.ZodLiteral<Name> } & { [Key in keyof Args]: Args[Key]['schema'] }
>;

type CommandJsonSchema<Name extends string, Args extends Arguments> = z.ZodObject<
  { tool: z.ZodLiteral<Name> } & {
    [Key in keyof Args]: z.ZodType<z.input<Args[Key]['schema']>, z.input<Args[Key]['schema']>>;
  }
>;

export type Tool<
  Name extends string,
  Args extends Arguments,
  Result extends z.ZodType,
  Answer extends z.core.$ZodShape,
> = Declaration<Name, Args, Result, Answer> & {
  /** One command for an agent, from its JSON. */
  command: CommandSchema<Name, Args>;
  /** The JSON of a command, as it travels and is stored and shown. Nothing is made of it. */
  commandJson: CommandJsonSchema<Name, Args>;
};

/** Any tool, for code that treats all of them alike. */
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
    // The compiler cannot follow the arguments by their names.
    command: commandOf(({ schema }) => schema) as CommandSchema<Name, Args>,
    commandJson: commandOf(({ schema }) => (schema instanceof z.ZodPipe ? schema.in : schema)) as CommandJsonSchema<
      Name,
      Args
    >,
  };
}

/** The lines of a tool's output, for answers that give them one by one. */
export function linesOf(output: string): string[] {
  const text = output.replace(/\n+$/, '');
  return text === '' ? [] : text.split('\n');
}
