/** What the gateway is made of: the OpenAPI document in the template. */
import * as z from 'zod';
import { ofType, type Resources } from './policy.ts';

const Integration = z.strictObject({
  type: z.literal('aws_proxy'),
  httpMethod: z.literal('POST'),
  uri: z.string(),
  responseTransferMode: z.string(),
  timeoutInMillis: z.number().max(900_000),
});
const Method = z.object({ 'x-amazon-apigateway-integration': Integration });
const Body = z.object({
  paths: z.record(z.string(), z.strictObject({ 'x-amazon-apigateway-any-method': Method })),
  'x-amazon-apigateway-gateway-responses': z.record(
    z.string(),
    z.strictObject({
      statusCode: z.number(),
      responseParameters: z.record(z.string(), z.string()),
      responseTemplates: z.record(z.string(), z.string()),
    }),
  ),
});

export function gatewayBody(resources: Resources): z.infer<typeof Body> {
  const [[, { Properties }]] = ofType(resources, 'AWS::ApiGateway::RestApi') as [[string, Resources[string]]];
  return Body.parse(Properties.Body);
}
