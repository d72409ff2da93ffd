/** `/nettools`: commands inside the site's LAN. One operation for each of `shared/tools/`, one for several. */
import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import { tools } from '../tools/list.ts';
import type { AnyTool, Arguments } from '../tools/tool.ts';
import { answer, type Operation } from './operation.ts';
import { triggerScanOperation } from './trigger-scan.ts';
import { WakeRequest } from './wake.ts';

/** The errors of every command. Any tool can be switched off in the agent's policy. */
const ERRORS = [
  'command_failed',
  'target_not_allowed',
  'agent_offline',
  'agent_busy',
  'agent_silent',
  'tool_missing',
  'conflict',
  'idempotency_mismatch',
] as const satisfies ErrorCode[];

/** Which agent of the site runs the command. */
const Chosen = z.object({
  agent: z.string().min(1).max(65).optional().meta({
    'x-checked-further': true,
    description:
      'The name of an agent of the site, as in `GET /sites/{site}/agents` after the colon. Default: the agents that are attached to the network of the target take turns.',
  }),
});

/** Requests with more than the arguments of the command: their handlers build the command. */
const REQUESTS = { wakeOnLan: WakeRequest };
/** The errors of those, besides the errors of every command. */
const MORE_ERRORS: Partial<Record<string, readonly ErrorCode[]>> = { wakeOnLan: ['not_found'] };

type Body<Args extends Arguments> = z.ZodObject<{ [Name in keyof Args as Args[Name]['field']]: Args[Name]['schema'] }>;

/** A command without arguments is a GET request, which has no body. */
type OperationOf<Id extends string, T extends AnyTool> = Operation & {
  query: typeof Chosen;
  response: z.ZodObject<{ success: z.ZodLiteral<true> } & T['answer']>;
} & (Id extends keyof typeof REQUESTS
    ? { body: (typeof REQUESTS)[Id] }
    : keyof T['arguments'] extends never
      ? object
      : { body: Body<T['arguments']> });

function operationOf(id: string, tool: AnyTool): Operation {
  const fields = Object.values(tool.arguments).map(({ field, schema }) => [field, schema]);
  const isPost = fields.length > 0;
  const body = id in REQUESTS ? REQUESTS[id as keyof typeof REQUESTS] : z.strictObject(Object.fromEntries(fields));
  return {
    method: isPost ? 'POST' : 'GET',
    path: `/nettools/${tool.name}`,
    scope: 'nettools:run',
    perSite: true,
    isCommand: true,
    audit: null,
    otherMedia: ['text/event-stream'],
    summary: tool.summary,
    ...(tool.mcp === undefined ? {} : { mcp: tool.mcp }),
    query: Chosen,
    ...(isPost ? { body } : {}),
    response: answer({ ...tool.answer }),
    errors: [...ERRORS, ...(MORE_ERRORS[id] ?? [])],
    example: { ...(isPost ? { body: tool.example.request } : {}), response: exampleOf(tool) },
  };
}

function exampleOf({ arguments: declared, command, example, name, toAnswer }: AnyTool) {
  const fields = new Map(Object.entries(example.request));
  const values = Object.entries(declared).map(([key, { field }]) => [key, fields.get(field)]);
  return { success: true, ...toAnswer(example, command.parse({ tool: name, ...Object.fromEntries(values) })) };
}

const byTool = Object.fromEntries(
  Object.entries(tools).map(([id, tool]) => [id, operationOf(id, tool)]),
) as unknown as { [Id in keyof typeof tools]: OperationOf<Id, (typeof tools)[Id]> };

export const nettools = { ...byTool, triggerScan: triggerScanOperation(Chosen, ERRORS) };
