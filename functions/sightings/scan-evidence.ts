/** The findings of a scan of mode `detail`, as evidence for recognition. */
import { fitToReport } from '../../shared/agent/fit-text.ts';
import type { EndedJob } from '../../shared/agent/messages.ts';
import { MAX_OBSERVATION_CHARACTERS, type Observation } from '../../shared/agent/observations.ts';
import { siteOfJob } from '../../shared/identity.ts';
import { TargetRange } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import type { Assignment } from '../commands/job-store.ts';
import { unlessDeleted } from '../devices/collection/collection-row.ts';
import { isSameDevice, type StoredDevice } from '../devices/collection/device-codec.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import { SCANS, unpackObserved } from '../devices/collection/observed.ts';
import { recognized } from '../devices/recognized.ts';
import { deviceOfHost, type Host } from './port-scans.ts';

/** Observations per device. */
const MAX_BY_SCANS = 30;

/** Replaces the observations of the last detailed scan, and classifies the devices again. Idempotent. Rejects as `change`. */
export async function storeScanEvidence(
  devices: DeviceStore,
  { id, agent, command }: Pick<Assignment, 'id' | 'agent' | 'command'>,
  { state, result, endedAt }: EndedJob,
): Promise<void> {
  if (command.tool !== 'nmap' || command.mode !== 'detail' || state !== 'succeeded' || result === null) return;
  const scanned = TargetRange.parse(command.target).range;
  const { hosts } = result as ToolResult<'nmap'>;
  const change = devices.change(siteOfJob(id), { actor: agent, cause: 'observation' }, (snapshot) => {
    const put = new Map<string, StoredDevice>();
    for (const host of hosts) {
      const known = deviceOfHost(snapshot, host, scanned);
      const heard = observationsOf(host, endedAt);
      if (known === undefined || heard.length === 0) continue;
      const observed = unpackObserved(known.observed);
      const former = observed[SCANS] ?? [];
      if (former.some(({ at }) => at > endedAt)) continue;
      const same = ({ source, value }: Observation) =>
        former.find((one) => one.source === source && one.value === value);
      const since = heard.map((one) => same(one) ?? one);
      const after = recognized({ ...known, observed: { ...observed, [SCANS]: since } });
      if (!isSameDevice(known, after)) put.set(known.key, after);
    }
    return { put: [...put.values()], remove: [] };
  });
  await unlessDeleted(change);
}

function observationsOf({ ports, os, banners = [] }: Host, endedAt: number): Observation[] {
  const at = Math.floor(endedAt / 1000) * 1000; // As it is stored.
  const services = ports
    .filter(({ state, product }) => state === 'open' && product !== null)
    .flatMap(({ port, protocol, product, version, service }) => {
      const software = [product, version].filter(Boolean).join(' ');
      return [
        { source: 'service' as const, text: `${port}/${protocol} ${[product, service].filter(Boolean).join(' ')}` },
        ...(service === 'ssh' ? [{ source: 'ssh' as const, text: software }] : []),
      ];
    });
  const found = [
    ...(os === null ? [] : [{ source: 'os' as const, text: os }]),
    ...banners.map(({ source, value }) => ({ source, text: value })),
    ...services,
  ];
  const all = new Map<string, Observation>();
  for (const { source, text } of found) {
    const value = fitToReport(text, MAX_OBSERVATION_CHARACTERS);
    if (value !== null && all.size < MAX_BY_SCANS) all.set(`${source} ${value}`, { source, value, at });
  }
  return [...all.values()];
}
