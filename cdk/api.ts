/** The gateway: which function answers which path, and what it says when it does not ask one. */
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ERRORS } from '../functions/http/errors.ts';
import type { Operations } from '../shared/api/operation.ts';
import type { ErrorBody, ErrorCode } from '../shared/errors.ts';
import { acknowledge } from './acknowledge.ts';

export interface Route {
  operations: Operations[];
  handler: IFunction;
  answers: 'streamed' | 'buffered';
  /** How long the gateway waits for the whole answer. */
  timeout: Duration;
}

export interface ApiProps {
  stage: string;
  requestsPerSecond: number;
  burst: number;
  routes: Route[];
}

const ANY_METHOD = {
  'AwsSolutions-APIG4':
    'The functions look every token up themselves, so that a refusal has the body of the contract and a revoked token ends with the next request; a test asks every operation without one.',
  'AwsSolutions-COG4': 'Callers are programs with tokens of our own; there is no pool of people to log in.',
};

export class Api extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { stage, requestsPerSecond, burst, routes }: ApiProps) {
    super(scope, id);
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const api = new RestApi(this, 'Rest', {
      description: 'LanReach: devices of many LANs, and diagnostics inside them',
      endpointTypes: [EndpointType.REGIONAL], // Another kind gives up on a silent stream after thirty seconds.
      binaryMediaTypes: ['multipart/form-data'], // Without it an uploaded file arrives as mangled text.
      cloudWatchRole: true,
      deployOptions: {
        stageName: stage,
        throttlingRateLimit: requestsPerSecond,
        throttlingBurstLimit: burst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
        loggingLevel: MethodLoggingLevel.ERROR,
        tracingEnabled: true,
      },
    });
    acknowledge(api, {
      'AwsSolutions-APIG2':
        'The functions check every field against the schemas of the contract and name those that are wrong.',
    });
    acknowledge(api.deploymentStage, {
      'AwsSolutions-APIG3': 'A firewall costs more than the rest of a small installation; the stage is throttled.',
    });
    acknowledge(api.node.findChild('CloudWatchRole') as Construct, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'The policy that the gateway asks for; it grants nothing but writing logs.',
    });
    for (const route of routes) addRoute(api, route);
    for (const response of GATEWAY_RESPONSES) addGatewayResponse(api, response);
    this.url = api.url;
  }
}

/** All paths below the first segment are the function's, so that it can also say what is not there. */
function addRoute(api: RestApi, { operations, handler, answers, timeout }: Route): void {
  const streamed = answers === 'streamed';
  const integration = new LambdaIntegration(handler, {
    timeout,
    scopePermissionToMethod: false,
    responseTransferMode: streamed ? ResponseTransferMode.STREAM : ResponseTransferMode.BUFFERED,
  });
  const paths = operations.flatMap((group) => Object.values(group).map(({ path }) => path));
  for (const segment of new Set(paths.map((path) => path.split('/')[1] ?? ''))) {
    const resource = api.root.addResource(segment);
    acknowledge(resource.addMethod('ANY', integration), ANY_METHOD);
    acknowledge(resource.addResource('{proxy+}').addMethod('ANY', integration), ANY_METHOD);
  }
}

/** No headers and no query: neither tokens nor search terms belong into a log. */
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

interface GatewayAnswer {
  type: ResponseType;
  code: ErrorCode;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

/** What the gateway says by itself, in the words of the contract. */
const GATEWAY_RESPONSES: GatewayAnswer[] = [
  { type: ResponseType.THROTTLED, code: 'too_many_requests', message: 'Too many requests', retryAfter: 1 },
  { type: ResponseType.QUOTA_EXCEEDED, code: 'too_many_requests', message: 'Too many requests', retryAfter: 60 },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 'payload_too_large', message: 'The body is larger than 10 MB' },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, code: 'unsupported_media_type', message: 'Unknown media type' },
  // A path that is not there is told as a missing or, with a bearer token, as a malformed signature.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 'not_found', message: 'There is nothing at this path' },
  { type: ResponseType.INVALID_SIGNATURE, code: 'not_found', message: 'There is nothing at this path' },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 'not_found', message: 'There is nothing at this path' },
  { type: ResponseType.WAF_FILTERED, code: 'forbidden', message: 'The request was refused by the firewall' },
  {
    type: ResponseType.INTEGRATION_FAILURE,
    code: 'unavailable',
    message: 'The service cannot be reached at the moment',
    retryAfter: 2,
  },
  {
    type: ResponseType.INTEGRATION_TIMEOUT,
    code: 'unavailable',
    message: 'The service did not answer in time',
    retryAfter: 2,
  },
  { type: ResponseType.DEFAULT_4XX, code: 'validation_failed', message: 'The request cannot be read' },
  { type: ResponseType.DEFAULT_5XX, code: 'internal_error', message: 'Internal error' },
];

function addGatewayResponse(api: RestApi, { type, code, message, retryAfter }: GatewayAnswer): void {
  const [status, error] = ERRORS[code];
  const body: ErrorBody = { success: false, error, message, code, requestId: '$context.requestId' };
  api.addGatewayResponse(type.responseType, {
    type,
    statusCode: String(status),
    responseHeaders: {
      'Cache-Control': "'no-store'",
      ...(retryAfter === undefined ? {} : { 'Retry-After': `'${retryAfter}'` }),
    },
    templates: { 'application/json': JSON.stringify(body) },
  });
}
