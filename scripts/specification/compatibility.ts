/**
 * What others rely on: operations of the API with their fields, messages of agents, commands and options, and the format of
 * the data. The record of a release is compared with what the sources have now: see `docs/compatibility.md`.
 */

import type { Command } from '../../cli/command.ts';
import { buildProgram } from '../../cli/program.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { FORMAT } from '../../shared/format.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';

/** By an operation, message or command: what it has. A line with `requires` is what callers must send. */
type Parts = Record<string, string[]>;

export interface Surface {
  version: string;
  format: number;
  protocol: number;
  operations: Parts;
  messages: Parts;
  commands: Parts;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

/** In its place, a reference to a component. */
interface Reference {
  $ref?: string;
}

interface Described {
  parameters?: (Parameter & Reference)[];
  requestBody?: Content & Reference & { required?: boolean };
  responses: Record<string, Content & Reference>;
}

/** Deeper ones are those of a schema that contains itself. */
const MAX_DEPTH = 9;

export async function surface(): Promise<Surface> {
  const { version } = packageJson;
  return {
    version,
    format: FORMAT,
    protocol: PROTOCOL_VERSION,
    operations: operationsOf(openApiDocument(version) as unknown as Document),
    messages: messagesOf(asyncApiDocument(version) as unknown as Document),
    commands: await commandsOf(),
  };
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, Schema & { payload?: Schema }>>;
}

function operationsOf(document: Document): Parts {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => 'responses' in described)
      .map(([method, described]) => [`${method.toUpperCase()} ${path}`, linesOf(document, described)] as const),
  );
  return Object.fromEntries(all);
}

function linesOf(document: Document, { parameters = [], requestBody, responses }: Described): string[] {
  const whole = <T extends Reference>(one: T): T => (one.$ref === undefined ? one : resolved<T>(document, one.$ref));
  const inputs = parameters
    .map(whole)
    .flatMap(({ name, in: place, required = false, schema = {} }) => [
      ...(required ? [`requires ${place} ${name}`] : []),
      ...fieldsOf(document, schema, `${place} ${name}`, { isInput: true }),
    ]);
  const contents = (of: Content & Reference) => Object.entries(whole(of).content ?? {});
  const bodies = contents(requestBody ?? {}).flatMap(([media, { schema = {} }]) => [
    ...(whole(requestBody ?? {}).required === true ? ['requires a body'] : []),
    ...fieldsOf(document, schema, `body ${media} `, { isInput: true }),
  ]);
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, answer]) =>
      contents(answer).flatMap(([media, { schema = {} }]) =>
        fieldsOf(document, schema, `${status} ${media} `, { isInput: false }),
      ),
    );
  return unique([...inputs, ...bodies, ...answers]);
}

/** The fields of a message both ways: what one side sends, the other one reads. */
function messagesOf(document: Document): Parts {
  const { messages = {} } = document.components;
  return Object.fromEntries(
    Object.entries(messages).map(([name, { payload = {} }]) => [
      name,
      unique(fieldsOf(document, payload, '', { isInput: true })),
    ]),
  );
}

/** Of answers, members of an enumeration may be added, and a field may be left out where it was optional. */
function fieldsOf(document: Document, schema: Schema, at: string, { isInput }: { isInput: boolean }): string[] {
  function walk(one: Schema, path: string, depth: number): string[] {
    if (depth > MAX_DEPTH) return [];
    if (one.$ref !== undefined) return walk(resolved(document, one.$ref), path, depth + 1);
    const types = one.type === undefined ? [] : [one.type].flat();
    const values = one.const === undefined ? (one.enum ?? []) : [one.const];
    const required = isInput ? (one.required ?? []) : [];
    return [
      ...types.map((type) => `${path}: ${type === 'integer' ? 'number' : type}`),
      ...values.map((value) => `${path} = ${JSON.stringify(value)}`),
      ...required.map((name) => `requires ${path}.${name}`),
      ...(one.allOf ?? []).flatMap((each) => walk(each, path, depth + 1)),
      ...eitherOf([...(one.anyOf ?? []), ...(one.oneOf ?? [])].map((each) => walk(each, path, depth + 1))),
      ...Object.entries(one.properties ?? {}).flatMap(([name, each]) => walk(each, `${path}.${name}`, depth + 1)),
      ...(typeof one.additionalProperties === 'object' ? walk(one.additionalProperties, `${path}.*`, depth + 1) : []),
      ...[...(one.prefixItems ?? []), one.items ?? {}].flatMap((each) => walk(each, `${path}[]`, depth + 1)),
    ];
  }
  return walk(schema, at, 0);
}

/** Of alternatives: a new one may require what it wants, so only what all of them require is required. */
function eitherOf(alternatives: string[][]): string[] {
  return alternatives.flat().filter((line) => !isRule(line) || alternatives.every((lines) => lines.includes(line)));
}

const isRule = (line: string) => line.startsWith('requires ');

function resolved<T = Schema>(document: Document, ref: string): T {
  const keys = ref.slice(2).split('/');
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document) as T;
}

async function commandsOf(): Promise<Parts> {
  const parts: Parts = {};
  async function add(command: Command, path: string): Promise<void> {
    await command.complete();
    parts[path] = unique([
      ...command.options.flatMap(({ long, short }) => [long, short].filter((name) => typeof name === 'string')),
      ...command.registeredArguments.flatMap((one, i) => [
        `argument ${i + 1}`,
        ...(one.required ? [`requires argument ${i + 1}`] : []),
      ]),
      ...command.options.filter(({ mandatory }) => mandatory).map(({ long }) => `requires ${long}`),
    ]);
    for (const one of command.commands as Command[])
      for (const name of [one.name(), ...one.aliases()]) await add(one, `${path} ${name}`);
  }
  await add(buildProgram(process), 'lanreach');
  return parts;
}

const unique = (lines: string[]) => [...new Set(lines)].sort();

/** The file of the record, and its text. */
export function recordOf(of: Surface): Record<string, string> {
  return { [`test/fixtures/compatibility/${of.version}.json`]: `${JSON.stringify(of, null, 1)}\n` };
}

/** What a later version no longer has or newly requires, in sentences; none where it is compatible. */
export function incompatibilities(before: Surface, now: Surface): string[] {
  const format = before.format === now.format ? [] : [`data of format ${before.format} is no longer read`];
  const protocol = before.protocol === now.protocol ? [] : [`agents of protocol ${before.protocol} count as offline`];
  const parts = (['operations', 'messages', 'commands'] as const).flatMap((kind) =>
    Object.entries(before[kind]).flatMap(([name, lines]) => {
      const present = now[kind][name];
      if (present === undefined) return [`${name} is gone`];
      const lost = lines.filter((line) => !isRule(line) && !present.includes(line));
      // What a new optional field requires of itself concerns only those who send it.
      const known = (line: string) => !line.includes('.') || lines.some((one) => one.startsWith(parentOf(line)));
      const added = present.filter((line) => isRule(line) && !lines.includes(line) && known(line));
      return [...lost.map((line) => `${name}: ${line} is gone`), ...added.map((line) => `${name} newly ${line}`)];
    }),
  );
  return [...format, ...protocol, ...parts];
}

/** `requires body application/json .a.b` → `body application/json .a` */
const parentOf = (rule: string) => rule.slice('requires '.length, rule.lastIndexOf('.'));
