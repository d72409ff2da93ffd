/** Keys as on a keyboard. */
import texts from 'messages:keyCaps';
import styles from './key-caps.module.css';

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
    <span className={`${styles.keys} inline-flex gap-1`}>
      {caps.map((key, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may occur twice, and the list never changes
        <kbd key={i}>{NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
      ))}
    </span>
  );
}
