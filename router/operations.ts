/** What the tables of operations say of a request: about which site it is, and whether its answer is that of all cells. */
import type { Operation } from '../shared/api/operation.ts';
import { tables } from '../shared/api/tables.ts';
import { JobId, siteOfJob } from '../shared/identity.ts';

/** How the answers of several cells become one. */
export type Merging =
  /** The pages of one cell after those of another. */
  | 'pages'
  /** All lists together. */
  | 'lists'
  /** Lines of metrics, each family once. */
  | 'metrics';

export interface Asked {
  /** The site that it is about; null when it is about none, or about the default of its token. */
  site: string | null;
  /** Null when one cell answers it. */
  merging: Merging | null;
}

interface Known {
  operation: Operation;
  pattern: RegExp;
}

const OPERATIONS: readonly Known[] = Object.values(tables)
  .flatMap((table): Operation[] => Object.values(table))
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }))
  // A path without parameters is never taken for one with.
  .sort((a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')));

/** @param url with the path as the cells know it, without a prefix */
export function readAsked(method: string, url: URL, xSite: string | undefined): Asked {
  const named = url.searchParams.get('site') ?? xSite ?? null;
  const sameMethod = method === 'HEAD' ? 'GET' : method;
  for (const { operation, pattern } of OPERATIONS) {
    const found = operation.method === sameMethod ? pattern.exec(url.pathname) : null;
    if (found === null) continue;
    const { site, id = '' } = found.groups ?? {};
    const job = JobId.safeParse(id);
    if (site !== undefined) return { site: decoded(site), merging: null };
    if (operation.path.startsWith('/jobs/') && job.success && !operation.perSite)
      return { site: siteOfJob(job.data), merging: null };
    if (operation.perSite) return { site: named, merging: null };
    // Some of these may be asked about one site.
    if (named !== null) return { site: named, merging: null };
    return { site: null, merging: mergingOf(operation) };
  }
  return { site: named, merging: null };
}

/** Operations over all sites are those that list what the caller may see, whatever the site. */
function mergingOf({ method, path, scope, query, response, mediaType }: Operation): Merging | null {
  if (method !== 'GET' || scope === null || scope === 'any' || path.includes('{')) return null;
  if (mediaType === 'text/plain') return 'metrics';
  const shape = 'shape' in response ? (response.shape as Record<string, { type?: string }>) : {};
  if (!Object.values(shape).some(({ type }) => type === 'array')) return null;
  return query !== undefined && 'cursor' in query.shape ? 'pages' : 'lists';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
