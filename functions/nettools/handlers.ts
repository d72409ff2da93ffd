/** `/nettools`: hands one command to an agent of the site and answers with what its tool printed. */
import type { Command, Reason } from '../../shared/agent/messages.ts';
import { InterfacesResult } from '../../shared/agent/results.ts';
import { nettools as operations } from '../../shared/api/nettools.ts';
import { type ErrorCode, ServiceError } from '../../shared/errors.ts';
import { canonicalLookup, canonicalTarget, parseMac } from '../../shared/network.ts';
import type { Context } from '../context.ts';
import { Answer } from '../http/answer.ts';
import { type Call, group, type Handlers } from '../http/routes.ts';
import type { Ended } from '../mqtt/agent-link.ts';

/** How long a request is held open. A load balancer in front gives up after five minutes. */
const WAIT_MS = 280_000;

const handlers: Handlers<typeof operations> = {
  async wakeOnLan(context, call, { devMac }) {
    const command = { tool: 'wakeonlan', mac: parseMac(devMac)! } as const;
    return run(context, call, command, ({ output, data }) => ({
      success: true,
      message: 'WOL packet sent',
      output,
      result: data,
    }));
  },

  async traceroute(context, call, { devLastIP }) {
    const command = { tool: 'traceroute', target: canonicalTarget(devLastIP) } as const;
    return run(context, call, command, ({ output, data }) => ({ success: true, output, result: data }));
  },

  async speedtest(context, call) {
    return run(context, call, { tool: 'speedtest' }, ({ output, data }) => ({
      success: true,
      output: linesOf(output),
      result: data,
    }));
  },

  async nslookup(context, call, { devLastIP }) {
    const command = { tool: 'nslookup', query: canonicalLookup(devLastIP) } as const;
    return run(context, call, command, ({ output, data }) => ({
      success: true,
      output: linesOf(output),
      result: data,
    }));
  },

  async nmap(context, call, { scan, mode }) {
    const command = { tool: 'nmap', target: canonicalTarget(scan), mode } as const;
    return run(context, call, command, ({ output, data }) => ({
      success: true,
      mode,
      ip: scan,
      output: linesOf(output),
      result: data,
    }));
  },

  async internetInfo(context, call) {
    return run(context, call, { tool: 'internetinfo' }, ({ output, data }) => ({
      success: true,
      output: output.trimEnd(),
      result: data,
    }));
  },

  async interfaces(context, call) {
    return run(context, call, { tool: 'interfaces' }, ({ data }) => ({
      success: true,
      interfaces: InterfacesResult.parse(data),
    }));
  },
};

export const nettoolsGroup = group(operations, handlers);

/** Runs the command; a success is answered as `shape` says, a failure with its reason, what goes on as a job. */
async function run<Body>(
  { agents }: Context,
  { site, token, prefix }: Call,
  command: Command,
  shape: (ended: Ended) => Body,
): Promise<Body | Answer> {
  const outcome = await agents.run(site, command, token.id, WAIT_MS);
  if ('job' in outcome) {
    const headers = { Location: `${prefix}/jobs/${outcome.job.id}` };
    return new Answer({ success: true, ...outcome.job }, { status: 202, headers });
  }
  const { ended } = outcome;
  if (ended.state === 'succeeded') return shape(ended);
  throw failureOf(command, ended);
}

/** Which error a reason is told as, and in which words when the agent has sent none. */
const FAILURES: Record<Reason, [ErrorCode, string]> = {
  tool_failed: ['command_failed', 'the command failed'],
  timed_out: ['command_failed', 'the command took too long'],
  tool_missing: ['tool_missing', 'the program is not installed on the host of the agent'],
  target_not_allowed: ['target_not_allowed', 'the policy of the agent refuses the target'],
  invalid_target: ['validation_failed', 'the target makes no sense on the host of the agent'],
  agent_busy: ['agent_busy', 'the agent runs as many commands as it may'],
  deadline_passed: ['agent_silent', 'the command reached the agent too late to be started'],
  clock_skew: ['command_failed', 'the clock of the agent is wrong, so that it cannot judge deadlines'],
  agent_restarted: ['command_failed', 'the agent was restarted while the command ran'],
  cancelled: ['command_failed', 'the command was cancelled'],
  lease_expired: ['command_failed', 'nothing was heard of the command until long after its time limit'],
  internal_error: ['command_failed', 'the agent failed'],
};

function failureOf({ tool }: Command, { reason, message, output }: Ended): ServiceError {
  const [code, words] = FAILURES[reason ?? 'internal_error'];
  const said = message ?? lastLineOf(output) ?? words;
  return new ServiceError(code, `Cannot run ${tool}: ${said}`, {
    ...(code === 'agent_busy' ? { retryAfter: 5 } : {}),
    ...(code === 'validation_failed' ? { fields: [{ path: FIELD_OF[tool] ?? '', message: said }] } : {}),
  });
}

/** The field of the request that holds a tool's target. */
const FIELD_OF: Partial<Record<Command['tool'], string>> = {
  wakeonlan: 'devMac',
  traceroute: 'devLastIP',
  nslookup: 'devLastIP',
  nmap: 'scan',
};

function lastLineOf(output: string): string | null {
  return output.trimEnd().split('\n').at(-1)?.slice(0, 300) || null;
}

function linesOf(output: string): string[] {
  const text = output.replace(/\n+$/, '');
  return text === '' ? [] : text.split('\n');
}
