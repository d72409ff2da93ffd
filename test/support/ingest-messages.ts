/** What agents tell ingest, for tests that hand it over themselves. */
import type { ALL_MACS, Sighting } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { Log } from '../../shared/log.ts';

export const SILENT: Log = { info() {}, warn() {}, error() {} };
/** In place of those whom ingest answers. */
export const NOBODY = { control: async () => {}, confirmStored: async () => {} };

export interface ToldSightings {
  epoch: number;
  n: number;
  covers?: typeof ALL_MACS | null;
  sightings: Partial<Sighting>[];
}

export const sightingsMessage = (told: ToldSightings) =>
  Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, t: 'sightings', covers: null, ...told }));
