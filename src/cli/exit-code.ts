/** Exit codes of the command line, and hints that follow the message of a gateway error. */
import {
  AuthError,
  GatewayError,
  NotFoundError,
  PermissionError,
  RateLimitError,
} from '../../client/src/index.ts';
import { CommandError } from './command-error.ts';

/** Documented in docs/cli.md: scripts depend on them. */
export const exitCodes = {
  error: 1,
  jobFailed: 2,
  timeout: 3,
  auth: 4,
  notFound: 5,
  rateLimited: 6,
  interrupted: 130,
} as const;

/** By the class of the error; 1 for any other. */
export function exitCodeOf(failure: unknown): number {
  if (failure instanceof CommandError) return failure.exitCode;
  if (failure instanceof AuthError || failure instanceof PermissionError) return exitCodes.auth;
  if (failure instanceof NotFoundError) return exitCodes.notFound;
  if (failure instanceof RateLimitError) return exitCodes.rateLimited;
  if (failure instanceof GatewayError && failure.kind === 'timeout') return exitCodes.timeout;
  return exitCodes.error;
}

/** The message of the gateway or of the network, and what to do about it. */
export function explainGatewayError(failure: GatewayError): string {
  const sentence = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
  return [sentence, hintFor(failure)].filter(part => part !== null).join(' ');
}

/** The command that helps with an error; null where none does. */
function hintFor(failure: GatewayError): string | null {
  if (failure instanceof AuthError) return 'Check atelier whoami; set another key with atelier login.';
  if (failure instanceof PermissionError) return 'Ask the operator who created the key.';
  if (failure.message.startsWith('App not found'))
    return `${failure.suggestion === undefined ? '' : `Did you mean ${failure.suggestion}? `}See: atelier models`;
  if (failure.message === 'Request not found') return 'See: atelier jobs';
  if (failure.kind === 'network') return 'Is it running? Is the address right? See: atelier whoami';
  // For a failure of the gateway: its log has the cause under this id.
  if (failure.requestId !== undefined && (failure.status ?? 0) >= 500)
    return `In the log of the gateway: ${failure.requestId}`;
  return null;
}
