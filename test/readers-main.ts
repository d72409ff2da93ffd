/**
 * Many readers in one process, each with a connection of its own, who all ask at the same time: `<program> <readers>
 * <URL> <token>`. Prints how many answers had each status, as JSON.
 */
import { Agent, get } from 'node:http';

const [, , readers = '', url = '', token = ''] = process.argv;
const agent = new Agent({ maxSockets: Infinity });
const headers = { authorization: `Bearer ${token}` };

const ask = () =>
  new Promise<string>((resolve) => {
    const request = get(url, { agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(String(response.statusCode)));
    });
    request.once('error', (error) => resolve(error.message));
  });

const answers: Record<string, number> = {};
for (const answer of await Promise.all(Array.from({ length: Number(readers) }, ask))) {
  answers[answer] = (answers[answer] ?? 0) + 1;
}
process.stdout.write(JSON.stringify(answers));
