import type { CallToolResult, ContentBlock, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Gateway } from './ask-gateway.ts';
import type { FetchFile } from './fetch-file.ts';
import { ToolFailed } from './tool-failed.ts';

/** What tools are given. */
export interface ToolParts {
  readonly gateway: Gateway;
  readonly fetchFile: FetchFile;
  /** Told of what no tool foresees. */
  readonly onBug: (failure: unknown) => void;
}

/** One call of a tool. */
export interface ToolCall {
  /** Aborted when the caller does not wait any more. */
  readonly signal: AbortSignal;
  /** Tells a caller who asked for it how far a wait is. */
  progress(secondsPassed: number, message: string): Promise<void>;
}

/** What a tool says: to a model as text, to a program as data. */
export interface Said {
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
  readonly run: (input: z.output<Input>, parts: ToolParts, call: ToolCall) => Promise<Said>;
}

/** A tool, to be put onto a server. */
export interface Tool {
  register(server: McpServer, parts: ToolParts): void;
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

async function answerOf({ onBug }: ToolParts, work: () => Promise<Said>): Promise<CallToolResult> {
  try {
    const { text, structured, links = [], isError = false } = await work();
    return { content: [{ type: 'text', text }, ...links], structuredContent: structured, isError };
  } catch (failure) {
    if (!(failure instanceof ToolFailed)) {
      onBug(failure);
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
