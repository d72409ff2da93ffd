/** What to do about an agent that is not online: the commands to run on its host, or that it has to be enrolled again. */
import type { Agent } from '../../../shared/api/records.ts';

const STATUS = 'systemctl status lanreach-agent';
const LOG = 'journalctl -u lanreach-agent -n 50';
const DOCTOR = 'sudo lanreach-agent doctor';
const START = 'sudo systemctl start lanreach-agent';

interface Cure {
  commands: readonly string[];
  /** Nothing that is done on its host brings it back. */
  isToBeEnrolled: boolean;
}

export function cureOf({ state, offlineReason, host }: Pick<Agent, 'state' | 'offlineReason' | 'host'>): Cure | null {
  const cure = onLinux({ state, offlineReason });
  if (cure === null || !/darwin/i.test(host?.platform ?? '')) return cure;
  return { ...cure, commands: cure.commands.length === 0 ? [] : ['lanreach-agent doctor'] };
}

function onLinux({ state, offlineReason }: Pick<Agent, 'state' | 'offlineReason'>): Cure | null {
  if (state === 'enrolling') return { commands: [START, LOG, DOCTOR], isToBeEnrolled: false };
  if (state !== 'offline') return null;
  switch (offlineReason) {
    case 'certificate_ended':
    case 'revoked':
    case 'disconnected':
      return { commands: [], isToBeEnrolled: true };
    case 'stopped':
      return { commands: [START, STATUS, LOG], isToBeEnrolled: false };
    case 'updating':
      return { commands: [LOG, START, DOCTOR], isToBeEnrolled: false };
    default:
      return { commands: [STATUS, LOG, DOCTOR], isToBeEnrolled: false };
  }
}
