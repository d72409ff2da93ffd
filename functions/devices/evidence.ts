/** `/devices/{mac}/evidence`: how a device is classified, and the observations that this is based on. */
import type { DeviceEvidence, DeviceJudgement, DeviceObservation } from '../../shared/api/device-evidence.ts';
import type { devices as operations } from '../../shared/api/devices.ts';
import type { Conclusion } from '../../shared/recognition/classify.ts';
import type { Handlers } from '../http/call.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { type Observed, SCANS, unpackObserved } from './collection/observed.ts';
import type { DevicesContext } from './context.ts';
import { findDevice, withEtag } from './one-device.ts';
import { classificationOf } from './recognized.ts';

export const evidenceHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'explainDevice'> = {
  async explainDevice(context, call, { mac }) {
    const device = findDevice(await context.devices.snapshot(call.site), mac);
    const observed = unpackObserved(device.observed);
    const body: DeviceEvidence = {
      success: true,
      mac: device.key,
      type: device.record.devType,
      judgement: shownClassification(device, observed),
      setByPerson: [...(device.byPerson ?? [])],
      observations: observationsIn(observed),
    };
    return withEtag(body);
  },
};

function shownClassification({ record }: StoredDevice, observed: Observed): DeviceJudgement {
  const { kind, vendor, model, name, place } = classificationOf(record, observed);
  return { kind: shown(kind), vendor: shown(vendor), model: shown(model), name: shown(name), place: shown(place) };
}

function shown<Value>(verdict: Conclusion<Value> | null) {
  if (verdict === null) return null;
  const { value, confidence, because } = verdict;
  return { value, confidence, because: because.map(({ source, value }) => ({ source, value })) };
}

function observationsIn(observed: Observed): DeviceObservation[] {
  return Object.entries(observed).flatMap(([observer, all]) => {
    const by = observer === SCANS ? 'scans' : observer;
    return all.map(({ source, value, at }) => ({ by, source, value, since: new Date(at).toISOString() }));
  });
}
