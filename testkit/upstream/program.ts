/** The scripted upstream as a program: `program.ts <folder> <port>`. Prints its address; ends when stdin closes. */
import { startUpstream } from './upstream.ts';

const [folder = '', port = '0'] = process.argv.slice(2);
const upstream = await startUpstream({ folder, port: Number(port) });
process.stdout.write(`${upstream.url}\n`);
process.stdin.on('end', () => process.exit()).resume();
