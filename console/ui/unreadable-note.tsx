/** A note about stored entries that the service cannot read. */
import common from 'messages:common';
import type { Unreadable } from '../../shared/api/operation.ts';

const MAX_NAMED = 20;

export function UnreadableNote({ title, entries }: { title: string; entries: readonly Unreadable[] }) {
  if (entries.length === 0) return null;
  return (
    <section className="note">
      <div>
        <strong>{title}</strong>
        <ul>
          {entries.slice(0, MAX_NAMED).map(({ id, problem }) => (
            <li key={id}>
              <code data-foreign>{id}</code> <span data-foreign>{problem}</span>
            </li>
          ))}
        </ul>
        {entries.length > MAX_NAMED ? <span>{common.andMore({ count: entries.length - MAX_NAMED })}</span> : null}
      </div>
    </section>
  );
}
