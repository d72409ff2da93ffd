/** A text field with a list of suggestions, as in https://www.w3.org/WAI/ARIA/apg/patterns/combobox/. */
import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { TextField } from './field.tsx';

export interface Suggestion {
  /** For the field; unique in a list. */
  value: string;
  /** Default: the value. */
  label?: ReactNode;
  /** At the end of the line. */
  about?: ReactNode;
}

interface Props extends Omit<ComponentProps<typeof TextField>, 'onChange' | 'value' | 'list'> {
  value: string;
  onChange: (value: string) => void;
  suggestions: readonly Suggestion[];
  /** Default: puts the value into the field. */
  onTake?: (suggestion: Suggestion) => void;
}

export function Combobox({ value, onChange, suggestions, onTake, onKeyDown, ...rest }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = useRef<HTMLDivElement>(null);
  const isShown = isOpen && suggestions.length > 0;
  const at = Math.min(active, suggestions.length - 1);

  useEffect(() => {
    const element = list.current;
    if (element === null || !('showPopover' in element)) return;
    if (isShown !== element.matches(':popover-open')) element.togglePopover(isShown);
  }, [isShown]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  function close(): void {
    setOpen(false);
    setActive(-1);
  }

  function take(suggestion: Suggestion): void {
    if (onTake === undefined) onChange(suggestion.value);
    else onTake(suggestion);
    close();
  }

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    onKeyDown?.(event);
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = isShown ? suggestions[at] : undefined;
    if (step !== undefined && suggestions.length > 0) {
      event.preventDefault();
      setOpen(true);
      // The field itself follows the last one.
      setActive(((at + 1 + step + suggestions.length + 1) % (suggestions.length + 1)) - 1);
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === 'Escape' && isShown) {
      // Keeps a dialog around it open.
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  const anchorName = `--${id}`;
  return (
    <>
      <TextField
        {...rest}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
        style={{ anchorName }}
        value={value}
        onChange={({ target }) => {
          setOpen(true);
          setActive(-1);
          onChange(target.value);
        }}
        onClick={() => setOpen(true)}
        onBlur={close}
        onKeyDown={handleKey}
      />
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={rest.label}
        popover="manual"
        className="popover min-w-[anchor-size(inline)] max-w-[min(480px,calc(100vw_-_16px))] max-h-80 p-1 [position-area:end_span-end] [position-try-fallbacks:flip-block] overflow-y-auto"
        style={{ positionAnchor: anchorName }}
        // Keeps the focus in the field.
        onMouseDown={(event) => event.preventDefault()}
      >
        {isShown
          ? suggestions.map((suggestion, i) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
              <div
                key={suggestion.value}
                id={`${id}-${i}`}
                role="option"
                aria-selected={i === at}
                className="flex items-center gap-2 min-h-control px-2 py-1 rounded-control cursor-pointer aria-selected:bg-hover [&_svg]:flex-none [&_svg]:size-4"
                onPointerMove={() => setActive(i)}
                onClick={() => take(suggestion)}
              >
                <span className="min-w-0 truncate" data-foreign>
                  {suggestion.label ?? suggestion.value}
                </span>
                {suggestion.about !== undefined && (
                  <span className="ms-auto ps-3 text-muted text-xs whitespace-nowrap" data-foreign>
                    {suggestion.about}
                  </span>
                )}
              </div>
            ))
          : null}
      </div>
    </>
  );
}
