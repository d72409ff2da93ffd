/** The tools of assistants: every operation with an `mcp` member, with the arguments and schemas that it declares. */
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Operation, Operations } from '../../shared/api/operation.ts';
import { type McpTool, READ_ONLY } from '../../shared/mcp-tool.ts';
import type { NeededScope } from '../http/caller.ts';

export interface AssistantTool {
  name: string;
  /** A token without it neither sees nor calls the tool. */
  scope: NeededScope;
  operation: Operation;
  mcp: McpTool;
  /** By name. Without `site`, which is no field of an operation. */
  arguments: ReadonlyMap<string, ToolArgument>;
  /** The entry in the list of tools. */
  listed(): Tool;
}

type Hints = NonNullable<McpTool['annotations']>;

interface ToolArgument {
  /** Name of the field of the operation. */
  field: string;
  place: 'params' | 'query' | 'body';
  /** Schema of the argument. */
  schema: z.core.$ZodType;
  /** Whether the argument has a schema of its own, which the operation does not check. */
  isNarrowed: boolean;
}

/** All tools of these tables, by name. */
export function toolsOf(...tables: Operations[]): ReadonlyMap<string, AssistantTool> {
  const tools = new Map<string, AssistantTool>();
  for (const operation of tables.flatMap((table) => Object.values(table))) {
    const { mcp, scope } = operation;
    if (mcp === undefined) continue;
    if (scope === null || tools.has(mcp.name)) throw new Error(`the tool ${mcp.name} has no scope, or is there twice`);
    const hints = mcp.annotations ?? (operation.method === 'GET' && !operation.isCommand ? READ_ONLY : undefined);
    if (hints === undefined) throw new Error(`the tool ${mcp.name} has no hints, and is more than a read`);
    const named = argumentsOf(operation, mcp);
    let entry: Tool | undefined; // Built on demand: the schemas take longer than the rest of a cold start.
    const listed = () => (entry ??= entryOf(operation, mcp, named, hints));
    tools.set(mcp.name, { name: mcp.name, scope, operation, mcp, arguments: named, listed });
  }
  return tools;
}

function argumentsOf(operation: Operation, { arguments: declared = {} }: McpTool): Map<string, ToolArgument> {
  const fields = new Map<string, Pick<ToolArgument, 'place' | 'schema'>>();
  for (const place of ['query', 'body', 'params'] as const) {
    const schema = operation[place];
    if (schema instanceof z.ZodObject) {
      for (const [field, one] of Object.entries(schema.shape)) fields.set(field, { place, schema: one });
    }
  }
  const replaced = new Set(Object.entries(declared).map(([name, { field = name }]) => field));
  const asTheyAre = [...fields.keys()].filter((field) => !replaced.has(field)).map((field) => [field, {}]);
  const named: NonNullable<McpTool['arguments']> = { ...declared, ...Object.fromEntries(asTheyAre) };
  return new Map(
    Object.entries(named).map(([name, { field = name, schema }]) => {
      const found = fields.get(field);
      if (found === undefined) throw new Error(`${operation.path} has no field ${field}`);
      return [name, { field, place: found.place, schema: schema ?? found.schema, isNarrowed: schema !== undefined }];
    }),
  );
}

const Site = z
  .string()
  .optional()
  .describe('Id of the site, from list_sites. Without it, the default site of your token.');

function entryOf(operation: Operation, mcp: McpTool, named: ReadonlyMap<string, ToolArgument>, hints: Hints): Tool {
  const shape = Object.fromEntries([...named].map(([name, { schema }]) => [name, schema]));
  const input = z.strictObject({ ...shape, ...(operation.perSite ? { site: Site } : {}) });
  const answer = mcp.result ?? (mcp.wrap ? z.object({ [mcp.wrap]: operation.response }) : operation.response);
  const output = outlineOf(answer);
  const remarks = outlineOf(operation.isCommand ? CommandRemarks : Remarks);
  return {
    name: mcp.name,
    title: mcp.title,
    description: mcp.description,
    inputSchema: jsonSchema(input),
    outputSchema: { ...output, properties: { ...output.properties, ...remarks.properties } },
    annotations: { title: mcp.title, ...hints },
  };
}

/** Fields beside those of an operation: what was left out of them, and the id of the command, for get_job. */
const Remarks = z.object({ note: z.string().optional() });
const CommandRemarks = Remarks.extend({ job: z.string().optional() });

type ObjectSchema = Tool['inputSchema'];
type Part = z.core.JSONSchema.BaseSchema;

/** What the API checks and a model does not need: each session would pay for it. */
const LEFT_OUT = ['pattern', 'minLength', 'maxLength', 'propertyNames', 'readOnly', 'x-checked-further'] as const;

function jsonSchema(schema: z.core.$ZodType): ObjectSchema {
  const override = ({ jsonSchema: part }: { jsonSchema: Part }) => {
    for (const name of LEFT_OUT) delete part[name];
    makePortable(part);
  };
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', override });
  return { ...(json as ObjectSchema), type: 'object' };
}

/** The fields of a result and their types. A model sees the rest in the result. */
function outlineOf(schema: z.core.$ZodType): ObjectSchema {
  const { $defs = {}, ...answer } = jsonSchema(schema) as Part & { $defs?: Record<string, Part> };
  const options = [answer, ...(answer.anyOf ?? [])].map((one) => resolved(one as Part, $defs));
  const outline = options
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .map(([name, part]) => {
      const types = typesOf(part as Part, $defs).map((type) => ({ type }));
      return [name, types.length === 1 ? types[0] : { anyOf: types }];
    });
  return { type: 'object', properties: Object.fromEntries(outline), required: answer.required ?? [] };
}

function resolved(part: Part, defs: Readonly<Record<string, Part>>): Part {
  return part.$ref === undefined ? part : (defs[part.$ref.replace('#/$defs/', '')] ?? {});
}

/** All types that a value may have. */
function typesOf(part: Part, defs: Readonly<Record<string, Part>>): string[] {
  const { oneOf = [], anyOf = oneOf, type = [] } = resolved(part, defs);
  const types = anyOf.length > 0 ? anyOf.flatMap((one) => typesOf(one as Part, defs)) : [type].flat();
  return [...new Set(types)];
}

/** Some clients pass tools to models that know only a part of JSON Schema: no lists of types, no empty schemas. */
function makePortable(part: Part): void {
  if (Array.isArray(part.type)) {
    part.anyOf = part.type.map((type) => ({ type }));
    delete part.type;
  }
  const { additionalProperties: others } = part;
  if (typeof others === 'object' && Object.keys(others).length === 0) part.additionalProperties = true;
}
