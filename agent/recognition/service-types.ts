/** Which DNS-SD services (RFC 6763) the agent queries, and which keys of their TXT records identify a device. */

/**
 * Service types that the agent always queries, because not every device responds to the enumeration of its types. The most
 * specific come first: of a device with many, the agent reports these.
 */
export const SERVICE_TYPES: readonly string[] = `
  device-info ipp ipps printer pdl-datastream uscan googlecast airplay raop androidtvremote2 amzn-wplay sonos
  spotify-connect hap hue shelly esphomelib matter axis-video rtsp companion-link apple-mobdev2 home-assistant
  qdiscover nvstream mqtt adisk afpovertcp smb workstation ssh http
`
  .trim()
  .split(/\s+/)
  .map((name) => `_${name}._tcp`);

/**
 * The keys of TXT records that the agent reports, the most specific first: makers, models, user-given names, categories, and
 * ids that survive a change of MAC. No others, because some are secrets (pairing hashes, serial numbers).
 */
export const TEXT_KEYS: readonly string[] = [
  'model', // AirPlay, device-info, Synology
  'md', // Google Cast, HomeKit
  'am', // AirPlay audio
  'rpMd', // Apple Companion Link
  'ty', // printers
  'usb_MFG',
  'usb_MDL',
  'modelid', // Hue
  'displayModel', // QNAP
  'modelDisplayName', // Spotify Connect
  'app', // Shelly
  'project_name', // ESPHome
  'board', // ESPHome
  'manufacturer',
  'vendor',
  'mf',
  'mfg',
  'mdl',
  'brandDisplayName',
  'product', // printers, Axis
  'fn', // user-given name of a Google Cast or AirPlay receiver
  'friendly_name', // ESPHome
  'n', // Fire TV, Matter
  'location_name', // Home Assistant
  'ci', // category of a HomeKit accessory
  'DT', // device type of Matter
  'VP', // vendor and product of Matter
  'ca', // capabilities of Google Cast: whether it has a screen
  'rp', // the queue of a printer, which shows that a computer shares it
  'deviceid', // AirPlay
  'id', // HomeKit, Google Cast, Shelly
  'bridgeid', // Hue
  'UUID', // printers
  'macaddress', // Axis
  'mac', // ESPHome
];
