/** `lanreach api`: any operation of the API, also one without a command of its own. */
import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { parseJson } from '../../shared/json.ts';
import { contentOf } from '../apply/read-file.ts';
import { Failure } from '../client/failure.ts';
import type { Command } from '../command.ts';

type Fields = Record<string, unknown>;

interface ApiOptions {
  field?: Fields;
  jsonField?: Fields;
  input?: string;
  paginate?: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function addApiCommand(api: Command): void {
  api
    .argument('<method>', METHODS.join(', '), toMethod)
    .argument('<path>', 'as in the OpenAPI document, such as /devices/totals; it may have a query', toPath)
    .option('-f, --field <name=value>', 'a query parameter of a GET, else a text of the JSON body', addText)
    .option('-F, --json-field <name=json>', 'a number, true, false, null, list or object of the JSON body', addJson)
    .option('--input <file>', 'the JSON body; "-" for standard input')
    .option('--paginate', 'follow nextCursor, and print each page')
    .withSite()
    .run(async (session, method: string, path: string, { field, jsonField, input, paginate }: ApiOptions) => {
      const { client, site, world } = session;
      const fields = (field ?? jsonField) && { ...field, ...jsonField };
      if (paginate && method !== 'GET') throw new Failure('usage', '--paginate is for GET');
      if (input !== undefined && (fields !== undefined || method === 'GET'))
        throw new Failure('usage', '--input is the whole body: it cannot stand beside --field, or with GET');
      const body = input === undefined ? (method === 'GET' ? undefined : fields) : await bodyOf(input, world);
      let cursor: unknown;
      do {
        const query = { ...(method === 'GET' ? fields : {}), site, cursor };
        const { text } = await client.send({ method, path, query, body });
        const answer = parseJson(text);
        if (typeof answer !== 'object' || answer === null) session.write(text, false);
        else await session.show(answer, () => `${JSON.stringify(answer, null, 2)}\n`);
        cursor = paginate ? ((answer as { nextCursor?: unknown } | null)?.nextCursor ?? undefined) : undefined;
      } while (cursor !== undefined);
    });
}

function toMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw new InvalidArgumentError(`Expected ${METHODS.join(', ')}.`);
}

/** A URL takes `..` for a step up, and `\` for `/`, so that another path than the one shown would be requested. */
function toPath(text: string): string {
  const isPlain = /^\/[^#\s\\]*$/.test(text) && !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|\?|$)/i.test(text);
  if (isPlain) return text;
  throw new InvalidArgumentError('Expected a path such as /devices/totals, without "." and "..".');
}

function addText(text: string, fields: Fields = {}): Fields {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('Expected <name>=<value>.');
  return { ...fields, [name]: value };
}

function addJson(text: string, fields: Fields = {}): Fields {
  const [[name = '', value = ''] = []] = Object.entries(addText(text)) as [string, string][];
  try {
    return { ...fields, [name]: JSON.parse(value) };
  } catch {
    throw new Failure('usage', `--json-field ${name}: expected JSON, such as ${name}=3 or ${name}='["a", "b"]'`);
  }
}

async function bodyOf(path: string, { stdin }: { stdin: NodeJS.ReadableStream }): Promise<unknown> {
  const text = (path === '-' ? await buffer(stdin) : await contentOf(path)).toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('usage', `${path === '-' ? 'Standard input' : path} is no JSON: ${(error as Error).message}`);
  }
}
