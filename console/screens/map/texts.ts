/** The texts of the topology. */
import { numberText, plural } from '../../text/format.ts';

export const texts = {
  title: 'Topology',
  titleOf: (site: string) => `Topology of ${site}`,
  tree: 'Devices by what they are connected to',
  search: 'Search',
  searchHint: 'Name, IP or MAC address',
  found: (count: number) => `${numberText(count)} found`,
  nextFound: 'Go to the next one that was found',
  downOnly: 'Down only',
  enlarge: 'Zoom in',
  reduce: 'Zoom out',
  fit: 'Show all of it',
  move: 'Move …',
  moveKey: 'Connect the device to another one',
  moveDevice: (name: string) => `Move ${name}`,
  whichDevice: 'Which device?',
  newParent: 'New parent',
  parentHint: 'The device that it is connected to. What is connected to it comes with it.',
  noneFits: 'No device fits.',
  firstOf: (shown: number, all: number) => `The first ${numberText(shown)} of ${numberText(all)}. Type to see others.`,
  noParent: 'No parent',
  moved: (name: string, parent: string) => `${name} is now connected to ${parent}.`,
  movedAway: (name: string) => `${name} has no parent now.`,
  circle: (name: string, parent: string) =>
    `${name} stays where it is: ${parent} is connected to it, so they would form a circle.`,
  onItself: (name: string) => `${name} stays where it is: it cannot be connected to itself.`,
  save: 'Save as SVG',
  internet: 'Internet',
  withoutParent: 'Without a known parent',
  counts: (count: number, down: number) =>
    down === 0 ? plural(count, 'device') : `${plural(count, 'device')} · ${numberText(down)} down`,
  inStatus: (count: number, status: string) => `${numberText(count)} ${status}`,
  onPort: (port: string) => `port ${port}`,
  hint: 'Point at a device to read what it is; click to open it.',
  empty: 'There are no devices yet.',
  emptyHint: 'They appear here when an agent has discovered them, or when you import a list.',
  toDevices: 'To the devices',
  noParents:
    'No device has a parent yet, so there is nothing to draw. Give them one with “Move …”, or many at once in the list of devices.',
  countsOnly: 'There are too many devices to draw them all. Search, or choose “Down only”, to see single ones.',
  treesLeftOut: (count: number) =>
    `${plural(count, 'tree')} of devices are not drawn, because there are too many. Search to find them.`,
  proposals: 'Proposed places',
  proposed: (count: number) =>
    count === 1
      ? '1 device seems to be connected elsewhere.'
      : `${numberText(count)} devices seem to be connected elsewhere.`,
  showProposals: 'Show',
  hideProposals: 'Hide',
  accept: 'Accept',
  acceptOne: (name: string) => `Accept the place of ${name}`,
  acceptAll: (count: number) => (count === 1 ? 'Accept it' : `Accept all ${numberText(count)}`),
  placedAt: (name: string, parent: string) => `${name} on ${parent}`,
  accepted: (count: number) => `${plural(count, 'device')} moved.`,
  acceptedSome: (count: number, skipped: number) =>
    `${plural(count, 'device')} moved; ${numberText(skipped)} not, because it would form a circle or is not proposed any more.`,
  proposalsLeftOut: (count: number) => `and ${numberText(count)} more`,
  nothingDown: 'Nothing is down.',
};
