/** What kinds of devices are called. The value of devType stays the English word, which other systems know. */
import { KINDS, type KindId, kindOfType } from '../../shared/recognition/kind-table.ts';
import { inLanguage } from './language.ts';

const english = Object.fromEntries(Object.entries(KINDS).map(([kind, { label }]) => [kind, label])) as Record<
  KindId,
  string
>;

const german: Record<KindId, string> = {
  router: 'Router',
  firewall: 'Firewall',
  switch: 'Switch',
  'access-point': 'WLAN-Zugangspunkt',
  server: 'Server',
  hypervisor: 'Hypervisor',
  'virtual-machine': 'Virtuelle Maschine',
  nas: 'NAS',
  computer: 'PC',
  laptop: 'Laptop',
  'single-board': 'Einplatinenrechner',
  phone: 'Telefon',
  tablet: 'Tablet',
  watch: 'Smartwatch',
  printer: 'Drucker',
  scanner: 'Scanner',
  tv: 'Fernseher',
  'media-player': 'Mediaplayer',
  speaker: 'Lautsprecher',
  'game-console': 'Spielkonsole',
  camera: 'Kamera',
  'voip-phone': 'VoIP-Telefon',
  'smart-home': 'Smart Home',
  'smart-plug': 'Steckdose',
  thermostat: 'Thermostat',
  appliance: 'Haushaltsgerät',
  vacuum: 'Saugroboter',
  ups: 'USV',
  solar: 'Wechselrichter',
};

const labels = inLanguage(english, german);

/** The word for a value of devType; what a person made up stays as it is. */
export function kindText(type: string): string {
  const kind = kindOfType(type);
  return kind === null ? type : labels[kind];
}
