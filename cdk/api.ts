/** The API gateway: routes to the functions, domain name. */
import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  IpAddressType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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
  /** Limit of the gateway for the complete response. */
  timeout: Duration;
  /** Whether it also gets requests for unknown paths. */
  catchesAll?: boolean;
}

interface ApiProps {
  settings: Settings;
  routes: Route[];
}

export class Api extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, routes }: ApiProps) {
    super(scope, id);
    const { stage, requestsPerSecond, burst, corsOrigins, logRetentionDays } = settings;
    const logs = { retention: logRetentionDays, removalPolicy: RemovalPolicy.DESTROY };
    const accessLog = new LogGroup(this, 'AccessLog', logs);
    const title = Stack.of(this).stackName; // The dimension of its metrics.
    const description = 'LanReach: devices of many LANs, and diagnostics inside them';
    const api = new SpecRestApi(this, 'Rest', {
      // One resource instead of two for every path, which CloudFormation would create one by one.
      apiDefinition: ApiDefinition.fromInline({
        openapi: '3.0.1',
        info: { title, description, version: '1' },
        paths: Object.assign({}, ...routes.map(pathsOf)),
        'x-amazon-apigateway-gateway-responses': refusals(corsOrigins),
      }),
      restApiName: title,
      description,
      endpointConfiguration: {
        types: [EndpointType.REGIONAL], // Other types end an idle stream after thirty seconds.
        ipAddressType: IpAddressType.DUAL_STACK,
      },
      binaryMediaTypes: ['multipart/form-data'], // Else the gateway would decode uploaded files as text.
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
    // Else the gateway would create this log group at its first error, without a retention.
    const executionLogName = `API-Gateway-Execution-Logs_${api.restApiId}/${stage}`;
    api.deploymentStage.node.addDependency(
      new LogGroup(this, 'ExecutionLog', { logGroupName: executionLogName, ...logs }),
    );
    acknowledge(api, {
      'AwsSolutions-APIG2':
        'The functions validate every field by the schemas of the contract and name the invalid ones.',
    });
    acknowledge(api.node.findChild('CloudWatchRole') as Construct, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'The policy that the gateway requires; it grants only writing logs.',
    });
    for (const { handler } of routes) {
      handler.addPermission('Gateway', {
        principal: new ServicePrincipal('apigateway.amazonaws.com'),
        sourceArn: api.arnForExecuteApi(), // Of any path: the function answers all that lead to it.
      });
    }
    acknowledge(api.deploymentStage, {
      'AwsSolutions-APIG3': 'AWS WAF costs more than the rest of a small installation; the stage is throttled.',
    });
    const { domainName, certificateArn, hostedZoneId } = settings;
    if (domainName !== undefined && certificateArn !== undefined) {
      new OwnDomain(this, 'Domain', { stage: api.deploymentStage, domainName, certificateArn, hostedZoneId });
      this.url = `https://${domainName}/`;
    } else this.url = api.url;
  }
}

/**
 * The function handles all paths below the first segment, also unknown ones. One function answers all other paths, because
 * the gateway's own answer is about signatures and lacks the CORS headers. The functions look up every token themselves, so
 * that a rejection has the body of the contract and a revoked token is useless from the next request: a test sends every
 * operation without one.
 */
function pathsOf({ operations, handler, timeout, catchesAll = false }: Route): Record<string, object> {
  const { partition, region } = Stack.of(handler);
  const method = {
    responses: { 200: { description: 'See docs/openapi.json' } },
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: `arn:${partition}:apigateway:${region}:lambda:path/2021-11-15/functions/${handler.functionArn}/response-streaming-invocations`,
      // A buffered answer could neither be compressed, nor be larger than 6 MB, nor take longer than 29 seconds.
      responseTransferMode: 'STREAM',
      timeoutInMillis: timeout.toMilliseconds(),
    },
  };
  const proxy = { name: 'proxy', in: 'path', required: true, schema: { type: 'string' } };
  const paths = operations.flatMap((group) => Object.values(group).map(({ path }) => path));
  const parents = new Set(paths.map((path) => `/${path.split('/')[1] ?? ''}`));
  return Object.fromEntries(
    [...parents, ...(catchesAll ? ['/'] : [])].flatMap((parent) => [
      [parent, { 'x-amazon-apigateway-any-method': method }],
      [
        `${parent === '/' ? '' : parent}/{proxy+}`,
        { 'x-amazon-apigateway-any-method': { ...method, parameters: [proxy] } },
      ],
    ]),
  );
}

/** The gateway's own answers. */
function refusals(corsOrigins: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    (Object.keys(REFUSALS) as RefusalType[]).map((type) => {
      const { status, headers, body } = refusalResponse(type, corsOrigins, '$context.requestId');
      const parameters = Object.entries(headers).map(([name, value]) => [
        `gatewayresponse.header.${name}`,
        `'${value}'`,
      ]);
      const responseTemplates = { 'application/json': JSON.stringify(body) };
      return [type, { statusCode: status, responseParameters: Object.fromEntries(parameters), responseTemplates }];
    }),
  );
}

/** Without headers and query, because logs must not contain tokens and search terms. */
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
