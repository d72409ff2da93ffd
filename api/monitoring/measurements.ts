/** What agents have measured, on its way into the series and the state of their site. */
import type { MeasurementsBody } from '../../shared/agent/measurements.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { AgentId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { AgentDispatcher } from '../commands/agent-dispatcher.ts';

export interface MonitoringIngest {
  /** Stores a message and confirms it to the agent. Storing it again changes nothing. Rejects when the database or the broker fails. */
  measurements(agent: AgentId, message: MeasurementsBody): Promise<void>;
}

interface Dependencies {
  agents: Pick<AgentDispatcher, 'control'>;
  now(): Date;
}

export function openMonitoring({ agents }: Dependencies, _log: Log): MonitoringIngest {
  return {
    async measurements(agent, { n }) {
      await agents.control(agent, { v: PROTOCOL_VERSION, t: 'measured', n });
    },
  };
}
