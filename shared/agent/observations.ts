/** What devices announce of themselves, as agents observe it: the evidence for their classification. A device may lie. */
import * as z from 'zod';
import { Millis } from '../time.ts';
import { fitText } from './fit-text.ts';

/** Where a text comes from. A device may have several values at a time of the sources in MANY_VALUED, one of the others. */
export const ObservationSource = z.enum([
  'dns', // the name that a name server of the LAN has for its address
  'mdns', // its own host name (RFC 6762)
  'netbios', // its NetBIOS name (RFC 1002)
  'mdns-service', // a service type that it announces, such as `_ipp._tcp` (RFC 6763)
  'mdns-instance', // the instance name of its service: `_ipp._tcp Brother HL-L2350DW series`
  'mdns-text', // service and one key of its TXT record: `_ipp._tcp ty=Brother HL-L2350DW series`
  'ssdp-server', // the SERVER header of its answer (UPnP Device Architecture)
  'ssdp-type', // a search target that it answers to: `urn:schemas-upnp-org:device:MediaRenderer:1`
  'upnp-type', // deviceType, and the elements that follow, of its UPnP device description
  'upnp-name', // friendlyName
  'upnp-maker', // manufacturer
  'upnp-model', // modelName, and modelNumber where it differs
  'upnp-id', // UDN
  'snmp-name', // sysName (RFC 3418)
  'snmp-description', // sysDescr
  'snmp-object', // sysObjectID, in dotted form without a leading dot
  'lldp-name', // system name (IEEE 802.1AB)
  'lldp-description', // system description
  'lldp-capabilities', // enabled capabilities: `bridge,router`
  'dhcp-name', // option 12 of its DHCP requests (RFC 2132)
  'dhcp-class', // option 60
  'dhcp-options', // option 55, the options that it requests, in its order: `1,3,6,15`
  'http-title', // the title of its page, by a scan
  'http-server', // the Server header, by a scan
  'ssh', // its SSH software, by a scan
  'tls', // the subject of its certificate, by a scan
  'service', // port and product that a scan found: `631/tcp Brother HL-L2350DW ipp`
  'os', // its operating system, as a scan guesses it
  'mac-vendor', // the company to which the IEEE has assigned its MAC
  'gateway', // hosts reach other networks through it at this address
  'parent-lldp', // where it is attached, according to it or its neighbour: `AA:BB:CC:DD:EE:FF Gi0/4`
  'parent-bridge', // the same: the port of the nearest switch that has learned its MAC
  'parent-route', // the last hop before it: `AA:BB:CC:DD:EE:FF`
  'known-by', // a source that knows it, such as a DHCP server: `office (Kea)`
  'given-name', // the name that a person gave it there
  'host-name', // the name that the source has from DHCP or DNS
  'source-maker', // its maker, according to the source
  'source-model', // its model
  'link', // `wired`, or `wireless` and the name of the radio network
  'parent-source', // where it is attached, according to a controller or router: `AA:BB:CC:DD:EE:FF Port 4`
]);
export type ObservationSource = z.infer<typeof ObservationSource>;

/** What agents report in fields of the sighting, and so not among its observations. */
export const REPORTED_OTHERWISE: ReadonlySet<ObservationSource> = new Set([
  'dns',
  'mdns',
  'netbios',
  'mac-vendor',
  'gateway',
]);

export const MANY_VALUED: ReadonlySet<ObservationSource> = new Set([
  'mdns-service',
  'mdns-instance',
  'mdns-text',
  'ssdp-type',
  'service',
  'known-by',
]);

/** What the sources of an agent have of a device, such as DHCP servers and controllers. */
export const BY_SOURCES: ReadonlySet<ObservationSource> = new Set([
  'known-by',
  'given-name',
  'host-name',
  'source-maker',
  'source-model',
  'link',
  'parent-source',
]);

/** Longest text of an observation. */
export const MAX_OBSERVATION_CHARACTERS = 200;
/** Observations of one device by one agent. */
export const MAX_OBSERVATIONS = 40;
/** Characters of all of them together. */
export const MAX_OBSERVED_CHARACTERS = 3_000;

export const Observation = z.object({
  source: ObservationSource,
  /** As the device sent it, without invisible characters. Untrusted. */
  value: fitText(MAX_OBSERVATION_CHARACTERS),
  /** When it was first observed (Unix, ms); it has not changed since. */
  at: Millis,
});
export type Observation = z.infer<typeof Observation>;

export const Observations = z
  .array(Observation)
  .max(MAX_OBSERVATIONS)
  .refine((all) => all.reduce((sum, { value }) => sum + value.length, 0) <= MAX_OBSERVED_CHARACTERS, {
    error: `expected at most ${MAX_OBSERVED_CHARACTERS} characters in all observations of a device`,
  });
