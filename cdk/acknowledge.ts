/** Findings of the checks that are meant to be so. */
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * @param findings by their exact ids, with the reason; of a finding that quotes a resource, the quote is part of the id
 */
export function acknowledge(construct: Construct, findings: Record<string, string>): void {
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
}
