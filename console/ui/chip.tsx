/** A short text in a box, such as a mark, or a filter with a button that removes it. */
import texts from 'messages:siteChoice';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

const COLOURS = {
  new: 'bg-new-soft text-new',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
  accent: 'bg-accent-soft text-accent',
};

interface Props {
  tone?: keyof typeof COLOURS | undefined;
  /** Lower than usual, for a line of a list. */
  isLow?: boolean;
  onRemove?: (() => void) | undefined;
  removeLabel?: string;
  children: ReactNode;
}

interface ListProps {
  label: string;
  values: readonly string[];
  /** Default: the value. */
  nameOf?: (value: string) => string;
  /** Without it the list is read-only. */
  onRemove?: (value: string) => void;
}

/** The chosen values of a field. */
export function ChipList({ label, values, nameOf = (value) => value, onRemove }: ListProps) {
  return (
    <ul aria-label={label} className="flex flex-wrap gap-1">
      {values.map((value) => (
        <li key={value}>
          <Chip onRemove={onRemove && (() => onRemove(value))} removeLabel={texts.remove({ name: nameOf(value) })}>
            {nameOf(value)}
          </Chip>
        </li>
      ))}
    </ul>
  );
}

export function Chip({ tone, isLow = false, onRemove, removeLabel, children }: Props) {
  return (
    <span
      className={`inline-flex items-center justify-self-start gap-1 max-w-full py-0 rounded-[12px] text-xs whitespace-nowrap [&_svg]:size-3 ${isLow ? 'flex-none min-h-4.5 px-1.75 leading-4.5' : 'min-h-6 px-2'} ${tone === undefined ? 'bg-hover' : COLOURS[tone]}`}
    >
      <span className="overflow-hidden text-ellipsis" data-foreign>
        {children}
      </span>
      {onRemove && (
        <button
          type="button"
          className="inline-flex flex-none items-center justify-center size-6 -me-2 p-0 border-0 rounded-[12px] bg-transparent text-muted cursor-pointer hover:bg-hover hover:text-text"
          aria-label={removeLabel}
          title={removeLabel}
          onClick={onRemove}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
