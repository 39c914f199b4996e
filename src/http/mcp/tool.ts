import type { CallToolResult, ContentBlock, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { FetchFile } from './fetch-file.ts';
import type { GatewayClient } from './gateway-client.ts';
import { ToolFailed } from './tool-failed.ts';

/** What tools are given. */
export interface ToolContext {
  readonly gateway: GatewayClient;
  readonly fetchFile: FetchFile;
  /** Told of what no tool foresees. */
  readonly onUnexpectedError: (failure: unknown) => void;
}

/** One call of a tool. */
export interface ToolCall {
  /** Aborted when the caller does not wait any more. */
  readonly signal: AbortSignal;
  /** Tells a caller who asked for it how far a wait is. */
  progress(secondsPassed: number, message: string): Promise<void>;
}

/** What a tool says: to a model as text, to a program as data. */
export interface ToolAnswer {
  /** Short, and with what to do next. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly links?: readonly ContentBlock[];
  /** The tool did its work, and what it tells of is a failure. */
  readonly isError?: boolean;
}

export interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  readonly run: (input: z.output<Input>, parts: ToolContext, call: ToolCall) => Promise<ToolAnswer>;
}

/** A tool, to be put onto a server. */
export interface Tool {
  register(server: McpServer, parts: ToolContext): void;
}

export function defineTool<Input extends z.ZodObject>({
  name,
  input,
  run,
  ...about
}: ToolDefinition<Input>): Tool {
  const inputSchema: z.ZodObject = input;
  return {
    register(server, parts) {
      server.registerTool(name, { ...about, inputSchema }, (given, { mcpReq }) => {
        const token = mcpReq._meta?.progressToken;
        const progress: ToolCall['progress'] = async (progress, message) => {
          if (token === undefined) return;
          const params = { progressToken: token, progress, message };
          await mcpReq.notify({ method: 'notifications/progress', params });
        };
        return answerOf(parts, () => run(input.parse(given), parts, { signal: mcpReq.signal, progress }));
      });
    },
  };
}

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

const failed = (text: string, structured: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: structured,
  isError: true,
});
