/** Buttons, and links that look like them. */
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

interface Props extends ComponentProps<'button'> {
  look?: Look;
  icon?: ReactNode;
}

export function Button({ look = 'plain', className = '', type = 'button', icon, children, ...rest }: Props) {
  return (
    <button type={type} className={`${styles.button} ${styles[look] ?? ''} ${className}`} {...rest}>
      {icon}
      {children}
    </button>
  );
}

/** @param label for screen readers, and as the tooltip */
export function IconButton({ label, look = 'quiet', className = '', ...rest }: Props & { label: string }) {
  const size = `min-w-control px-1.75 py-1 ${className}`;
  return <Button look={look} aria-label={label} title={label} className={size} {...rest} />;
}

export function LinkButton({ to, look = 'plain', children }: { to: string; look?: Look; children: ReactNode }) {
  return (
    <Link href={to} className={`${styles.button} ${styles[look] ?? ''}`}>
      {children}
    </Link>
  );
}
