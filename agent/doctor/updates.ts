/** The version that the service runs, on hosts where the agent has updated itself. */
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { compareVersions } from '../../shared/agent/release.ts';
import { oneLine } from '../../shared/text.ts';
import { readRecord } from '../launch/record.ts';
import { STATE } from '../state/layout.ts';
import { type Finding, ok, warning } from './finding.ts';

/** @returns null without any update */
export function checkUpdates(stateDirectory: string, packaged = packageJson.version): Finding | null {
  const { proven, trial, last } = readRecord(join(stateDirectory, STATE.update));
  if (proven === null && trial === null && last === null) return null;
  const isUsed = proven !== null && compareVersions(proven.version, packaged) > 0;
  const runs = isUsed ? `${proven.version}, installed by an update of ${packaged}` : packaged;
  if (last?.state === 'failed') {
    const when = new Date(last.at).toISOString().slice(0, 10);
    const message = `the version is ${runs}; ${last.version} failed on ${when}: ${oneLine(last.reason ?? 'no reason is known')}`;
    return warning('updates', message, 'journalctl -u lanreach-agent may say more; a newer release is tried again');
  }
  return ok(
    'updates',
    trial === null ? `the version is ${runs}` : `the version is ${runs}; ${trial.version} is on trial`,
  );
}
