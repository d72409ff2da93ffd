/** Which paths are those of an operation. */
import type { Operation } from '../../shared/api/operation.ts';
import { ServiceError } from '../../shared/errors.ts';

/** What of an operation decides which requests are for it. */
export type Endpoint = Pick<Operation, 'method' | 'path' | 'params' | 'onlyKnownPaths' | 'isCommand'>;

/** A path without parameters is never taken for one with (OpenAPI 3.1, section 4.8.8.1). */
export function isConcrete({ path }: Endpoint): boolean {
  return !path.includes('{');
}

/** The operations of a path, whatever their methods. */
export function operationsAt(operations: readonly Endpoint[], path: string): Endpoint[] {
  const concrete = operations.filter((operation) => operation.path === path);
  return concrete.length > 0 ? concrete : operations.filter((operation) => isPathOf(operation, path));
}

function isPathOf({ path: template, params, onlyKnownPaths = false }: Endpoint, path: string): boolean {
  const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const found = pattern.exec(path);
  if (found === null || !onlyKnownPaths || params === undefined) return found !== null;
  const values = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
  return params.safeParse(Object.fromEntries(values)).success;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @throws {ServiceError} `not_found` when the parameters make a path that is none of ours */
export function refuseUnknownPath({ params, onlyKnownPaths = false }: Operation, path: string, values: object): void {
  const error = onlyKnownPaths ? params?.safeParse(values).error : undefined;
  if (error === undefined) return;
  throw new ServiceError('not_found', `There is nothing at ${path.slice(0, 200)}: ${error.issues[0]?.message}`);
}

/** `/jobs/{id}` as Hono writes it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Whether an operation also answers HEAD, for which Hono uses the route of GET. HEAD must not run a command. */
export function allowsHead({ method, isCommand = false }: Endpoint): boolean {
  return method === 'GET' && !isCommand;
}
