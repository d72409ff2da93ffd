/** Accepts findings of the checks (cdk-nag), each with a reason. */
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** @param findings reasons by the exact ids of the findings; the id of a finding about a resource contains that resource */
export function acknowledge(construct: Construct, findings: Record<string, string>): void {
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
}
