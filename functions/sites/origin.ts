/** Objects that a template has created belong to it: they cannot be changed at a single site. */
import { ServiceError } from '../../shared/errors.ts';

const TEMPLATE = 'template:';

export const originOf = (template: string): string => TEMPLATE + template;

/** The template that has created it; null for an object made by hand. */
export function templateOf({ origin }: { origin?: string | undefined }): string | null {
  return origin?.startsWith(TEMPLATE) === true ? origin.slice(TEMPLATE.length) : null;
}

/** @throws {ServiceError} `conflict` for an object of a template */
export function requireOwn(part: { origin?: string | undefined } | null): void {
  const template = part === null ? null : templateOf(part);
  if (template === null) return;
  const message = `The template "${template}" has made it: change the template, or take its tag from the site`;
  throw new ServiceError('conflict', message);
}
