/** What a template has made belongs to the template: a part of one site cannot become another than at the others. */
import { ServiceError } from '../../shared/errors.ts';

const TEMPLATE = 'template:';

export const originOf = (template: string): string => TEMPLATE + template;

/** The template that has made it; null for what somebody has made. */
export function templateOf({ origin }: { origin?: string | undefined }): string | null {
  return origin?.startsWith(TEMPLATE) === true ? origin.slice(TEMPLATE.length) : null;
}

/** @throws {ServiceError} `conflict` for what a template has made */
export function requireOwn(part: { origin?: string | undefined } | null): void {
  const template = part === null ? null : templateOf(part);
  if (template === null) return;
  const message = `The template "${template}" has made it: change the template, or take its tag from the site`;
  throw new ServiceError('conflict', message);
}
