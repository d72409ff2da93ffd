/** Buttons, and links that look like them. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', className = '', type = 'button', ...rest }: Props) {
  return <button type={type} className={`${styles.button} ${styles[look] ?? ''} ${className}`} {...rest} />;
}

/** A button that shows only an icon; the label is what a screen reader says, and the tooltip. */
export function IconButton({ label, look = 'quiet', className = '', ...rest }: Props & { label: string }) {
  return (
    <Button
      look={look}
      aria-label={label}
      title={label}
      className={`min-w-control px-1.75 py-1 ${className}`}
      {...rest}
    />
  );
}

export function LinkButton({ to, look = 'plain', children }: { to: string; look?: Look; children: ReactNode }) {
  return (
    <Link href={to} className={`${styles.button} ${styles[look] ?? ''}`}>
      {children}
    </Link>
  );
}
