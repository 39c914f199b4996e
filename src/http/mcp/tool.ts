/** What an MCP tool is, and how its failures are answered. */

import type { CallToolResult, ContentBlock, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { FetchFile } from './fetch-file.ts';
import type { GatewayClient } from './gateway-client.ts';
import { ToolFailed } from './tool-failed.ts';

/** What tools are given. */
export interface ToolContext {
  readonly gateway: GatewayClient;
  readonly fetchFile: FetchFile;
  /** Called with a failure that no tool expects. */
  readonly onUnexpectedError: (failure: unknown) => void;
}

/** One call of a tool. */
export interface ToolCall {
  /** Aborted when the caller does not wait any more. */
  readonly signal: AbortSignal;
  /** Reports the progress of a wait to a caller that requested it. */
  progress(secondsPassed: number, message: string): Promise<void>;
}

/** What a tool says: to a model as text, to a program as data. */
export interface ToolAnswer {
  /** Short, and with what to do next. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly links?: readonly ContentBlock[];
  /** The tool worked, and its answer reports a failure. */
  readonly isError?: boolean;
}

/** A tool as its file writes it. `Input` is the schema that its arguments are parsed by, and published as. */
export interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  readonly run: (input: z.output<Input>, context: ToolContext, call: ToolCall) => Promise<ToolAnswer>;
}

/** A tool, to be put onto a server. */
export interface Tool {
  register(server: McpServer, context: ToolContext): void;
}

/** A tool whose arguments are validated before it runs, and whose failures become answers. */
export function defineTool<Input extends z.ZodObject>({
  name,
  input,
  run,
  ...about
}: ToolDefinition<Input>): Tool {
  const inputSchema: z.ZodObject = input;
  return {
    register(server, context) {
      server.registerTool(name, { ...about, inputSchema }, (given, { mcpReq }) => {
        const token = mcpReq._meta?.progressToken;
        const progress: ToolCall['progress'] = async (progress, message) => {
          if (token === undefined) return;
          const params = { progressToken: token, progress, message };
          await mcpReq.notify({ method: 'notifications/progress', params });
        };
        return answerOf(context, () => run(input.parse(given), context, { signal: mcpReq.signal, progress }));
      });
    },
  };
}

/** The answer of a tool; a failure of the tool is an answer, too. */
async function answerOf(
  { onUnexpectedError }: ToolContext,
  work: () => Promise<ToolAnswer>,
): Promise<CallToolResult> {
  try {
    const { text, structured, links = [], isError = false } = await work();
    return { content: [{ type: 'text', text }, ...links], structuredContent: structured, isError };
  } catch (failure) {
    if (!(failure instanceof ToolFailed)) {
      onUnexpectedError(failure);
      return failed('Something went wrong on our side.', {});
    }
    const { message, next, structured } = failure;
    return failed(next === null ? message : `${message}\n${next}`, structured);
  }
}

/** The answer of a failed call. */
const failed = (text: string, structured: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: structured,
  isError: true,
});
