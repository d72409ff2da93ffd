/**
 * AWS WAF for the gateway. It is attached to the stage, so that it applies under every name of the API.
 *
 * The managed rules are made for web sites. Here bodies are inventories of LANs: larger than 8 KB, full of URLs with
 * private addresses, and with arbitrary comments and CSV files. To the rules that looks like remote file inclusion or
 * cross-site scripting, and users could not fix a refused import of 10,000 rows. No part of a body is used in a shell,
 * a query language or a page, and the functions validate every field against a schema. So matches of the common rules
 * in bodies are counted and logged, not blocked; paths, queries and headers are blocked by all rules.
 */
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { ERRORS, refusalBody } from '../api/http/errors.ts';
import { refusalHeaders } from './refusals.ts';
import type { Settings } from './settings.ts';

/** Requests of one address in five minutes. */
const REQUESTS = 2000;
/** Within this time an address that sends fewer requests is admitted again. */
const RETRY_AFTER_S = 60;

/** Rules of the common rule set that only count. */
const COUNTED = [
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'CrossSiteScripting_BODY',
  // Many small HTTP clients send no User-Agent.
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
          // The firewall cannot insert a request id.
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
      logGroupName: `aws-waf-logs-lanreach-${stage}`, // WAF requires this prefix.
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const configuration = new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // WAF does not accept the `:*` at the end of the log group's ARN attribute.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: log.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      // As in the gateway's log, because tokens and search terms must not be logged.
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

/** Without sampled requests, because these would include tokens, which are redacted only in the log. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
