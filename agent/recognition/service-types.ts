/** What is asked for by DNS-SD (RFC 6763), and which of what is said in TXT records tells what a device is. */

/**
 * Types of services that are asked for in any case, because not every device answers the question which ones it has. The
 * most telling come first: of a device with many, these are told.
 */
export const SERVICE_TYPES: readonly string[] = [
  '_device-info._tcp',
  '_ipp._tcp',
  '_ipps._tcp',
  '_printer._tcp',
  '_pdl-datastream._tcp',
  '_uscan._tcp',
  '_googlecast._tcp',
  '_airplay._tcp',
  '_raop._tcp',
  '_androidtvremote2._tcp',
  '_amzn-wplay._tcp',
  '_sonos._tcp',
  '_spotify-connect._tcp',
  '_hap._tcp',
  '_hue._tcp',
  '_shelly._tcp',
  '_esphomelib._tcp',
  '_matter._tcp',
  '_axis-video._tcp',
  '_rtsp._tcp',
  '_companion-link._tcp',
  '_apple-mobdev2._tcp',
  '_home-assistant._tcp',
  '_qdiscover._tcp',
  '_nvstream._tcp',
  '_mqtt._tcp',
  '_adisk._tcp',
  '_afpovertcp._tcp',
  '_smb._tcp',
  '_workstation._tcp',
  '_ssh._tcp',
  '_http._tcp',
];

/**
 * The keys of TXT records that are told, the most telling first: makers, models, names that people gave, categories, and ids
 * that stay when a MAC does not. No others, because some are secrets (pairing hashes, serial numbers).
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
  'fn', // what people call a Google Cast or AirPlay receiver
  'friendly_name', // ESPHome
  'n', // Fire TV, Matter
  'location_name', // Home Assistant
  'ci', // category of a HomeKit accessory
  'DT', // device type of Matter
  'VP', // vendor and product of Matter
  'ca', // capabilities of Google Cast: whether it has a screen
  'rp', // the queue of a printer, which tells that a computer shares it
  'deviceid', // AirPlay
  'id', // HomeKit, Google Cast, Shelly
  'bridgeid', // Hue
  'UUID', // printers
  'macaddress', // Axis
  'mac', // ESPHome
];
