/** The sentence of an event, with a link to its device. */
import { Link } from 'wouter';
import styles from './events.module.css';
import type { Part } from './sentence.ts';

const VALUE = 'inline-block max-w-[min(100%,48ch)] align-bottom truncate';
const DEVICE = `${styles.device} font-[550] no-underline text-text`;

export const devicePage = (site: string, key: string): string => `/sites/${site}/devices/${encodeURIComponent(key)}`;

export function Parts({ parts, devicePath }: { parts: readonly Part[]; devicePath: string | null }) {
  return parts.map((part, i) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of a sentence never change their places
    if ('text' in part) return <span key={i}>{part.text}</span>;
    if ('value' in part) {
      return (
        <span key={i} className={VALUE} data-foreign title={part.value}>
          {part.value}
        </span>
      );
    }
    const look = { className: `${VALUE} ${DEVICE}`, 'data-foreign': true, title: part.device, children: part.device };
    return devicePath === null ? <strong key={i} {...look} /> : <Link key={i} href={devicePath} {...look} />;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the same
  });
}
