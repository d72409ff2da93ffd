/** Loading, empty and problem states. */
import common from 'messages:common';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { problemOf } from '../api/problem.ts';
import { Button, LinkButton } from './button.tsx';

interface EmptyProps {
  title: string;
  /** For a whole screen. */
  icon?: LucideIcon | undefined;
  children?: ReactNode;
}

export function Empty({ title, icon: Icon, children }: EmptyProps) {
  return (
    <div
      className={`grid content-start justify-items-center gap-2 px-4 py-12 text-muted text-center [&_h2]:text-text [&_p]:max-w-[60ch] ${Icon === undefined ? '' : 'pt-[10vh] [&_h2]:text-xl [&>:is(a,button)]:mt-2'}`}
    >
      {Icon !== undefined && (
        <span className="grid place-items-center size-12 mb-2 rounded-card bg-sunken [&_svg]:size-6 [&_svg]:stroke-[1.75]">
          <Icon aria-hidden="true" />
        </span>
      )}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The message of the API, with the id of the request for the log. On a forbidden site, a link to the sites replaces the retry. */
export function ProblemBox({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { code, message, fields, requestId } = problemOf(error);
  const more = fields.filter((field) => !message.includes(field.message));
  return (
    <div
      className="grid content-start gap-1 justify-items-start px-4 py-3 rounded-card bg-bad-soft wrap-anywhere [&_a]:mt-1 [&_button]:mt-1"
      role="alert"
    >
      <strong data-foreign>{message}</strong>
      {more.length > 0 && (
        <ul>
          {more.map((field) => (
            <li key={`${field.path} ${field.message}`}>
              <code>{field.path}</code>: {field.message}
            </li>
          ))}
        </ul>
      )}
      {requestId !== null && (
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
 * Content that needs an answer of the API. When a later poll fails, the stale content stays below the problem; the frame
 * around the screen shows that the API is unreachable.
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
  const isStale = error !== null && problemOf(error).code !== 'unreachable';
  return (
    <>
      {isStale && <ProblemBox error={error} onRetry={retry} />}
      {children(data)}
    </>
  );
}
