/** A state by shape, colour and word: each alone suffices. */
export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'unknown' | 'imported';

const COLOURS: Record<Tone, string> = {
  good: 'text-good-text',
  bad: 'text-bad',
  warn: 'text-warn',
  calm: 'text-muted',
  unknown: 'text-muted',
  imported: 'text-muted',
};

const SHAPES: Record<Tone, React.ReactNode> = {
  good: <circle cx="6" cy="6" r="5" />,
  bad: <rect x="1.5" y="1.5" width="9" height="9" />,
  warn: <path d="M6 0.8 11.5 10.8H0.5Z" />,
  calm: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" />,
  unknown: (
    <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.1 2.09" />
  ),
  imported: <circle cx="6" cy="6" r="2.5" />,
};

export function StatusShape({ tone }: { tone: Tone }) {
  return (
    <svg className={COLOURS[tone]} width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}

export function Status({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap [&_svg]:flex-none ${COLOURS[tone]}`}>
      <StatusShape tone={tone} />
      {children}
    </span>
  );
}
