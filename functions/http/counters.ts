/** What a process counts while it works. */
import type { FinalState } from '../../shared/agent/messages.ts';
import type { DeviceStatus } from '../../shared/device.ts';
import type { Tool } from '../../shared/tools/list.ts';
import type { Family } from './text-format.ts';

/**
 * Labels are taken from fixed sets only: names of operations, statuses, tools. A path or a MAC address would make a new
 * series for every request.
 */
export interface Counters {
  /**
   * A request that was answered.
   * @param operation its name; null for a path or a method that there is not
   * @param seconds until the head of the answer: a stream goes on after it
   */
  request(operation: string | null, status: number, seconds: number): void;
  /** A command whose result was stored. @param seconds how long it ran; null when it was never started */
  command(tool: Tool, outcome: FinalState, seconds: number | null): void;
  /** Devices that have come to this status, as agents report it. */
  presence(to: Exclude<DeviceStatus, 'archived'>, devices: number): void;
  /** All counts since the process was started. */
  families(): Family[];
}
