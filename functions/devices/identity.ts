/** By what a device can be known again under another MAC: what it says of itself that hardly any other says. */
import type { Observation, ObservationSource } from '../../shared/agent/observations.ts';
import { isCommonName } from '../../shared/recognition/names.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { allObserved, unpackObserved } from './collection/observed.ts';

interface Identity {
  /** Names that somebody has given it, without domain, in lower case; as it spells them, by that. */
  names: ReadonlyMap<string, string>;
  /** Names that many devices of its kind have, each with how it asks for an address: that together tells it from most. */
  commonNames: ReadonlyMap<string, string>;
  /** A name that somebody has given it, with how it asks for an address; null where it has said one of them only. */
  dhcpId: string | null;
  /** UDN of its UPnP description. */
  upnpId: string | null;
  /** sysName of SNMP, in lower case. */
  snmpName: string | null;
}

const NOBODY: Identity = { names: new Map(), commonNames: new Map(), dhcpId: null, upnpId: null, snmpName: null };

const NAMES: readonly ObservationSource[] = ['mdns', 'dhcp-name', 'netbios', 'dns'];

/** Devices are never changed, and those that a change leaves alone are the same objects after it. */
const known = new WeakMap<StoredDevice, Identity>();

export function identityOf(device: StoredDevice): Identity {
  if (device.observed === undefined) return NOBODY;
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
  const isTelling = names.has(given) && options !== null;
  const dhcpId = isTelling ? JSON.stringify([given, options, vendorClass]) : null;
  return {
    names,
    commonNames,
    dhcpId,
    upnpId: first('upnp-id'),
    snmpName: first('snmp-name')?.trim().toLowerCase() || null,
  };
}
