/**
 * The format of persisted data: the data folder, the table, backups, and the state directory of an agent. A change that
 * makes them incompatible with the version before, in either direction, raises the number.
 */
export const FORMAT = 4;

/** The file that states the format, in a data folder and in the state directory of an agent. */
export const FORMAT_FILE = 'format';

/** The data has another format, and was not touched. The message explains how to migrate. */
export class OtherFormat extends Error {
  override name = 'OtherFormat';

  /** @param what the subject of the message, such as "The data folder /data" @param found null without a number */
  constructor(what: string, found: number | null) {
    super(otherFormat(what, found));
  }
}

export function otherFormat(what: string, found: number | null): string {
  const has = found === null ? 'has no format number, so it is of version 0.2.0 or before' : `has format ${found}`;
  return (
    `${what} ${has}, and this version of LanReach takes format ${FORMAT} alone. It was left as it is. To go on, export the devices ` +
    'with the version that wrote it (lanreach devices export --all-columns --output devices.csv), start this version in an ' +
    'empty place (another LANREACH_DATA, or another stage in the cloud), import them there (lanreach devices import ' +
    'devices.csv), and enrol each agent again (lanreach-agent uninstall, then lanreach-agent enrol). Tokens, history and ' +
    'audit stay behind'
  );
}

/** The number in a text or a value; null when it is none. */
export function formatIn(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,6}\s*$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? (number as number) : null;
}
