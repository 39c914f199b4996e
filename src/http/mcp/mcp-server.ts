/** The MCP server: every tool, and the instructions for the language model. */

import type { McpServer } from '@modelcontextprotocol/server';
import { cancelJob, generate, jobResult, jobStatus, submitJob } from './job-tools.ts';
import { describeModel, estimateCost, listModels } from './model-tools.ts';
import type { Tool, ToolContext } from './tool.ts';
import { uploadFile } from './upload-tool.ts';

const tools: readonly Tool[] = [
  listModels,
  describeModel,
  estimateCost,
  uploadFile,
  submitJob,
  jobStatus,
  jobResult,
  cancelJob,
  generate,
];

/** Read by a language model before it calls a tool, so it says what to call in which order. */
const instructions = `Generates video, images and speech. list_models lists the models, describe_model describes the input of one. submit_job creates a job, job_status waits for it, job_result gives its files; generate does all three for what takes less than a minute. A job may cost money: after a lost answer look for the job or repeat the call with the same idempotency_key, never without one.`;

/** More members and elements than the input of any model has by far. */
const maxToolInputElements = 100_000;

/** Makes what serves one conversation, or one request where each stands for itself. */
export type MakeMcpServer = (context: ToolContext) => McpServer;

/** The package of the protocol is loaded here, at its first use. */
export async function openMcpServers(): Promise<MakeMcpServer> {
  const { McpServer } = await import('@modelcontextprotocol/server');
  return context => {
    const server = new McpServer(
      { name: 'atelier', title: 'Atelier', version: '1.0.0' },
      { instructions, capabilities: { tools: { listChanged: false } }, maxToolInputElements },
    );
    for (const tool of tools) tool.register(server, context);
    return server;
  };
}
