/** The sections of a settings screen: title and hint beside the form. */
import type { ReactNode } from 'react';

export function Sections({ children }: { children: ReactNode }) {
  return <div className="max-w-(--measure) card">{children}</div>;
}

interface SectionProps {
  title: string;
  hint: ReactNode;
  action?: ReactNode;
  isDanger?: boolean;
  children: ReactNode;
}

export function Section({ title, hint, action, isDanger = false, children }: SectionProps) {
  return (
    <section
      className="grid grid-cols-[minmax(0,300px)_minmax(0,1fr)] gap-y-3 gap-x-8 p-6 max-700:grid-cols-1 max-700:p-4 data-danger:[&_h2]:text-bad [section+&]:border-t [section+&]:border-line"
      aria-label={title}
      data-danger={isDanger || undefined}
    >
      <div className="grid content-start justify-items-start gap-1 [&_p]:text-sm [&_a]:mt-2">
        <h2>{title}</h2>
        <p className="text-muted">{hint}</p>
        {action}
      </div>
      <div className="grid content-start gap-3 min-w-0 [&_form]:max-w-130 [&_input[inputmode=numeric]]:max-w-[14ch]">
        {children}
      </div>
    </section>
  );
}
