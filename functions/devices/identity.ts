/** What identifies a device under another MAC: observations that hardly any other device shares. */
import type { Observation, ObservationSource } from '../../shared/agent/observations.ts';
import { isCommonName } from '../../shared/recognition/names.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { allObserved, unpackObserved } from './collection/observed.ts';

interface Identity {
  /** Names that a person chose, without domain: in lower case, with the device's own spelling. */
  names: ReadonlyMap<string, string>;
  /** Names common to a model, each combined with the DHCP fingerprint: together they set the device apart from most. */
  commonNames: ReadonlyMap<string, string>;
  /** A chosen name, combined with the DHCP fingerprint; null when either is missing. */
  dhcpId: string | null;
  upnpId: string | null;
  /** sysName of SNMP, in lower case. */
  snmpName: string | null;
}

const NO_IDENTITY: Identity = { names: new Map(), commonNames: new Map(), dhcpId: null, upnpId: null, snmpName: null };

const NAMES: readonly ObservationSource[] = ['mdns', 'dhcp-name', 'netbios', 'dns'];

/** Cached by object: devices are immutable, and a change keeps the objects of those that it leaves alone. */
const known = new WeakMap<StoredDevice, Identity>();

export function identityOf(device: StoredDevice): Identity {
  if (device.observed === undefined) return NO_IDENTITY;
  const found = known.get(device) ?? identityIn(allObserved(unpackObserved(device.observed)));
  known.set(device, found);
  return found;
}

function identityIn(observations: readonly Observation[]): Identity {
  const first = (source: ObservationSource) => observations.find((each) => each.source === source)?.value ?? null;
  const names = new Map<string, string>();
  const commonNames = new Map<string, string>();
  const [options, vendorClass] = [first('dhcp-options'), first('dhcp-class')];
  for (const { value } of observations.filter(({ source }) => NAMES.includes(source))) {
    const spelled = value.trim().split('.')[0] ?? '';
    const label = spelled.toLowerCase();
    if (label === '') continue;
    if (!isCommonName(label)) names.set(label, spelled);
    else if (options !== null && vendorClass !== null) {
      commonNames.set(JSON.stringify([label, options, vendorClass]), spelled);
    }
  }
  const given = first('dhcp-name')?.trim().split('.')[0]?.toLowerCase() ?? '';
  const isDistinctive = names.has(given) && options !== null;
  const dhcpId = isDistinctive ? JSON.stringify([given, options, vendorClass]) : null;
  return {
    names,
    commonNames,
    dhcpId,
    upnpId: first('upnp-id'),
    snmpName: first('snmp-name')?.trim().toLowerCase() || null,
  };
}
