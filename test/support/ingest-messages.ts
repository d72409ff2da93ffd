/** Messages of agents to ingest, for tests that hand it over themselves. */
import type { ALL_MACS, Sighting } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { Log } from '../../shared/log.ts';

export const SILENT: Log = { info() {}, warn() {}, error() {} };
/** In place of the agents that ingest answers. */
export const NO_AGENTS = { control: async () => {}, confirmStored: async () => {} };

export interface SightingsToSend {
  epoch: number;
  n: number;
  covers?: typeof ALL_MACS | null;
  sightings: Partial<Sighting>[];
}

export const sightingsMessage = (message: SightingsToSend) =>
  Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, t: 'sightings', covers: null, ...message }));
