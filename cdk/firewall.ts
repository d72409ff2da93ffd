/**
 * AWS WAF before the gateway. It stands at the stage, so that no name of the API leads around it.
 *
 * The managed rules are made for web sites. Here bodies are inventories of LANs: larger than 8 KB, full of URLs with
 * private addresses, and with whatever people write into comments and CSV files. To the rules that looks like remote
 * file inclusion or scripting, and a refused import of 10,000 rows could not be mended by its sender. Nothing of a body
 * reaches a shell, a query language or a page: the functions hold every field against a schema. So what the common
 * rules find in bodies is counted and logged, not refused; paths, queries and headers are held to all of them.
 */
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { ERRORS, refusalBody } from '../functions/http/errors.ts';
import { refusalHeaders } from './refusals.ts';
import type { Settings } from './settings.ts';

/** Of one address in five minutes. */
const REQUESTS = 2000;
/** Until then an address that has slowed down is let in again. */
const RETRY_AFTER_S = 60;

/** Rules of the common set whose matches are counted only. */
const COUNTED = [
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'CrossSiteScripting_BODY',
  // Callers are programs, and small ones do not name themselves.
  'NoUserAgent_HEADER',
];

export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stage, settings }: { stage: Stage; settings: Settings }) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(`LanReach-${settings.stage}`),
      customResponseBodies: {
        [TOO_MANY]: {
          contentType: 'APPLICATION_JSON',
          // The firewall knows no id of the request, and cannot fill in any.
          content: JSON.stringify(refusalBody('too_many_requests', 'Too many requests from this address', 'none')),
        },
      },
      rules: [
        rateRule(settings.corsOrigins),
        managedRules('Common', 1, 'AWSManagedRulesCommonRuleSet', COUNTED),
        managedRules('KnownBadInputs', 2, 'AWSManagedRulesKnownBadInputsRuleSet'),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { webAclArn: acl.attrArn, resourceArn: stage.stageArn });
    this.#log(acl, settings);
  }

  #log(acl: CfnWebACL, { stage, logRetentionDays }: Settings): void {
    const log = new LogGroup(this, 'Log', {
      logGroupName: `aws-waf-logs-lanreach-${stage}`, // WAF writes to groups with this beginning only.
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const configuration = new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // The group's own attribute ends with `:*`, which WAF does not take.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: log.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      // As in the gateway's log: neither tokens nor search terms.
      redactedFields: [{ singleHeader: { Name: 'authorization' } }, { queryString: {} }],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: ['BLOCK', 'EXCLUDED_AS_COUNT', 'COUNT'].map((Action) => ({ ActionCondition: { Action } })),
          },
        ],
      },
    });
    configuration.node.addDependency(log);
  }
}

const TOO_MANY = 'TooManyRequests';

function rateRule(corsOrigins: readonly string[]): CfnWebACL.RuleProperty {
  const [status] = ERRORS.too_many_requests;
  const headers = Object.entries(refusalHeaders(corsOrigins, RETRY_AFTER_S));
  return {
    name: 'Rate',
    priority: 0,
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: REQUESTS, evaluationWindowSec: 300 } },
    action: {
      block: {
        customResponse: {
          responseCode: status,
          customResponseBodyKey: TOO_MANY,
          responseHeaders: headers.map(([name, value]) => ({ name, value })),
        },
      },
    },
    visibilityConfig: visibility('Rate'),
  };
}

function managedRules(
  metric: string,
  priority: number,
  name: string,
  counted: readonly string[] = [],
): CfnWebACL.RuleProperty {
  return {
    name: metric,
    priority,
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: visibility(metric),
  };
}

/** Samples of requests would show their tokens: what is redacted in the log is not redacted there. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
