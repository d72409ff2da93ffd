/** The metrics of a process. */
import type { FinalState } from '../../shared/agent/messages.ts';
import type { DeviceStatus } from '../../shared/device.ts';
import type { Tool } from '../../shared/tools/list.ts';
import type { Family } from './text-format.ts';

/**
 * Labels come from fixed sets only: names of operations, statuses, tools. A path or a MAC address would make a new series
 * for every request.
 */
export interface Counters {
  /**
   * A request was answered.
   * @param operation null for an unknown path or method
   * @param seconds until the head of the response: a stream goes on after it
   */
  request(operation: string | null, status: number, seconds: number): void;
  /** The result of a command was stored. @param seconds how long it ran; null when it was never started */
  command(tool: Tool, outcome: FinalState, seconds: number | null): void;
  /** Devices have changed to this status, as agents report it. */
  presence(to: Exclude<DeviceStatus, 'archived'>, devices: number): void;
  /** All counts since the process started. */
  families(): Family[];
}
