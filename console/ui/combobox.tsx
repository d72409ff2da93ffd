/**
 * A field for a text, with suggestions below it: the pattern of an editable combobox with a list, in which the focus stays
 * in the field (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). The list is a popover, so that no box cuts it off.
 */
import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { TextField } from './field.tsx';

export interface Suggestion {
  /** What is put into the field; two of one list differ in it. */
  value: string;
  /** What is shown of it; by default the value. */
  label?: ReactNode;
  /** Tells it from others, at the end of its line. */
  about?: ReactNode;
}

interface Props extends Omit<ComponentProps<typeof TextField>, 'onChange' | 'value' | 'list'> {
  value: string;
  onChange: (value: string) => void;
  /** Those that fit what is typed. */
  suggestions: readonly Suggestion[];
  /** When one is taken; by default its value is put into the field. */
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
      // One step further than the last one is the field itself.
      setActive(((at + 1 + step + suggestions.length + 1) % (suggestions.length + 1)) - 1);
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === 'Escape' && isShown) {
      // The dialog around it stays open.
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
        // The focus stays in the field.
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
                {suggestion.about === undefined ? null : (
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
