/** A web server that serves media to a gateway, with the faults of real ones. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { megabyte } from './media-fields.ts';
import { clip, padTo, picture, sound } from './media-maker.ts';

const small = () => picture('png', 300, 300);

type Answering = (response: ServerResponse) => Promise<unknown> | unknown;
const gives = (make: () => Promise<Uint8Array | string>, type = 'application/octet-stream'): Answering => {
  return async response => {
    const bytes = await make();
    response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(bytes) }).end(bytes);
  };
};
const leadsTo =
  (location: string): Answering =>
  response =>
    response.writeHead(302, { location }).end();

/** Answers by `fail` twice, then with the picture, and so on. */
function everyThird(fail: Answering): Answering {
  let asked = 0;
  return response => (++asked % 3 === 0 ? gives(small)(response) : fail(response));
}
const lies: Answering = async response => {
  response.writeHead(200, { 'content-length': 1_000_000 });
  response.write(await small(), () => response.destroy());
};

const page = '<!doctype html><title>Not here</title>';
const tooBig = async () => padTo(await small(), 10 * megabyte + 1);

const routes: Readonly<Record<string, Answering>> = {
  '/portrait.png': gives(small, 'image/png'),
  '/of-another-type': gives(small, 'text/html'),
  '/1': leadsTo('/portrait.png'),
  '/2': leadsTo('1'),
  '/3': leadsTo('/2'),
  '/4': leadsTo('/3'),
  '/round': leadsTo('/round'),
  '/full': gives(async () => padTo(await picture('jpeg', 300, 300), 10 * megabyte)),
  '/too-big': gives(tooBig),
  '/too-big-untold': async response => void response.end(await tooBig()),
  '/lying': lies,
  '/third-time': everyThird(response => response.writeHead(502).end(page)),
  '/third-time-429': everyThird(response => response.writeHead(429, { 'retry-after': '9' }).end()),
  '/third-time-cut': everyThird(lies),
  '/come-back-in-an-hour': response => response.writeHead(503, { 'retry-after': '3600' }).end(),
  '/come-back-in-a-minute': response => response.writeHead(503, { 'retry-after': '60' }).end(),
  // Only the announced length is looked at: so much is never sent.
  '/51-mb': response => response.writeHead(200, { 'content-length': 50 * megabyte + 1 }).flushHeaders(),
  '/101-mb': response => response.writeHead(200, { 'content-length': 100 * megabyte + 1 }).flushHeaders(),
  '/201-mb': response => response.writeHead(200, { 'content-length': 200 * megabyte + 1 }).flushHeaders(),
  '/short.mp4': gives(() => clip({ width: 340, height: 340, seconds: 2.9, fps: '10' }), 'video/mp4'),
  '/eleven.mp4': gives(() => clip({ width: 340, height: 340, seconds: 11, fps: '10' }), 'video/mp4'),
  '/eight.mp4': gives(() => clip({ seconds: 8 }), 'video/mp4'),
  // No container that our own readers know.
  '/five.avi': gives(() => clip({ container: 'avi', width: 340, height: 320, seconds: 5 })),
  '/three.avi': gives(() => clip({ container: 'avi', width: 340, height: 320, seconds: 3 })),
  '/playlist.m3u8': gives(async () => '#EXTM3U\n#EXTINF:5,\n/five.avi\n'),
  '/wide.png': gives(() => picture('png', 400, 100)),
  '/webp': gives(() => picture('webp', 300, 300), 'image/png'),
  '/narrow': gives(() => picture('png', 299, 300)),
  '/flat': gives(() => picture('png', 760, 300)),
  '/page': gives(async () => page, 'image/png'),
  '/cut': gives(async () => (await small()).subarray(0, 20)),
  '/empty': response => response.end(),
  '/missing': response => response.writeHead(404).end(page),
  '/broken': response => response.writeHead(500).end(page),
  '/playlist.wav': gives(async () => '#EXTM3U\n#EXTINF:1,\n/other.wav\n', 'audio/wav'),
  '/waves.wav': gives(() => sound('wav', 1), 'audio/wav'),
  // Never ends by itself.
  '/dripping': response => {
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  },
};

/** A site that hands out media, good and bad, and notes every request. */
export function openMediaSite() {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answering = routes[request.url ?? ''] ?? (refused => refused.writeHead(418).end());
    await answering(response);
  });
  // Without a host it has its port at once.
  server.listen(0);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
