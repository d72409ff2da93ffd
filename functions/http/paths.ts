/** The paths of operations. */
import type { Operation } from '../../shared/api/operation.ts';
import { ServiceError } from '../../shared/errors.ts';
import { orNull } from '../../shared/problem.ts';

/** What decides which requests are routed to an operation. */
export type Endpoint = Pick<Operation, 'method' | 'path' | 'params' | 'onlyKnownPaths' | 'isCommand'>;

/** A concrete path takes precedence over a template (OpenAPI 3.1, section 4.8.8.1). */
export const isConcrete = ({ path }: Endpoint): boolean => !path.includes('{');

/** The operations of a path, whatever their methods. */
export function operationsAt(operations: readonly Endpoint[], path: string): Endpoint[] {
  const concrete = operations.filter((operation) => operation.path === path);
  return concrete.length > 0 ? concrete : operations.filter((operation) => isPathOf(operation, path));
}

function isPathOf({ path: template, params, onlyKnownPaths = false }: Endpoint, path: string): boolean {
  const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const found = pattern.exec(path);
  if (found === null || !onlyKnownPaths || params === undefined) return found !== null;
  const values = Object.entries(found.groups ?? {}).map(([name, value]) => {
    return [name, orNull(() => decodeURIComponent(value)) ?? value];
  });
  return params.safeParse(Object.fromEntries(values)).success;
}

/** @throws {ServiceError} `not_found` when the values of the parameters are none of the known ones */
export function refuseUnknownPath({ params, onlyKnownPaths = false }: Operation, path: string, values: object): void {
  const error = onlyKnownPaths ? params?.safeParse(values).error : undefined;
  if (error === undefined) return;
  throw new ServiceError('not_found', `There is nothing at ${path.slice(0, 200)}: ${error.issues[0]?.message}`);
}

/** `/jobs/{id}` as Hono writes it. */
export const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/** Whether an operation also answers HEAD, which Hono routes like GET. HEAD must not run a command. */
export const allowsHead = ({ method, isCommand = false }: Endpoint): boolean => method === 'GET' && !isCommand;
