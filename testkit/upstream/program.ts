/** The scripted upstream as a program of its own. */
import { startUpstream } from './upstream.ts';

/** The upstream as a process of its own: `program.ts <folder> <port>`. It ends with whoever started it. */
const [folder = '', port = '0'] = process.argv.slice(2);
const upstream = await startUpstream({ folder, port: Number(port) });
process.stdout.write(`${upstream.url}\n`);
process.stdin.on('end', () => process.exit()).resume();
