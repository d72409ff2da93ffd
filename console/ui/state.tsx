/** What stands in the place of content: nothing yet, nothing at all, or a problem. */
import common from 'messages:common';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { problemOf } from '../api/problem.ts';
import { Button, LinkButton } from './button.tsx';
import styles from './state.module.css';

interface EmptyProps {
  title: string;
  /** Of a whole screen: what would be there. */
  icon?: LucideIcon | undefined;
  children?: ReactNode;
}

/** There is nothing: says why, and what to do next. */
export function Empty({ title, icon: Icon, children }: EmptyProps) {
  return (
    <div
      className={`grid content-start justify-items-center gap-2 px-4 py-12 text-muted text-center [&_h2]:text-text [&_p]:max-w-[60ch] ${Icon === undefined ? '' : `${styles.whole} pt-[10vh] [&_h2]:text-xl`}`}
    >
      {Icon === undefined ? null : (
        <span className="grid place-items-center size-12 mb-2 rounded-card bg-sunken [&_svg]:size-6 [&_svg]:stroke-[1.75]">
          <Icon aria-hidden="true" />
        </span>
      )}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/**
 * What the API said, in its own words, with the id of the request to look for in the log. A site that the token may
 * not use is not asked for again: the way leads back to those that it may.
 */
export function ProblemBox({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { code, message, fields, requestId } = problemOf(error);
  const more = fields.filter((field) => !message.includes(field.message));
  return (
    <div
      className="grid content-start gap-1 justify-items-start px-4 py-3 rounded-card bg-bad-soft wrap-anywhere [&_a]:mt-1 [&_button]:mt-1"
      role="alert"
    >
      <strong data-foreign>{message}</strong>
      {more.length === 0 ? null : (
        <ul>
          {more.map((field) => (
            <li key={`${field.path} ${field.message}`}>
              <code>{field.path}</code>: {field.message}
            </li>
          ))}
        </ul>
      )}
      {requestId === null ? null : (
        <span className="text-muted text-sm">
          {common.requestId} <code>{requestId}</code>
        </span>
      )}
      {onRetry === undefined ? null : code === 'site_forbidden' ? (
        <LinkButton to="/" look="primary">
          {common.toSites}
        </LinkButton>
      ) : (
        <Button onClick={onRetry}>{common.tryAgain}</Button>
      )}
    </div>
  );
}

export interface Loadable<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/**
 * The content that needs an answer of the API; until it is here, a line that says so. When it cannot be asked for again, it
 * stays, and what has gone wrong stands above it; that the API cannot be reached is said by the frame around the screen.
 */
export function Answered<T>({ of, children }: { of: Loadable<T>; children: (answer: T) => ReactNode }) {
  const { data, error, refetch } = of;
  const retry = () => void refetch();
  if (data === undefined && error !== null) return <ProblemBox error={error} onRetry={retry} />;
  if (data === undefined) {
    return (
      <div className="px-4 py-8 text-muted text-center" role="status">
        {common.loading}
      </div>
    );
  }
  const isOld = error !== null && problemOf(error).code !== 'unreachable';
  return (
    <>
      {isOld ? <ProblemBox error={error} onRetry={retry} /> : null}
      {children(data)}
    </>
  );
}
