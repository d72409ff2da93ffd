/** A line with a button that copies it. */
import common from 'messages:common';
import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from './button.tsx';

const LABELS = { untouched: common.copy, copied: common.copied, selected: common.selected };

/** @param label for screen readers */
export function CopyLine({ label, text }: { label: string; text: string }) {
  const line = useRef<HTMLElement>(null);
  const [done, setDone] = useState<{ state: keyof typeof LABELS; text: string }>({ state: 'untouched', text });
  const state = done.text === text ? done.state : 'untouched';

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setDone({ state: 'copied', text });
    } catch {
      // Over plain HTTP a page has no clipboard, except on localhost.
      if (line.current !== null) window.getSelection()?.selectAllChildren(line.current);
      setDone({ state: 'selected', text });
    }
  }

  return (
    <figure
      className="flex flex-wrap items-center gap-2 min-w-0 pr-2 pl-3 py-2 border border-line rounded-control bg-sunken [&_code]:flex-[1_1_240px] [&_code]:min-w-0 [&_code]:wrap-anywhere [&_code]:whitespace-pre-wrap"
      aria-label={label}
    >
      <code ref={line}>{text}</code>
      <Button onClick={() => void copy()}>
        {state === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        <span aria-live="polite">{LABELS[state]}</span>
      </Button>
    </figure>
  );
}
