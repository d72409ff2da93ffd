/** Icons for kinds of devices: lines on a grid of 24, in the colour of the text, readable from 18 pixels. */
import { type KindId, kindMeantBy } from '../../shared/recognition/kind-table.ts';
import { kindText } from '../text/kind-texts.ts';

/** A dot is a line of no length. */
export const KIND_LINES: Readonly<Record<KindId, string>> = {
  router:
    'M5 13h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2zM7 13 5 4M17 13l2-9M7 16.5h.01M10.5 16.5h.01M14 16.5h3.5',
  firewall:
    'M12 2.5l8 3v6c0 4.7-3.2 8.3-8 10-4.8-1.7-8-5.3-8-10v-6zM4 9h16M5 15h14M12 2.5V9M8.5 9v6M15.5 9v6M12 15v6.5',
  switch:
    'M4 7h16a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM5 14v-3.5h3V14zM10.5 14v-3.5h3V14zM16 14v-3.5h3V14z',
  'access-point': 'M4.5 8a10.6 10.6 0 0 1 15 0M8 11.7a5.7 5.7 0 0 1 8 0M12 15.5V20M6.5 20h11M12 15h.01',
  server:
    'M5 4h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM5 13h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2zM6.5 7.5h.01M10 7.5h.01M6.5 16.5h.01M10 16.5h.01M14.5 7.5h3.5M14.5 16.5h3.5',
  hypervisor:
    'M5 15h14a2 2 0 0 1 2 2v2a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-2a2 2 0 0 1 2-2zM4.5 4h6v7.5h-6zM13.5 4h6v7.5h-6zM6.5 18h.01M10 18h.01M14.5 18h3.5',
  'virtual-machine':
    'M12 6.5l4.8 2.7v5.6L12 17.5l-4.8-2.7V9.2zM7.2 9.2 12 12l4.8-2.8M12 12v5.5M3 7V5a2 2 0 0 1 2-2h2M17 3h2a2 2 0 0 1 2 2v2M21 17v2a2 2 0 0 1-2 2h-2M7 21H5a2 2 0 0 1-2-2v-2',
  nas: 'M6 3h12a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM4 16h16M9.33 3v13M14.67 3v13M6.67 13h.01M12 13h.01M17.33 13h.01M7.5 18.5h3',
  computer: 'M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM12 17v3.5M8 20.5h8',
  laptop: 'M6 5h12a1.5 1.5 0 0 1 1.5 1.5V15h-15V6.5A1.5 1.5 0 0 1 6 5zM4.5 15 2 19h20l-2.5-4',
  'single-board':
    'M5 5h13a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM8 11h6v5H8zM6.5 8h.01M9.5 8h.01M12.5 8h.01M15.5 8h.01M20 9.5h2.5v5H20',
  phone: 'M9 2.5h6a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM11 18.5h2',
  tablet: 'M4 5h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM18.5 11v2',
  watch:
    'M8.5 7h7a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM8.5 7l.8-4.5h5.4l.8 4.5M8.5 17l.8 4.5h5.4l.8-4.5M12 9.5V12l1.7 1.5',
  printer:
    'M7 9V3h10v6M7 17H5a2 2 0 0 1-2-2v-4a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-2M7 14h10v7H7zM17.5 11.7h.01',
  scanner: 'M3 13h18v5a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 13 19.5 4l1.5 2.7L9.5 13M6.5 16.5h.01M10 16.5h8',
  tv: 'M4 7h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM7.5 2.5 12 7l4.5-4.5M6 20v1.5M18 20v1.5',
  'media-player':
    'M4.5 15.5h15a1.5 1.5 0 0 1 1.5 1.5v2.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 19.5V17a1.5 1.5 0 0 1 1.5-1.5zM9.5 3v9l7-4.5zM17.5 18.25h.01',
  speaker:
    'M8 2.5h8a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM12 11a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 14.5h.01M12 6.5h.01',
  'game-console':
    'M7.5 6.5h9a5 5 0 0 1 4.9 4.2l.7 4.5a2.5 2.5 0 0 1-4.4 2L15.5 15h-7l-2.2 2.2a2.5 2.5 0 0 1-4.4-2l.7-4.5a5 5 0 0 1 4.9-4.2zM8 9v3.5M6.25 10.75h3.5M14.5 12h.01M17 9.5h.01',
  camera: 'M2.5 8.5 16 4l2.5 6L5.5 15zM17.5 7.5l3.5-1.2 1 2.7-3.5 1.2M11 13l1.5 5H4M4 15.5v5',
  'voip-phone':
    'M8 6h11a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H8M4.5 3.5h2A1.5 1.5 0 0 1 8 5v14.5A1.5 1.5 0 0 1 6.5 21h-2A1.5 1.5 0 0 1 3 19.5V5a1.5 1.5 0 0 1 1.5-1.5zM11 9h7v2.5h-7zM11.5 15h.01M14.5 15h.01M17.5 15h.01',
  'smart-home': 'M9 18.5h6M10.5 21.5h3M9 18.5v-2c0-.9-.4-1.5-1-2.1a6.5 6.5 0 1 1 8 0c-.6.6-1 1.2-1 2.1v2',
  'smart-plug': 'M8.5 2.5V8M15.5 2.5V8M5.5 8h13v3.5a6.5 6.5 0 0 1-13 0zM12 18v4',
  thermostat:
    'M8 13.4V5.5a2.5 2.5 0 0 1 5 0v7.9a4.5 4.5 0 1 1-5 0zM10.5 9v8M10.5 17h.01M16.5 5H20M16.5 9H19M16.5 13H20',
  appliance:
    'M6 2.5h12a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM4 7.5h16M7.5 5h.01M10.5 5h.01M15 5h2M12 10a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM8 15.5c1.5-1.2 2.7-1.2 4 0s2.5 1.2 4 0',
  vacuum:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM4 8.5c5-2 11-2 16 0M12 10.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM12 18.5h.01',
  ups: 'M4 6.5h13a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM22 10.5v3M11.5 8.5l-3 4h4l-3 4',
  solar:
    'M6.5 11.5h11l4 9h-19zM4.6 16h14.8M10.3 11.5l-1.2 9M13.7 11.5l1.2 9M8.5 8a3.5 3.5 0 0 1 7 0M12 1.5V2M5.7 4.2l.4.4M18.3 4.2l-.4.4M4 8.5h.5M19.5 8.5h.5',
};

/** For no kind, and for custom types. */
const NO_KIND =
  'M7 3.5h10a3 3 0 0 1 3 3v11a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3v-11a3 3 0 0 1 3-3zM9.6 9.6a2.4 2.4 0 1 1 3.7 2c-.9.6-1.3 1.1-1.3 2M12 16.5h.01';

/** @param type of devType */
export function linesOfKind(type: string): string {
  const kind = kindMeantBy(type);
  return kind === null ? NO_KIND : KIND_LINES[kind];
}

interface Props {
  /** Of devType. */
  type: string;
  /** No text beside it names the type: the icon has a label and a tooltip. */
  isAlone?: boolean;
}

export function KindIcon({ type, isAlone = false }: Props) {
  const label = kindText(type);
  const picture = <path d={linesOfKind(type)} />;
  const common = {
    viewBox: '0 0 24 24',
    className:
      'flex-none size-4.5 fill-none stroke-current stroke-[1.5] [stroke-linecap:round] [stroke-linejoin:round] data-[kind=none]:opacity-60',
    'data-kind': kindMeantBy(type) ?? 'none',
  };
  return !isAlone || label === '' ? (
    <svg {...common} aria-hidden="true">
      {picture}
    </svg>
  ) : (
    <svg {...common} role="img" aria-label={label}>
      <title>{label}</title>
      {picture}
    </svg>
  );
}
