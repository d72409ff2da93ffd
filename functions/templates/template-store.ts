/** Templates: parts that all sites with a tag have. One row each. */
import * as z from 'zod';
import { templateParts } from '../../shared/api/parts.ts';
import { Time, TokenId } from '../../shared/api/records.ts';
import { MAX_TEMPLATES } from '../../shared/api/templates.ts';
import { ServiceError } from '../../shared/errors.ts';
import { Tag } from '../../shared/identity.ts';
import { Millis } from '../../shared/time.ts';
import { withProtocol } from '../../shared/tools/nmap.ts';
import { packText, unpackText } from '../devices/collection/packed-text.ts';
import { EXISTS, IS_NEW } from '../table/condition.ts';
import { listReadable } from '../table/readable.ts';
import { ALL_MONITORING, PREFIXES, rows } from '../table/rows.ts';
import { type Item, listItems, type Table } from '../table/table.ts';

const Stored = z.object({
  tags: z.array(Tag),
  ...templateParts,
  revision: Millis,
  changedAt: Time,
  changedBy: TokenId,
});

/** With the URLs and the secrets of its hooks, which are never shown. */
export interface StoredTemplate extends z.output<typeof Stored> {
  name: string;
}

export function openTemplateStore(table: Table) {
  return {
    /** All templates, ordered by name. Unreadable ones are listed, and hide no others. */
    async list() {
      const { readable, unreadable } = await listReadable(table, ALL_MONITORING, PREFIXES.template, decode);
      return { templates: readable, unreadable };
    },

    async find(name: string): Promise<StoredTemplate | null> {
      const item = await table.get(rows.template(name), { consistent: true });
      return item === null ? null : decode(item);
    },

    /** @param before as it was read; null for a new one @returns false when it has changed since */
    async put(template: StoredTemplate, before: StoredTemplate | null): Promise<boolean> {
      const { name, ...stored } = template;
      const key = rows.template(name);
      const row = { ...key, v: template.revision, d: packText(JSON.stringify(stored), key.pk) };
      if (before !== null) return table.put(row, { in: { v: [before.revision, template.revision] } });
      const known = await listItems(table, ALL_MONITORING, PREFIXES.template);
      if (known.length >= MAX_TEMPLATES)
        throw new ServiceError('conflict', `There may be ${MAX_TEMPLATES} templates: remove one first`);
      // The second condition: this call is retried when its response is lost.
      return table.put(row, { any: [IS_NEW, { equals: { v: template.revision } }] });
    },

    /** @returns false when it has changed since, or does not exist */
    async remove({ name, revision }: StoredTemplate): Promise<boolean> {
      return table.remove(rows.template(name), { all: [EXISTS, { equals: { v: revision } }] });
    },
  };
}

/** @throws when the item is no template */
function decode(item: Item): StoredTemplate {
  return {
    ...Stored.parse(JSON.parse(unpackText(item.d, item.pk), (_, value) => withProtocol(value))),
    name: item.sk.slice(PREFIXES.template.length),
  };
}
