/**
 * One call of a tool: the in-process request to the API that it stands for, and the result made of the response.
 * @promise An assistant has the rights of its token, by the routes of the API: `test/mcp.test.ts`.
 */
import { isIP } from 'node:net';
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { devices as devicesTable } from '../../shared/api/devices.ts';
import { deferred } from '../../shared/async.ts';
import { ErrorBody } from '../../shared/errors.ts';
import { JobId } from '../../shared/identity.ts';
import { legible } from '../../shared/text.ts';
import type { JobHandle } from '../commands/agent-dispatcher.ts';
import type { Env, InProcessNote } from '../http/call.ts';
import { type Advisor, explainedFailure, failed, stillRunning, succeeded } from './results.ts';
import type { AssistantTool } from './tools.ts';

/** The API without the network: requests are routed, checked, logged and audited like those from outside. */
export type InProcessApi = (request: Request, env: Env['Bindings']) => Response | Promise<Response>;

export interface ToolCall {
  /** The Authorization header of the caller, which the operation checks again. */
  authorization: string;
  requestId: string;
  /** The address of the caller, for the audit. */
  clientAddress: string | undefined;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
  /** Called with what the log says of the operation behind the tool. */
  note: InProcessNote;
  /** Notifies the caller of the progress of the command; null when it has not requested that. */
  notify: ((progress: Progress) => Promise<void>) | null;
}

interface Progress {
  progress: number;
  total: number;
  message: string;
}

/** How long a call waits for a command. Most clients time out after 60 seconds without a message, others wait for longer. */
const WAIT_S = { silent: 50, withProgress: 280 };

export async function callTool(
  api: InProcessApi,
  advise: Advisor,
  tool: AssistantTool,
  given: Record<string, unknown>,
  call: ToolCall,
): Promise<CallToolResult> {
  const named = await withMac(api, tool, given, call);
  if (named instanceof Response) return explained(tool, named, advise);
  const request = typeof named === 'string' ? named : requestOf(tool, named, call);
  if (typeof request === 'string') return failed(request);
  const over = deferred<void>();
  let job: JobHandle | undefined;
  const cancelJob = () => {
    if (job !== undefined) void cancel(api, job, call);
  };
  const onJob = (started: JobHandle) => {
    job = started;
    if (call.signal.aborted) cancelJob();
    if (call.notify !== null) void report(started, call.notify, over.promise);
  };
  call.signal.addEventListener('abort', cancelJob, { once: true });
  try {
    const response = await api(request, { ...originOf(call), onJob, note: call.note });
    if (!response.ok) return await explained(tool, response, advise);
    const body: unknown = await response.json();
    if (tool.operation.isCommand && response.status === 202)
      return stillRunning(tool, z.object({ id: JobId, state: z.string() }).parse(body));
    return succeeded(tool, body, job?.id ?? null);
  } finally {
    over.resolve();
    call.signal.removeEventListener('abort', cancelJob);
  }
}

async function explained(tool: AssistantTool, refusal: Response, advise: Advisor): Promise<CallToolResult> {
  return explainedFailure(tool, ErrorBody.parse(await refusal.json()), refusal.headers.get('retry-after'), advise);
}

/**
 * The arguments with a MAC address in place of an IP address of a device.
 * @returns a sentence when there is not exactly one such device; the response of the API when the search fails
 */
async function withMac(
  api: InProcessApi,
  { mcp }: AssistantTool,
  given: Record<string, unknown>,
  call: ToolCall,
): Promise<Record<string, unknown> | string | Response> {
  const name = mcp.addressable;
  const address = name === undefined ? undefined : given[name];
  if (name === undefined || typeof address !== 'string' || isIP(address) === 0) return given;
  const query = new URLSearchParams(typeof given.site === 'string' ? { site: given.site } : {});
  const init = { method: 'POST', body: { query: address } };
  const response = await api(inProcess(`/devices/search?${query}`, call, init), originOf(call));
  if (!response.ok) return response;
  const { devices } = devicesTable.searchDevices.response.parse(await response.json());
  const macs = devices
    .filter(({ devLastIP, devMac }) => devLastIP === address && devMac !== '')
    .map(({ devMac }) => devMac);
  if (macs.length === 1) return { ...given, [name]: macs[0] };
  return macs.length === 0
    ? `No device was seen at ${address}. search_devices finds devices by a part of their name or address.`
    : `Several devices were seen at ${address}: pass one of these MAC addresses as ${name}: ${macs.slice(0, 10).join(', ')}.`;
}

/** @returns a sentence when the arguments do not make a valid request */
function requestOf(tool: AssistantTool, given: Record<string, unknown>, call: ToolCall): Request | string {
  const { operation } = tool;
  const known = [...tool.arguments.keys(), ...(operation.perSite ? ['site'] : [])];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) return `${tool.name} has no argument ${unknown[0]?.slice(0, 60)}. ${inWords(known)}`;
  const parts = {
    params: new Map<string, unknown>(),
    query: new Map<string, unknown>(),
    body: new Map<string, unknown>(),
  };
  for (const [name, { field, place, schema, isNarrowed }] of tool.arguments) {
    let value = given[name];
    if (isNarrowed) {
      const parsed = z.safeParse(schema, value);
      if (!parsed.success) return invalid(name, parsed.error.issues[0]?.message ?? 'is invalid');
      value = parsed.data;
    }
    if (value === undefined || value === null) continue;
    if (place !== 'body' && typeof value === 'object') return invalid(name, 'expected a text or a number');
    if (parts[place].has(field)) return `${name} says what another argument says already: pass only one of them`;
    parts[place].set(field, value);
  }
  if (operation.perSite && given.site !== undefined && given.site !== null) {
    if (typeof given.site !== 'string') return invalid('site', 'expected the id of a site');
    parts.query.set('site', given.site);
  }
  // A value such as ".." would make it the path of another operation.
  const params = operation.params?.safeParse(Object.fromEntries(parts.params));
  if (params?.success === false) {
    const [issue] = params.error.issues;
    return invalid(String(issue?.path[0] ?? 'arguments'), issue?.message ?? 'is invalid');
  }
  const query = new URLSearchParams();
  for (const [field, value] of parts.query) query.set(field, String(value));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field) =>
    encodeURIComponent(String(parts.params.get(field) ?? '')),
  );
  const wait = call.notify === null ? WAIT_S.silent : WAIT_S.withProgress;
  return inProcess(`${path}?${query}`, call, {
    method: operation.method,
    ...(operation.body === undefined ? {} : { body: Object.fromEntries(parts.body) }),
    ...(operation.isCommand ? { headers: { Prefer: `wait=${wait}` } } : {}),
  });
}

/** A request by the caller inside this process. */
function inProcess(
  path: string,
  { authorization, requestId }: ToolCall,
  { method, body, headers }: { method: string; body?: object; headers?: Record<string, string> },
): Request {
  const hasBody = body !== undefined;
  const common = { Authorization: authorization, 'X-Request-Id': requestId };
  return new Request(`http://in-process${path}`, {
    method,
    headers: { ...common, ...(hasBody ? { 'Content-Type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  });
}

function invalid(name: string, message: string): string {
  return `Input validation error: ${name}: ${message.replace(/^Invalid input: /, '')}. Correct it and call again.`;
}

function inWords(names: readonly string[]): string {
  return names.length === 0 ? 'It takes none.' : `It takes: ${names.join(', ')}.`;
}

/** The request that cancels a command is one like any other, so that it is audited. If it fails, the command continues. */
async function cancel(api: InProcessApi, { id }: JobHandle, call: ToolCall): Promise<void> {
  const request = inProcess(`/jobs/${id}`, call, { method: 'DELETE' });
  await Promise.resolve(api(request, originOf(call))).catch(() => {});
}

/** Marks a request as in-process. Only the operation behind the tool is noted in the log. */
function originOf({ clientAddress }: Pick<ToolCall, 'clientAddress'>): Env['Bindings'] {
  return { note: () => {}, ...(clientAddress === undefined ? {} : { clientAddress }) };
}

/** Notifies the caller of progress until the command is over: as its agent reports it, or every five seconds. */
async function report(
  job: JobHandle,
  notify: (progress: Progress) => Promise<void>,
  over: Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  let progress = 0;
  let phase = 'running';
  let percent: number | null = null;
  let nextAt = 0;
  const send = async () => {
    nextAt = performance.now() + 500; // A tool may print hundreds of lines at once.
    // The number must grow with every notification, even when the progress is unknown.
    progress = Math.max(progress + 0.01, percent ?? 0);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    await notify({ progress, total: 100, message: legible(`${phase}, ${seconds} s`) }).catch(() => {}); // The caller is gone.
  };
  const heartbeat = setInterval(() => void send(), 5_000);
  try {
    for await (const event of job.events(0, over)) {
      if (event.type === 'accepted') phase = event.state;
      if (event.type === 'progress') ({ phase, percent } = event);
      if (event.type !== 'output' && performance.now() >= nextAt) await send();
    }
  } catch {
    // The result reports the failure.
  } finally {
    clearInterval(heartbeat);
  }
}
