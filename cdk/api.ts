/** The API gateway: routes to the functions, domain name. */
import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  IpAddressType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { OwnDomain } from './domain.ts';
import { REFUSALS, type RefusalType, refusalResponse } from './refusals.ts';
import type { Settings } from './settings.ts';

interface Route {
  operations: Readonly<Record<string, { path: string }>>[];
  handler: IFunction;
  /** How long the gateway waits for the complete response. */
  timeout: Duration;
  /** Whether requests for unknown paths are routed here as well. */
  catchesAll?: boolean;
}

interface ApiProps {
  settings: Settings;
  routes: Route[];
}

const ANY_METHOD = {
  'AwsSolutions-APIG4':
    'The functions look every token up themselves, so that a refusal has the body of the contract and a revoked token ends with the next request; a test asks every operation without one.',
  'AwsSolutions-COG4': 'Callers are programs with tokens of our own; there is no pool of people to log in.',
};

export class Api extends Construct {
  readonly url: string;
  /** The host names under which it is reached. */
  readonly hosts: readonly string[];

  constructor(scope: Construct, id: string, { settings, routes }: ApiProps) {
    super(scope, id);
    const { stage, requestsPerSecond, burst, corsOrigins, logRetentionDays } = settings;
    const logs = { retention: logRetentionDays, removalPolicy: RemovalPolicy.DESTROY };
    const accessLog = new LogGroup(this, 'AccessLog', logs);
    const api = new RestApi(this, 'Rest', {
      restApiName: Stack.of(this).stackName, // The name is the dimension of its metrics.
      description: 'LanReach: devices of many LANs, and diagnostics inside them',
      endpointConfiguration: {
        types: [EndpointType.REGIONAL], // Other types end an idle stream after thirty seconds.
        ipAddressType: IpAddressType.DUAL_STACK,
      },
      binaryMediaTypes: ['multipart/form-data'], // Otherwise uploaded files are corrupted, because they are decoded as text.
      cloudWatchRole: true,
      deployOptions: {
        stageName: stage,
        throttlingRateLimit: requestsPerSecond,
        throttlingBurstLimit: burst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
        loggingLevel: MethodLoggingLevel.ERROR,
      },
    });
    api.node.tryRemoveChild('Endpoint'); // Duplicates the stack's own output.
    // Otherwise the gateway would create this log group at its first error, without a retention.
    const executionLogName = `API-Gateway-Execution-Logs_${api.restApiId}/${stage}`;
    api.deploymentStage.node.addDependency(
      new LogGroup(this, 'ExecutionLog', { logGroupName: executionLogName, ...logs }),
    );
    acknowledge(api, {
      'AwsSolutions-APIG2':
        'The functions check every field against the schemas of the contract and name those that are wrong.',
    });
    acknowledge(api.node.findChild('CloudWatchRole') as Construct, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'The policy that the gateway asks for; it grants nothing but writing logs.',
    });
    for (const route of routes) addRoute(api, route);
    addRefusals(api, corsOrigins);
    acknowledge(api.deploymentStage, {
      'AwsSolutions-APIG3': 'AWS WAF costs more than the rest of a small installation; the stage is throttled.',
    });
    const { domainName, certificateArn, hostedZoneId } = settings;
    if (domainName !== undefined && certificateArn !== undefined) {
      new OwnDomain(this, 'Domain', { stage: api.deploymentStage, domainName, certificateArn, hostedZoneId });
      this.url = `https://${domainName}/`;
    } else this.url = api.url;
    const { region, urlSuffix } = Stack.of(this);
    const given = `${api.restApiId}.execute-api.${region}.${urlSuffix}`; // Stays, beside a name of one's own.
    this.hosts = domainName === undefined ? [given] : [domainName, given];
  }
}

/**
 * The function handles all paths below the first segment, so it can also answer for unknown ones. One function does so
 * for all other paths, because the gateway's own answer is about signatures and lacks the CORS headers.
 */
function addRoute(api: RestApi, { operations, handler, timeout, catchesAll = false }: Route): void {
  const integration = new LambdaIntegration(handler, {
    timeout,
    scopePermissionToMethod: false, // One permission per function, for the whole of this API.
    // A buffered answer could neither be compressed, nor be larger than 6 MB, nor take longer than 29 seconds.
    responseTransferMode: ResponseTransferMode.STREAM,
  });
  const paths = operations.flatMap((group) => Object.values(group).map(({ path }) => path));
  const segments = new Set(paths.map((path) => path.split('/')[1] ?? ''));
  for (const resource of [
    ...[...segments].map((segment) => api.root.addResource(segment)),
    ...(catchesAll ? [api.root] : []),
  ]) {
    acknowledge(resource.addMethod('ANY', integration), ANY_METHOD);
    acknowledge(resource.addResource('{proxy+}').addMethod('ANY', integration), ANY_METHOD);
  }
}

function addRefusals(api: RestApi, corsOrigins: readonly string[]): void {
  for (const type of Object.keys(REFUSALS) as RefusalType[]) {
    const { status, headers, body } = refusalResponse(type, corsOrigins, '$context.requestId');
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(status),
      responseHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}

/** Without headers and query, because tokens and search terms must not be logged. */
const ACCESS_LOG = {
  time: AccessLogField.contextRequestTime(),
  requestId: AccessLogField.contextRequestId(),
  ip: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  path: AccessLogField.contextPath(),
  status: AccessLogField.contextStatus(),
  bytes: AccessLogField.contextResponseLength(),
  durMs: AccessLogField.contextResponseLatency(),
  error: AccessLogField.contextErrorResponseType(),
};
