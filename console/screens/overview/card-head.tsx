/** The frame of the cards: a title with a link to the whole list, and rows. */
import texts from 'messages:overview';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { StatusShape, type Tone } from '../../ui/status.tsx';
import { Moment } from '../../ui/time.tsx';

export const SMALL = 'text-muted text-sm';

interface HeadProps {
  title: string;
  to?: string;
  label?: string;
  children?: ReactNode;
}

export function CardHead({ title, to, label, children }: HeadProps) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-2 [&>a]:text-sm [&>a]:no-underline [&>a:hover]:underline">
      <h2>{title}</h2>
      {to === undefined ? children : <Link href={to}>{label}</Link>}
    </div>
  );
}

/** Each with two columns; what follows lies below both. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul
      className="grid -my-1 [&>li]:grid [&>li]:grid-cols-[minmax(0,1fr)_auto] [&>li]:items-baseline [&>li]:gap-x-3 [&>li]:gap-y-0.5 [&>li]:py-2 [&>li]:wrap-anywhere [&>li+li]:border-t [&>li+li]:border-line [&>li>:nth-child(n+3)]:col-span-full [&_a]:text-text [&_a]:no-underline [&_a:hover]:text-accent [&_a:hover]:underline"
      aria-label={label}
    >
      {children}
    </ul>
  );
}

export function Since({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <>
      {texts.since} <Moment at={at} />
    </>
  );
}

interface NeedProps {
  tone: Tone | 'new';
  name: ReactNode;
  /** Why, and since when. */
  children: ReactNode;
  actions: ReactNode;
}

export function NeedRow({ tone, name, children, actions }: NeedProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 min-w-0 py-1.5">
      <span className="grid flex-none place-items-center w-4 text-new [&_.lucide]:size-4">
        {tone === 'new' ? <Plus aria-hidden="true" /> : <StatusShape tone={tone} />}
      </span>
      <span className="grid flex-[1_1_160px] grid-cols-[minmax(0,240px)_minmax(0,1fr)] items-baseline gap-x-4 min-w-0 max-1100:grid-cols-1 [&_a]:text-text [&_a]:no-underline [&_a:hover]:underline">
        <span className="font-[550] truncate [&>a+span]:ms-2">{name}</span>
        <span className="text-muted text-sm wrap-anywhere first-letter:uppercase">{children}</span>
      </span>
      <span className="flex flex-wrap gap-2 ms-auto [&_svg]:hidden max-700:[&_svg]:block max-700:[&_svg+span]:unseen">
        {actions}
      </span>
    </li>
  );
}
