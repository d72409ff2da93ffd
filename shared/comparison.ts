/** Compares the results of one command at several sites: which sites differ, and the range of the numbers. */
import * as z from 'zod';
import { fitToReport } from './agent/fit-text.ts';
import { SiteId } from './identity.ts';
import { summaryOf, TOOL, type Tool, type ToolResult } from './tools/list.ts';

/** Compared parts of one site's answer; a scan of a network may have more. */
const MAX_PARTS = 500;
const MAX_PART_CHARACTERS = 120;
/** Listed groups of equal answers; further ones are only counted. */
const MAX_GROUPS = 50;
/** Listed parts of one answer, and listed differing parts. */
const MAX_NAMED_PARTS = 50;

const count = z.int().min(0);
const SomeSites = z.array(SiteId).describe('Its sites, or the first of many.');

export const Comparison = z
  .object({
    compared: count.describe('Sites with a result.'),
    groups: z
      .array(
        z.object({
          parts: z
            .array(z.string())
            .max(MAX_NAMED_PARTS)
            .describe(
              'The answer of these sites: addresses or names of a look-up, `reached` or `not reached` of a trace, `up` and open ports of a scan, provider and country of the internet connection. The first of many; empty for an empty answer.',
            ),
          count: count.describe('Number of sites.'),
          sites: SomeSites,
        }),
      )
      .max(MAX_GROUPS)
      .describe('Equal answers, the most frequent first. Empty for a tool of which only numbers are compared.'),
    moreGroups: count.describe('Number of further answers, which are not listed.'),
    differing: z
      .array(
        z.object({
          part: z.string(),
          count: count.describe('Number of compared sites that have it.'),
          sites: SomeSites.describe('Sites that have it, or the first of many.'),
          missing: SomeSites.describe('Sites that lack it, or the first of many.'),
        }),
      )
      .max(MAX_NAMED_PARTS)
      .describe('Parts that only some sites have in their answer, such as an open port.'),
    numbers: z
      .array(
        z.object({
          name: z.string().describe('As in the summary of a job, such as `downloadMbps`.'),
          count: count.describe('Number of sites that measured it.'),
          min: z.number(),
          median: z.number(),
          max: z.number(),
          lowest: SiteId,
          highest: SiteId,
        }),
      )
      .describe('The range of each number. Of a trace, only of sites that reached the target.'),
    failures: z
      .array(
        z.object({
          reason: z.string().describe('The reason of the sites, or their state if they have none.'),
          message: z.string().nullable(),
          count,
          sites: SomeSites,
        }),
      )
      .max(MAX_GROUPS)
      .describe('Sites that ended without a result, by reason.'),
  })
  .meta({ id: 'Comparison' });
export type Comparison = z.infer<typeof Comparison>;

/** The compared part of one site's answer. */
export interface SiteAnswer {
  site: SiteId;
  /** Null for a tool of which only numbers are compared. */
  parts: readonly string[] | null;
  numbers: Readonly<Record<string, number>>;
}

/** Why a site has no answer. */
export interface SiteFailure {
  site: SiteId;
  reason: string;
  message: string | null;
}

export function answerOf(site: SiteId, tool: Tool, result: ToolResult): SiteAnswer {
  const parts = TOOL[tool].compare?.(result).slice(0, MAX_PARTS) ?? null;
  // Agents may send texts of any length.
  const safe = parts?.flatMap((part) => fitToReport(part, MAX_PART_CHARACTERS) ?? []) ?? null;
  const { answerCount: _, ...summary } = summaryOf(tool, result) ?? {};
  const measured = summary.reached === false ? [] : Object.entries(summary);
  const numbers = measured.filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return { site, parts: safe && [...new Set(safe)].sort(), numbers: Object.fromEntries(numbers) };
}

/** @param named how many sites each list names */
export function compare(answers: readonly SiteAnswer[], failures: readonly SiteFailure[], named: number): Comparison {
  const withParts = answers.filter((one): one is SiteAnswer & { parts: readonly string[] } => one.parts !== null);
  const groups = grouped(withParts, ({ parts }) => JSON.stringify(parts));
  return {
    compared: answers.length,
    groups: groups.slice(0, MAX_GROUPS).map((group) => ({
      parts: group[0]!.parts.slice(0, MAX_NAMED_PARTS),
      ...listed(group, named),
    })),
    moreGroups: Math.max(0, groups.length - MAX_GROUPS),
    differing: groups.length < 2 ? [] : differing(withParts, named),
    numbers: numbersOf(answers),
    failures: grouped(failures, ({ reason, message }) => JSON.stringify([reason, message]))
      .slice(0, MAX_GROUPS)
      .map((group) => ({ reason: group[0]!.reason, message: group[0]!.message, ...listed(group, named) })),
  };
}

/** Groups by key, the largest group first. */
function grouped<T extends { site: SiteId }>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function listed(group: readonly { site: SiteId }[], named: number): { count: number; sites: SiteId[] } {
  return { count: group.length, sites: group.slice(0, named).map(({ site }) => site) };
}

/** The parts that divide the sites most unevenly first: those that a single site has, or lacks. */
function differing(
  answers: readonly (SiteAnswer & { parts: readonly string[] })[],
  named: number,
): Comparison['differing'] {
  const having = new Map<string, Set<SiteId>>();
  for (const { site, parts } of answers) {
    for (const part of parts) having.set(part, (having.get(part) ?? new Set()).add(site));
  }
  const rarity = (count: number) => Math.min(count, answers.length - count);
  return [...having]
    .filter(([, sites]) => sites.size < answers.length)
    .sort(([a, those], [b, others]) => rarity(those.size) - rarity(others.size) || (a < b ? -1 : 1))
    .slice(0, MAX_NAMED_PARTS)
    .map(([part, sites]) => ({
      part,
      count: sites.size,
      sites: [...sites].slice(0, named),
      missing: answers.flatMap(({ site }) => (sites.has(site) ? [] : [site])).slice(0, named),
    }));
}

function numbersOf(answers: readonly SiteAnswer[]): Comparison['numbers'] {
  const names = [...new Set(answers.flatMap(({ numbers }) => Object.keys(numbers)))];
  return names.map((name) => {
    const measured = answers
      .flatMap(({ site, numbers }) => (numbers[name] === undefined ? [] : [{ site, value: numbers[name] }]))
      .sort((a, b) => a.value - b.value);
    const first = measured[0]!;
    const last = measured.at(-1)!;
    return {
      name,
      count: measured.length,
      min: first.value,
      median: medianOf(measured.map(({ value }) => value)),
      max: last.value,
      lowest: first.site,
      highest: last.site,
    };
  });
}

/** @param numbers at least one */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)]!, sorted[Math.ceil(middle)]!];
  return low === high ? low : low / 2 + high / 2; // The sum of reported numbers may overflow.
}
