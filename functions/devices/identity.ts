/** By what a device can be known again under another MAC: what it says of itself that hardly any other says. */
import type { Observation, ObservationSource } from '../../shared/agent/observations.ts';
import { isMachineMade } from '../../shared/recognition/names.ts';
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

/** Words of which the names consist that devices have as they are delivered. */
const DELIVERED =
  /^(?:iphone|ipad|ipod|watch|applewatch|macbook|imac|mac|air|apple|android|galaxy|samsung|pixel|redmi|xiaomi|mi|poco|huawei|honor|oneplus|oppo|vivo|realme|moto|motorola|nokia|sony|xperia|lg|sm|note|tab|fold|flip|pro|max|plus|ultra|mini|lite|fe|se|neo|edge|phone|tablet|smartphone|laptop|notebook|desktop|pc|computer|windows|linux|ubuntu|debian|fedora|raspberrypi|raspberry|pi|esp|espressif|tasmota|shelly|localhost|localdomain|host|client|device|unknown|user|home|guest|tv|smarttv|chromecast|printer|camera|cam|router|the|my|of)$/;
/** Numbers of models: `s21`, `7`, `g991b`. */
const MODEL_NUMBER = /^[a-z]{0,3}\d{0,5}[a-z]{0,2}$/;

/** Whether many devices have this name, so that it tells none of them. */
export function isCommonName(label: string): boolean {
  if (isMachineMade(label)) return true;
  const words = label.split(/[^a-z0-9]+/).filter((word) => word !== '');
  return words.every((word) => DELIVERED.test(word) || (MODEL_NUMBER.test(word) && /\d/.test(word)) || word.length < 2);
}

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
