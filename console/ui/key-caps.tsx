/** Keys as on a keyboard. */
import texts from 'messages:keyCaps';

const isMac = /^Mac|^iP/.test(navigator.platform);
const NAMES: Record<string, string> = {
  mod: isMac ? '⌘' : texts.control,
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  ' ': 'Space',
};

/** @param keys as for `useShortcut` */
export function KeyCaps({ keys }: { keys: string }) {
  const caps = keys === ' ' ? [keys] : keys.split(/[ +]/);
  return (
    <span className="inline-flex gap-1 [&_kbd]:min-w-[1.7em] [&_kbd]:px-1.25 [&_kbd]:border [&_kbd]:border-line [&_kbd]:rounded-[4px] [&_kbd]:bg-sunken [&_kbd]:text-xs [&_kbd]:leading-[1.7] [&_kbd]:text-center [&_kbd]:text-muted">
      {caps.map((key, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may occur twice, and the list never changes
        <kbd key={i}>{NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
      ))}
    </span>
  );
}
