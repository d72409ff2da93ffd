/**
 * Many readers in one process, each with a connection of its own, who all ask at the same time: `<program> <readers>
 * <URL> <token> [<rounds>]`. In further rounds each asks again as soon as it has been answered. Prints as JSON how many
 * answers had each status, and by how many answers of these rounds a reader was ahead of another one at most.
 */
import { Agent, get } from 'node:http';

const [, , count = '', url = '', token = '', rounds = '0'] = process.argv;
const headers = { authorization: `Bearer ${token}` };
const readers = Array.from({ length: Number(count) }, () => ({
  agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  answered: 0,
}));
type Reader = (typeof readers)[number];

const statuses: Record<string, number> = {};
async function ask({ agent }: Reader): Promise<void> {
  const status = await new Promise<string>((resolve) => {
    const request = get(url, { agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(String(response.statusCode)));
    });
    request.once('error', (error) => resolve(error.message));
  });
  statuses[status] = (statuses[status] ?? 0) + 1;
}

let ahead = 0;
async function askAgain(reader: Reader): Promise<void> {
  for (let round = 0; round < Number(rounds); round++) {
    await ask(reader);
    reader.answered++;
    ahead = Math.max(ahead, reader.answered - Math.min(...readers.map(({ answered }) => answered)));
  }
}

await Promise.all(readers.map(ask));
await Promise.all(readers.map(askAgain));
process.stdout.write(JSON.stringify({ statuses, ahead }));
for (const { agent } of readers) agent.destroy();
