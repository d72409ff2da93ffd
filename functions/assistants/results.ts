/** The results of tools: bounded, because a model reads all of them, and with advice after a failure. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorBody, ErrorCode } from '../../shared/errors.ts';
import type { JobId } from '../../shared/identity.ts';
import { legible, legibleData, startOf } from '../../shared/text.ts';
import type { AssistantTool } from './tools.ts';

/** Characters of a result as JSON: some 25,000 tokens, beyond which clients refuse or cut results. */
const MAX_RESULT = 80_000;
/** Characters of the output of a command. */
const MAX_OUTPUT = 16_000;

/** Advice about failures that depends on the sites of the token. */
export interface Advisor {
  /** Which sites have an agent that is connected. */
  agents(): Promise<string>;
  /** How to name a site. */
  sites(): string;
}

type Body = Record<string, unknown>;

/** The codes beside sentences: a model reads the sentences. */
const CODES = ['reasonCode', 'textCodes', 'summaryCodes'];

export function succeeded(tool: AssistantTool, answer: unknown, job: JobId | null): CallToolResult {
  const body: Body = tool.mcp.wrap === undefined ? (answer as Body) : { [tool.mcp.wrap]: answer };
  const id = job ?? (typeof body.id === 'string' ? body.id : null);
  // A model reads it, and gets nothing that a person would not see.
  const shown = legibleData(bounded({ ...body, ...(job === null ? {} : { job }) }, id));
  const text = JSON.stringify(shown, (name, value) => (CODES.includes(name) ? undefined : value));
  if (text.length > MAX_RESULT) {
    return failed(
      `The result is too long: ${text.length} characters. Ask for less of it, with a smaller limit or a narrower filter.`,
    );
  }
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

/** Without the end of a command's output, and without its parsed form, if that is too long. */
function bounded(body: Body, job: string | null): Body {
  const notes: string[] = [];
  const shown = { ...body };
  const text = Array.isArray(body.output) ? body.output.join('\n') : body.output;
  if (typeof text === 'string' && text.length > MAX_OUTPUT) {
    const start = startOf(text, MAX_OUTPUT);
    const beginning = start.slice(0, start.lastIndexOf('\n') + 1) || start; // Whole lines.
    shown.output = Array.isArray(body.output) ? beginning.replace(/\n$/, '').split('\n') : beginning;
    notes.push(
      `output has the first ${beginning.length} of ${text.length} characters; get_job with id ${job} gives more: add ${beginning.length} to its argument from.`,
    );
  }
  if (shown.result !== undefined && shown.result !== null && JSON.stringify(shown).length > MAX_RESULT) {
    shown.result = null;
    notes.push('result was left out, because it is too long; output says the same as text.');
  }
  return notes.length === 0 ? shown : { ...shown, note: notes.join(' ') };
}

/** The command continues. An error, because there is no result yet that fits the schema. */
export function stillRunning(tool: AssistantTool, { id, state }: { id: JobId; state: string }): CallToolResult {
  return failed(
    `${tool.name} has not finished yet: its command is ${state} and goes on. ` +
      `Call get_job with id ${id} after some seconds for its result; do not call ${tool.name} again. cancel_job stops it.`,
  );
}

export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text: legible(text) }], isError: true };
}

export async function explainedFailure(
  tool: AssistantTool,
  error: ErrorBody,
  retryAfter: string | null,
  advise: Advisor,
): Promise<CallToolResult> {
  const names = new Map([...tool.arguments].map(([name, { field }]) => [field, name]));
  const faults = (error.errors ?? []).map(({ path, message }) => {
    const field = path.replace(/^(?:query|path)\./, '');
    return { name: names.get(field) ?? field, message };
  });
  const isAboutSite = error.code === 'site_forbidden' || faults.some(({ name }) => name === 'site');
  const problem =
    error.code === 'validation_failed' && faults.length > 0
      ? `Input validation error: ${faults.map(({ name, message }) => `${name}: ${message}`).join('; ')}`
      : error.message;
  const advice = isAboutSite
    ? advise.sites()
    : error.code === 'agent_offline'
      ? `${await advise.agents()} ${again(retryAfter)}`
      : (ADVICE[error.code]?.(again(retryAfter), tool) ?? again(retryAfter));
  const lines = [
    `${problem} (${error.code})`,
    ...(error.details === undefined ? [] : [`Last words of the tool: ${error.details}`]),
    `What to do: ${advice}`,
    `Request ${error.requestId}`,
  ];
  return failed(lines.join('\n'));
}

function again(retryAfter: string | null): string {
  return retryAfter === null ? 'Tell the user.' : `Try again in ${retryAfter} s; if it fails again, tell the user.`;
}

const ADVICE: Partial<Record<ErrorCode, (again: string, tool: AssistantTool) => string>> = {
  validation_failed: () => 'Correct the arguments and call again.',
  not_found: (_, { operation }) =>
    operation.path.startsWith('/jobs')
      ? 'Job ids come from the results of commands; check it.'
      : 'search_devices finds a device by name, MAC address or IP address.',
  target_not_allowed: () =>
    'The owner of the agent decides what it may contact. Do not try other ways; tell the user which target was refused.',
  tool_missing: () => 'Tell the user to install the program on the host of the agent.',
  conflict: (_, { operation }) =>
    operation.path.startsWith('/jobs')
      ? 'get_job shows how it ended.'
      : 'The message says what is in the way. If it does not go away by itself, tell the user.',
  command_failed: () => 'The command ran and failed; the message says why. Repeating it unchanged rarely helps.',
  agent_busy: (text) => `The agent runs as many commands as it may. ${text}`,
  agent_silent: () => 'The agent is connected but does not answer. Try again once, then tell the user.',
  too_many_requests: (text) => `You call too often. ${text}`,
  busy: (text) => `The service has too much to do at once. ${text}`,
  unavailable: (text) => `The service is overloaded or a part of it is down. ${text}`,
  internal_error: () => 'This is a fault of the service. Tell the user the request id.',
};
