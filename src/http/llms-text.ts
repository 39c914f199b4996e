/** The text of /llms.txt. */

import type { Model } from '../catalog/model.ts';
import { usageGuide } from './usage-guide.ts';

/** What a language model has to know to use this gateway, after the convention of llmstxt.org. */
export const llmsText = (url: string, models: readonly Model[]): string => `# Atelier

> A gateway in front of generative models (video, image, speech): one asynchronous job queue and one file endpoint. A client creates a job, waits for its status, fetches the result, or cancels it. There is no synchronous endpoint and no stream.

${usageGuide(url)}## Models

${models.map(({ id, kind, summary }) => `- [${id}](${url}/v1/models/${id}): ${kind}. ${summary}`).join('\n')}

## More

- [OpenAPI 3.1](${url}/openapi.json): the whole protocol, with the input of every model
- [Catalog](${url}/models.json): every model with its schema, rules and examples
- [Models](${url}/v1/models): the list alone
- [API pages](${url}/docs): the same for people
- [MCP](${url}/mcp): the same as tools, by streamable HTTP with the same key
`;
