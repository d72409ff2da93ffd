import { expect, test } from 'vitest';
import type { Ingest } from '../functions/sightings/ingest.ts';
import { untilStop } from './until-stop.ts';

test('while the server stops, no agent is lost and no site goes dark, and results are stored', async () => {
  const taken: string[] = [];
  const names = ['result', 'presence', 'sightings', 'measurements', 'connection'] as const;
  const all = Object.fromEntries(names.map((name) => [name, async () => void taken.push(name)]));
  const { ingest, stopping } = untilStop(all as unknown as Ingest);
  const say = async () => {
    for (const name of names) await ingest[name]('home:main' as never, Buffer.alloc(0));
    return taken.splice(0);
  };
  expect(await say()).toEqual([...names]);
  stopping();
  expect(await say()).toEqual(['result', 'sightings', 'measurements']);
});
