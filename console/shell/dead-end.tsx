/** In place of a screen that does not exist, is forbidden, or is broken. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Page } from '../ui/page.tsx';

interface Props {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  /** The ways out of it. */
  ways: ReactNode;
}

export function DeadEnd({ icon: Icon, title, children, ways }: Props) {
  return (
    <div className="grid justify-items-center gap-4 max-w-120 mx-auto mt-[10vh] mb-0 text-center [&_header]:justify-center">
      <span className="grid place-items-center size-12 rounded-card bg-sunken text-muted [&_svg]:size-6 [&_svg]:stroke-[1.75]">
        <Icon aria-hidden="true" />
      </span>
      <Page title={title}>
        <div className="grid gap-2 text-muted wrap-anywhere">{children}</div>
        <div className="flex flex-wrap justify-center gap-2">{ways}</div>
      </Page>
    </div>
  );
}
