/** The texts of devices that seem to be one. */
import { numberText, plural } from '../../text/format.ts';

export const sameTexts = {
  title: 'Same device?',
  what: 'Phones and tablets make up MAC addresses, and a host with several network cards has several. Joined, they are one device with one history.',
  candidates: 'Devices that seem to be one',
  none: 'No device seems to be another one of the site.',
  noneHint: 'That is judged by what devices say of themselves, and by whether they were ever there at the same time.',
  toDevices: 'To the devices',
  line: (count: number) =>
    count === 1
      ? '1 device seems to be another one of your devices.'
      : `${numberText(count)} devices seem to be others of your devices.`,
  look: 'Have a look',
  stays: 'stays',
  sure: (confidence: string) => `${confidence}:`,
  join: 'Join',
  joinOf: (name: string, others: number) => `Join ${plural(others, 'device')} with ${name}`,
  notTheSame: 'Not the same',
  notTheSameOf: (name: string) => `${name} is not the same device as the others`,
  joined: (name: string, others: number) => `${plural(others, 'device')} joined with ${name}.`,
  apart: (name: string) => `${name} is not proposed any more.`,
  takenApart: (count: number) => `${plural(count, 'device')} brought back.`,
  otherMacs: 'Other MAC addresses',
  otherMacsTable: 'MAC addresses that are this device',
  mac: 'MAC address',
  ip: 'IP address',
  seen: 'Last seen',
  now: 'now',
  split: 'Split',
  splitOf: (mac: string) => `Split ${mac} from this device`,
  splitAll: 'Split all of them',
  wasSplit: (count: number) =>
    `${plural(count, 'MAC address', 'MAC addresses')} split: each is a device of its own again.`,
};
