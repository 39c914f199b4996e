import type { CommandOutput } from './command-output.ts';

/** What a wait shows of itself. */
export interface StatusLine {
  /** What is shown from now on, beside the time. */
  show(text: string): void;
  close(): void;
}

const redrawIntervalMs = 120;
const plainIntervalMs = 15_000;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** One line drawn again and again where a person watches; else a plain line at each change and every 15 s. */
export function openStatusLine(talk: CommandOutput): StatusLine {
  const beganAt = performance.now();
  let text = '';
  let frame = 0;
  const line = () => `${formatElapsed(performance.now() - beganAt)} ${text}`;
  const draw = () => process.stderr.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${line()}`);
  const timer = talk.isInteractive
    ? setInterval(draw, redrawIntervalMs)
    : setInterval(() => talk.note(line()), plainIntervalMs);
  return {
    show(next) {
      const isNews = next !== text;
      text = next;
      if (talk.isInteractive) draw();
      else if (isNews) talk.note(line());
    },
    close() {
      clearInterval(timer);
      if (talk.isInteractive) process.stderr.write('\r\x1b[2K');
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
