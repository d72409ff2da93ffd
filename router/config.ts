/** What the router is told by its environment. */
import * as z from 'zod';

/** A cell: a deployment of LanReach that answers for its own sites. */
export interface Cell {
  name: string;
  /** Base URL of its API, without a slash at the end. */
  url: string;
}

/** Cells that one address can stand for. */
const MAX_CELLS = 64;
const Name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, { error: 'expected a name such as eu-1' });
const Url = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

const Cells = z.string().transform((text, context): Cell[] => {
  const cells: Cell[] = [];
  for (const part of text.split(',').map((one) => one.trim())) {
    const at = part.indexOf('=');
    const [name, url] = [Name.safeParse(part.slice(0, at)), Url.safeParse(part.slice(at + 1))];
    const isTaken = cells.some((cell) => cell.name === name.data);
    if (at > 0 && name.success && url.success && !isTaken) cells.push({ name: name.data, url: url.data });
    else
      context.addIssue({
        code: 'custom',
        message: `expected cells such as eu-1=https://eu-1.example.com, each once, not ${JSON.stringify(part.slice(0, 100))}`,
      });
  }
  if (cells.length > MAX_CELLS) context.addIssue({ code: 'custom', message: `expected at most ${MAX_CELLS} cells` });
  return cells;
});

const Variables = z.object({
  /** `<name>=<URL>`, separated by commas. The first is asked for what belongs to no site, such as the files of the console. */
  CELLS: Cells,
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.int().max(65_535))
    .default(8080),
});

export interface RouterConfig {
  cells: Cell[];
  host: string;
  port: number;
}

/** @throws {Error} that names every variable that is wrong */
export function readRouterConfig(environment: NodeJS.ProcessEnv = process.env): RouterConfig {
  const read = Variables.safeParse(environment);
  if (!read.success) {
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const { CELLS: cells, HOST: host, PORT: port } = read.data;
  return { cells, host, port };
}
