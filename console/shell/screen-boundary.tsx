/** Confines an error to the screen that throws it, and shows it. */
import texts from 'messages:shell';
import { TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button, LinkButton } from '../ui/button.tsx';
import { DeadEnd } from './dead-end.tsx';

/** A class, because React has no hook for this. */
export class ScreenBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const ways = (
      <>
        <Button look="primary" onClick={() => window.location.reload()}>
          {texts.reload}
        </Button>
        <LinkButton to="/">{texts.allSites}</LinkButton>
      </>
    );
    return (
      <DeadEnd icon={TriangleAlert} title={texts.broken} ways={ways}>
        <p role="alert">{texts.brokenHint}</p>
        <p>
          <code data-foreign>{error.message}</code>
        </p>
      </DeadEnd>
    );
  }
}
