/** The way from a screen to those beside it, as tabs below its heading. */
import { Link } from 'wouter';

interface Props {
  /** For screen readers. */
  label: string;
  tabs: readonly { to: string; label: string }[];
  /** The address of the tab that is shown. */
  current: string;
}

const reveal = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

export function TabLinks({ label, tabs, current }: Props) {
  return (
    <nav aria-label={label} className="flex gap-4 border-b border-line overflow-x-auto [scrollbar-width:none]">
      {tabs.map(({ to, label: text }) => (
        <Link
          key={to}
          ref={to === current ? reveal : undefined}
          href={to}
          aria-current={to === current ? 'page' : undefined}
          className="inline-flex flex-none items-center min-h-control -mb-px px-0.5 py-1 border-b-2 border-b-transparent text-muted no-underline hover:text-text aria-[current=page]:border-b-accent aria-[current=page]:text-text aria-[current=page]:font-medium focus-visible:-outline-offset-2"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
