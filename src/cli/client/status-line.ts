/** The progress line on stderr while a command waits for a job. */
import type { CommandOutput } from './command-output.ts';

/** One line that changes while it is open. */
export interface StatusLine {
  /** Sets the text beside the elapsed time. */
  show(text: string): void;
  /** Removes the line. */
  close(): void;
}

/** In a terminal, and elsewhere. */
const redrawIntervalMs = 120;
/** Between two lines where stderr is no terminal: a log should not have one a second. */
const plainIntervalMs = 15_000;
/** One turn of the spinner. */
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Redrawn in place in a terminal; else a plain line at each change and every 15 s. */
export function openStatusLine(output: CommandOutput): StatusLine {
  const startedAt = performance.now();
  let text = '';
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const line = () => `${formatElapsed(performance.now() - startedAt)} ${text}`;
  const draw = () => process.stderr.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${line()}`);
  const update = output.isInteractive ? draw : () => output.note(line());
  const intervalMs = output.isInteractive ? redrawIntervalMs : plainIntervalMs;
  return {
    show(next) {
      const isChanged = next !== text;
      text = next;
      // From the first text on: until then there is nothing to say.
      timer ??= setInterval(update, intervalMs);
      if (output.isInteractive || isChanged) update();
    },
    close() {
      clearInterval(timer);
      if (output.isInteractive) process.stderr.write('\r\x1b[2K');
    },
  };
}

/** As 00:42, or 1:00:42. */
function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
