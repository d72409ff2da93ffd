/** The table of the kinds of devices. Without zod, because the console loads it with its lists. */

/**
 * By id: the label, which is the value of devType, in the spelling of NetAlertX where it has the kind; and the class of the
 * icon that NetAlertX shows for it, from Font Awesome Free, by a name that versions 5 and 6 share.
 */
export const KINDS = {
  router: { label: 'Router', icon: 'globe' },
  firewall: { label: 'Firewall', icon: 'shield-alt' },
  switch: { label: 'Switch', icon: 'network-wired' },
  'access-point': { label: 'AP', icon: 'wifi' },
  server: { label: 'Server', icon: 'server' },
  hypervisor: { label: 'Hypervisor', icon: 'cubes' },
  'virtual-machine': { label: 'VM', icon: 'cube' },
  nas: { label: 'NAS', icon: 'hdd' },
  computer: { label: 'PC', icon: 'desktop' },
  laptop: { label: 'Laptop', icon: 'laptop' },
  'single-board': { label: 'Singleboard Computer (SBC)', icon: 'microchip' },
  phone: { label: 'Phone', icon: 'mobile-alt' },
  tablet: { label: 'Tablet', icon: 'tablet-alt' },
  watch: { label: 'Smartwatch', icon: 'clock' },
  printer: { label: 'Printer', icon: 'print' },
  scanner: { label: 'Scanner', icon: 'file-image' },
  tv: { label: 'TV', icon: 'tv' },
  'media-player': { label: 'Media Player', icon: 'play-circle' },
  speaker: { label: 'Smart Speaker', icon: 'volume-up' },
  'game-console': { label: 'Game Console', icon: 'gamepad' },
  camera: { label: 'Camera', icon: 'video' },
  'voip-phone': { label: 'VoIP Phone', icon: 'phone' },
  'smart-home': { label: 'Smart Home', icon: 'lightbulb' },
  'smart-plug': { label: 'Smart Plug', icon: 'plug' },
  thermostat: { label: 'Thermostat', icon: 'thermometer-half' },
  appliance: { label: 'House Appliance', icon: 'blender' },
  vacuum: { label: 'Vacuum Cleaner', icon: 'robot' },
  ups: { label: 'UPS', icon: 'battery-full' },
  solar: { label: 'Solar Inverter', icon: 'solar-panel' },
} as const satisfies Record<string, { label: string; icon: string }>;

export type KindId = keyof typeof KINDS;
export const KIND_IDS = Object.keys(KINDS) as [KindId, ...KindId[]];

/** The kind with this label, in any letter case; null for a custom type. */
export function kindOfType(type: string): KindId | null {
  return BY_LABEL.get(type.toLowerCase()) ?? null;
}

/** The kind that a type means, by its label or a synonym: only for display. Stored data uses the label alone. */
export function kindMeantBy(type: string): KindId | null {
  return kindOfType(type) ?? SYNONYMS.get(type.trim().toLowerCase()) ?? null;
}

const BY_LABEL = new Map(KIND_IDS.map((kind) => [KINDS[kind].label.toLowerCase(), kind]));
const SYNONYMS: ReadonlyMap<string, KindId> = new Map([
  ['access point', 'access-point'],
  ['computer', 'computer'],
  ['desktop', 'computer'],
  ['workstation', 'computer'],
  ['notebook', 'laptop'],
  ['mobile', 'phone'],
  ['mobile phone', 'phone'],
  ['smartphone', 'phone'],
  ['smart tv', 'tv'],
  ['television', 'tv'],
  ['speaker', 'speaker'],
  ['ip camera', 'camera'],
  ['network camera', 'camera'],
  ['security camera', 'camera'],
  ['webcam', 'camera'],
]);
