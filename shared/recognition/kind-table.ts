/** The table of the kinds of devices. Without zod, because the console loads it with its lists. */

/**
 * By id: the label, which is the value of devType, and the class of the Font Awesome icon by which NetAlertX shows such a
 * device. Labels are the words that NetAlertX uses where it has one.
 */
export const KINDS = {
  router: { label: 'Router', icon: 'globe' },
  firewall: { label: 'Firewall', icon: 'shield-halved' },
  switch: { label: 'Switch', icon: 'network-wired' },
  'access-point': { label: 'AP', icon: 'wifi' },
  server: { label: 'Server', icon: 'server' },
  hypervisor: { label: 'Hypervisor', icon: 'cubes' },
  'virtual-machine': { label: 'Virtual machine', icon: 'cube' },
  nas: { label: 'NAS', icon: 'hdd' },
  computer: { label: 'PC', icon: 'desktop' },
  laptop: { label: 'Laptop', icon: 'laptop' },
  'single-board': { label: 'Single-board computer', icon: 'microchip' },
  phone: { label: 'Phone', icon: 'mobile-alt' },
  tablet: { label: 'Tablet', icon: 'tablet-alt' },
  watch: { label: 'Watch', icon: 'clock' },
  printer: { label: 'Printer', icon: 'print' },
  scanner: { label: 'Scanner', icon: 'file-image' },
  tv: { label: 'TV', icon: 'tv' },
  'media-player': { label: 'Media player', icon: 'play-circle' },
  speaker: { label: 'Speaker', icon: 'volume-up' },
  'game-console': { label: 'Game console', icon: 'gamepad' },
  camera: { label: 'Camera', icon: 'video' },
  'voip-phone': { label: 'VoIP phone', icon: 'phone' },
  'smart-home': { label: 'Smart home', icon: 'lightbulb' },
  'smart-plug': { label: 'Smart plug', icon: 'plug' },
  thermostat: { label: 'Thermostat', icon: 'thermometer-half' },
  appliance: { label: 'Appliance', icon: 'blender' },
  vacuum: { label: 'Vacuum cleaner', icon: 'robot' },
  ups: { label: 'UPS', icon: 'battery-full' },
  solar: { label: 'Solar inverter', icon: 'solar-panel' },
} as const satisfies Record<string, { label: string; icon: string }>;

export type KindId = keyof typeof KINDS;
export const KIND_IDS = Object.keys(KINDS) as [KindId, ...KindId[]];

/** The kind whose label this is, in any letter case; null for a type that a person made up. */
export function kindOfType(type: string): KindId | null {
  return BY_LABEL.get(type.toLowerCase()) ?? null;
}

const BY_LABEL = new Map(KIND_IDS.map((kind) => [KINDS[kind].label.toLowerCase(), kind]));
