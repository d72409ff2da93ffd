/** By what devices are alike: what they say that others of their kind say in the same words. */
import type { Observation, ObservationSource } from '../agent/observations.ts';

/** The words of these sources are the same for all devices of a model, best first. */
const OF_A_MODEL: readonly ObservationSource[] = ['upnp-model', 'snmp-object', 'snmp-description', 'http-title'];
/** Keys of TXT records that name a model. */
const MODEL_KEY = /^\S+ (?:md|model|ty|am|usb_MDL|modelid|app|product)=/i;

const MAX_FEATURES = 8;

/** At most MAX_FEATURES texts: two devices with one of them are alike. The most telling come first. */
export function featuresOf(observations: readonly Observation[]): string[] {
  const value = (source: ObservationSource) => observations.find((each) => each.source === source)?.value;
  const models = OF_A_MODEL.flatMap((source) => {
    const text = value(source);
    return text === undefined ? [] : [`${source} ${text}`];
  });
  const texts = observations
    .filter((each) => each.source === 'mdns-text' && MODEL_KEY.test(each.value))
    .map((each) => `mdns-text ${each.value}`)
    .sort();
  const [client, options] = [value('dhcp-class'), value('dhcp-options')];
  const maker = value('mac-vendor');
  // A client alone is that of many systems; with the maker of the card it is one of its products.
  const dhcp = client === undefined || maker === undefined ? [] : [`dhcp ${maker}: ${client} ${options ?? ''}`.trim()];
  const pattern = patternOf(value('mdns') ?? value('dhcp-name') ?? value('netbios') ?? value('dns'));
  const named = maker === undefined || pattern === null ? [] : [`name ${maker}: ${pattern}`];
  return [...new Set([...models, ...texts, ...dhcp, ...named])].slice(0, MAX_FEATURES);
}

/** The host name without what differs from device to device; null when that is all of it, or when there is nothing such. */
function patternOf(name: string | undefined): string | null {
  const [host = ''] = (name ?? '').toLowerCase().split('.');
  const pattern = host.replace(/[0-9a-f]{6,}|\d+/g, '#');
  return pattern.includes('#') && /[a-z]{3}/.test(pattern) ? pattern : null;
}
