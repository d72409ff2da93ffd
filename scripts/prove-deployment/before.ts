/** What can be asked of an account before anything is deployed into it. */
import * as z from 'zod';
import { ruleName } from '../../shared/agent/topics.ts';
import type { Aws } from './aws-cli.ts';
import { type Check, type Finding, failed, messageOf, passed, unclear } from './checks.ts';
import { type NamedPolicy, policiesOf, type Template as StackTemplate } from './policies.ts';
import { dataStackOf, stageOf } from './stack.ts';

export interface BeforeMeans {
  aws: Aws;
  region: string;
  /** Name of the stack, such as LanReach-prod. */
  stack: string;
  /** Reads the template of a stack that `npm run synth` has written. */
  readTemplate(stack: string): Promise<unknown>;
}

/** Of these, a deployment for one site needs about five at a time: requests, what agents say, the console. */
const FEW_EXECUTIONS = 50;

/** Quotas of IoT Core by their names, and what LanReach is built for. */
const IOT_QUOTAS: readonly { name: RegExp; atLeast: number }[] = [
  { name: /connect requests per second per account/i, atLeast: 100 },
  { name: /publish requests per second per connection/i, atLeast: 100 },
  { name: /throughput per second per connection/i, atLeast: 512 },
];

const Identity = z.object({ Account: z.string().regex(/^\d{12}$/) });
const AccountSettings = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });
const Quotas = z.object({ Quotas: z.array(z.object({ QuotaName: z.string(), Value: z.number() })) });
const Rules = z.object({ rules: z.array(z.object({ ruleName: z.string() })) });
const Parameter = z.object({ Parameter: z.object({ Value: z.string() }) });
const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
  ),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .optional(),
});
const IotLog = z.object({ defaultLogLevel: z.string().optional(), disableAllLogs: z.boolean().optional() });
const PolicyFindings = z.object({
  findings: z.array(z.object({ findingType: z.string(), issueCode: z.string(), findingDetails: z.string() })),
});

export const BEFORE: readonly Check<BeforeMeans>[] = [
  {
    title: 'The AWS CLI has credentials that are valid',
    timeoutMs: 30_000,
    async run({ aws }, signal) {
      Identity.parse(await aws(['sts', 'get-caller-identity'], signal));
      return passed();
    },
  },
  {
    title: 'The account and region are prepared for the CDK',
    timeoutMs: 30_000,
    async run({ aws }, signal) {
      const name = '/cdk-bootstrap/hnb659fds/version';
      const { Parameter: found } = Parameter.parse(await aws(['ssm', 'get-parameter', '--name', name], signal));
      return passed(`Version ${found.Value} of the bootstrap stack`);
    },
  },
  {
    title: 'No other deployment of this stage is in this region',
    timeoutMs: 60_000,
    async run({ aws, stack }, signal) {
      const { rules } = Rules.parse(await aws(['iot', 'list-topic-rules'], signal));
      const found = rules
        .map(({ ruleName }) => ruleName)
        .filter((name) => name.startsWith(ruleName(stageOf(stack), '')));
      if (found.length === 0) return passed('IoT Core has no rule of that name');
      try {
        await aws(['cloudformation', 'describe-stacks', '--stack-name', stack], signal);
      } catch (error) {
        return failed(`Rules of another deployment: ${found.join(', ')}`, messageOf(error));
      }
      return passed(`The rules belong to ${stack}, which is there already`);
    },
  },
  {
    title: `Lambda may run ${FEW_EXECUTIONS} functions at a time`,
    timeoutMs: 30_000,
    async run({ aws }, signal) {
      const { AccountLimit } = AccountSettings.parse(await aws(['lambda', 'get-account-settings'], signal));
      const fact = `Concurrent executions: ${AccountLimit.ConcurrentExecutions}`;
      if (AccountLimit.ConcurrentExecutions >= FEW_EXECUTIONS) return passed(fact);
      return failed(
        fact,
        'Ask for more under Service Quotas, AWS Lambda, "Concurrent executions"; 1,000 is the usual value',
      );
    },
  },
  {
    title: 'The quotas of IoT Core are those that LanReach is built for',
    timeoutMs: 60_000,
    async run({ aws }, signal) {
      const answer = await aws(['service-quotas', 'list-service-quotas', '--service-code', 'iotcore'], signal);
      const { Quotas: quotas } = Quotas.parse(answer);
      const found = IOT_QUOTAS.map(({ name, atLeast }) => ({
        quota: quotas.find((one) => name.test(one.QuotaName)),
        atLeast,
        name,
      }));
      const facts = found.map(({ quota, name }) =>
        quota === undefined ? `No quota ${name.source}` : `${quota.QuotaName}: ${quota.Value}`,
      );
      if (found.some(({ quota, atLeast }) => quota !== undefined && quota.Value < atLeast)) return failed(...facts);
      return found.some(({ quota }) => quota === undefined) ? unclear(...facts) : passed(...facts);
    },
  },
  {
    title: 'IoT Core writes a log, which says why a certificate was refused or a rule has failed',
    timeoutMs: 30_000,
    async run({ aws }, signal) {
      const how = 'DEPLOY.md has the commands under "When something is amiss"';
      let answer: unknown;
      try {
        answer = await aws(['iot', 'get-v2-logging-options'], signal);
      } catch (error) {
        // The answer of an account that has never set it.
        if (/NotConfigured/.test(messageOf(error))) return unclear('It is off, for the whole account and region', how);
        throw error;
      }
      const { defaultLogLevel: level = 'DISABLED', disableAllLogs: isOff = false } = IotLog.parse(answer);
      return isOff || level === 'DISABLED' ? unclear('It is off', how) : passed(`Level ${level}`);
    },
  },
  {
    title: 'IAM Access Analyzer finds nothing wrong with the policies of the stacks',
    timeoutMs: 300_000,
    async run(means, signal) {
      const { Account: account } = Identity.parse(await means.aws(['sts', 'get-caller-identity'], signal));
      const read = async (stack: string) => Template.parse(await means.readTemplate(stack)) as StackTemplate;
      const [main, data] = [await read(means.stack), await read(dataStackOf(means.stack))];
      const policies = policiesOf(main, [data], { account, region: means.region });
      if (policies.length === 0) return failed('The template has no policies: run `npm run synth` first');
      const findings: Finding[] = [];
      for (const policy of policies) findings.push(await validate(means.aws, policy, signal));
      const facts = [`${policies.length} policies`, ...findings.flatMap((finding) => finding.facts)];
      return findings.some(({ outcome }) => outcome === 'failed') ? failed(...facts) : passed(...facts);
    },
  },
];

const KINDS: Record<NamedPolicy['kind'], string[]> = {
  identity: ['--policy-type', 'IDENTITY_POLICY'],
  resource: ['--policy-type', 'RESOURCE_POLICY'],
  trust: ['--policy-type', 'RESOURCE_POLICY', '--validate-policy-resource-type', 'AWS::IAM::AssumeRolePolicyDocument'],
};

async function validate(aws: Aws, { id, kind, document }: NamedPolicy, signal: AbortSignal): Promise<Finding> {
  const text = JSON.stringify(document);
  const answer = await aws(['accessanalyzer', 'validate-policy', ...KINDS[kind], '--policy-document', text], signal);
  const { findings } = PolicyFindings.parse(answer);
  const facts = findings.map(
    ({ findingType, issueCode, findingDetails }) => `${id}: ${findingType} ${issueCode}: ${findingDetails}`,
  );
  return findings.some(({ findingType }) => ['ERROR', 'SECURITY_WARNING'].includes(findingType))
    ? failed(...facts)
    : passed(...facts);
}
