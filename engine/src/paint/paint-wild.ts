/** Figures of foxes and wolves, which share one shape with different coats. */
import { css, hex, mix, shade } from './colour.ts';
import { type Figure, type FigureColours, fillWith } from './figure.ts';
import { disc, polygon, type View } from './view.ts';

/** What distinguishes one animal from another. */
interface Coat {
  /** Main colour, as `#rrggbb`. */
  readonly fur: string;
  /** Chest, muzzle and tip of the tail. */
  readonly pale: string;
  /** Legs, ears and nose. */
  readonly dark: string;
  /** Colour of the iris. */
  readonly eye: string;
  /** Thickness of the tail; 1 = a fox. */
  readonly bush: number;
  /** Length of the legs; 1 = a fox. */
  readonly legs: number;
  /** Pale tip of the tail and dark legs. */
  readonly whiteTip: boolean;
}

/** Red, short-legged, with a white tip. */
const foxCoat: Coat = {
  fur: '#d9661f',
  pale: '#f7ead8',
  dark: '#3a2119',
  eye: '#2a1a10',
  bush: 1,
  legs: 1,
  whiteTip: true,
};

/** Grey, long-legged, with yellow eyes. */
const wolfCoat: Coat = {
  fur: '#7d838c',
  pale: '#cfd2d4',
  dark: '#3d4149',
  eye: '#e0a83a',
  bush: 0.78,
  legs: 1.2,
  whiteTip: false,
};

/** A red fox with a white tip on its tail. */
export const fox: Figure = (view, colours, phase) => wild(view, colours, phase, foxCoat);

/** A grey wolf with longer legs. */
export const wolf: Figure = (view, colours, phase) => wild(view, colours, phase, wolfCoat);

/** Draws tail, far legs, body, near legs and head, from back to front. */
function wild(view: View, colours: FigureColours, phase: number, coat: Coat): void {
  const { context, seconds } = view;
  const swing = Math.sin(seconds * 1.8 + phase) * 0.04;
  // At night colours move towards that of the scene.
  const lit = (tone: string) => mix(hex(tone), colours.body, colours.night ? 0.34 : 0.08);
  const [fur, pale, dark] = [lit(coat.fur), lit(coat.pale), lit(coat.dark)];
  const hip = -0.34 * coat.legs;
  tail(view, coat, hip, swing, [fur, pale, dark]);
  context.strokeStyle = css(shade(fur, -0.28));
  context.lineCap = 'round';
  // Far legs.
  for (const [x, back] of [
    [-0.22, true],
    [0.15, false],
  ] as const) {
    context.lineWidth = back ? 0.085 : 0.065;
    context.beginPath();
    context.moveTo(x, hip + 0.02);
    context.quadraticCurveTo(x - (back ? 0.05 : 0), hip * 0.5, x + (back ? 0.02 : 0), -0.03);
    context.stroke();
  }
  fillWith(view, fur);
  context.beginPath();
  // Body.
  context.moveTo(-0.36, hip - 0.13);
  context.bezierCurveTo(-0.2, hip - 0.25, 0.08, hip - 0.22, 0.2, hip - 0.3);
  context.lineTo(0.36, hip - 0.34);
  context.bezierCurveTo(0.4, hip - 0.14, 0.34, hip + 0.04, 0.24, hip + 0.08);
  context.bezierCurveTo(0.08, hip + 0.02, -0.1, hip + 0.05, -0.22, hip + 0.08);
  context.bezierCurveTo(-0.36, hip + 0.08, -0.42, hip - 0.02, -0.36, hip - 0.13);
  context.fill();
  fillWith(view, pale);
  context.beginPath();
  // Chest.
  context.moveTo(0.34, hip - 0.26);
  context.bezierCurveTo(0.42, hip - 0.1, 0.34, hip + 0.05, 0.22, hip + 0.08);
  context.bezierCurveTo(0.26, hip - 0.02, 0.24, hip - 0.12, 0.34, hip - 0.26);
  context.fill();
  // Near legs, in two parts.
  for (const x of [-0.28, 0.24]) {
    context.strokeStyle = css(fur);
    context.lineWidth = x < 0 ? 0.1 : 0.075;
    context.beginPath();
    context.moveTo(x, hip + 0.02);
    context.quadraticCurveTo(x - (x < 0 ? 0.06 : 0), hip * 0.55, x + (x < 0 ? 0.02 : 0.01), hip * 0.4);
    context.stroke();
    context.strokeStyle = css(coat.whiteTip ? dark : shade(fur, -0.1));
    context.lineWidth = 0.062;
    context.beginPath();
    context.moveTo(x + (x < 0 ? 0 : 0.01), hip * 0.42);
    context.lineTo(x + 0.02, -0.03);
    context.lineTo(x + 0.055, -0.03);
    context.stroke();
  }
  head(view, coat, hip - 0.4, phase, [fur, pale, dark]);
}

/** Colours of the coat in the light of the scene. */
type Tones = readonly [fur: FigureColours['body'], pale: FigureColours['body'], dark: FigureColours['body']];

/** A bushy tail that swings, with a lighter or darker tip. */
function tail(view: View, coat: Coat, hip: number, swing: number, [fur, pale, dark]: Tones): void {
  const { context } = view;
  const wide = 0.13 * coat.bush;
  const end = { x: -0.86, y: hip + 0.2 + swing * 2 };
  fillWith(view, fur);
  context.beginPath();
  context.moveTo(-0.33, hip - 0.12);
  context.bezierCurveTo(-0.5, hip - 0.14 - wide + swing, -0.74, hip - wide + swing, end.x, end.y);
  context.bezierCurveTo(-0.68, hip + wide * 2 + swing, -0.5, hip + wide * 1.3 + swing, -0.34, hip);
  context.fill();
  fillWith(view, coat.whiteTip ? pale : dark);
  context.beginPath();
  context.moveTo(end.x, end.y);
  context.bezierCurveTo(-0.81, hip + 0.06 + swing, -0.76, hip + 0.02 + swing, -0.7, hip + 0.02 + swing);
  context.lineTo(-0.72, hip + 0.1 + swing);
  context.lineTo(-0.67, hip + wide * 1.55 + swing * 1.2);
  context.bezierCurveTo(-0.74, hip + wide * 1.6 + swing, -0.8, hip + 0.19 + swing, end.x, end.y);
  context.fill();
}

/** Ears that twitch, muzzle, nose and an eye that blinks. */
function head(view: View, coat: Coat, y: number, phase: number, [fur, pale, dark]: Tones): void {
  const { context, seconds } = view;
  // An ear twitches every few seconds.
  const ear = (seconds + phase) % 4.1 < 0.16 ? 0.02 : 0;
  fillWith(view, shade(fur, -0.22));
  // Far ear, near ear and its inside.
  polygon(context, [0.24, y - 0.04, 0.235 - ear, y - 0.25, 0.35, y - 0.1]);
  fillWith(view, fur);
  polygon(context, [0.32, y - 0.07, 0.37 + ear, y - 0.27, 0.455, y - 0.06]);
  fillWith(view, dark);
  polygon(context, [0.357, y - 0.175, 0.37 + ear, y - 0.27, 0.405, y - 0.175]);
  fillWith(view, fur);
  context.beginPath();
  // Head and muzzle.
  context.moveTo(0.22, y + 0.1);
  context.bezierCurveTo(0.2, y - 0.06, 0.3, y - 0.13, 0.42, y - 0.08);
  context.bezierCurveTo(0.5, y - 0.03, 0.58, y + 0.02, 0.665, y + 0.045);
  context.lineTo(0.66, y + 0.085);
  context.bezierCurveTo(0.54, y + 0.13, 0.42, y + 0.17, 0.3, y + 0.16);
  context.closePath();
  context.fill();
  fillWith(view, pale);
  context.beginPath();
  // Pale cheek.
  context.moveTo(0.655, y + 0.085);
  context.bezierCurveTo(0.56, y + 0.055, 0.48, y + 0.05, 0.43, y + 0.045);
  context.bezierCurveTo(0.36, y + 0.05, 0.31, y + 0.1, 0.235, y + 0.17);
  context.bezierCurveTo(0.34, y + 0.19, 0.54, y + 0.14, 0.655, y + 0.085);
  context.fill();
  fillWith(view, dark);
  disc(context, 0.658, y + 0.055, 0.024);
  // Still pictures show an open eye.
  const blink = (seconds + phase) % 4.7 < 0.12 && seconds > 0 ? 0.15 : 1;
  fillWith(view, hex(coat.eye));
  context.beginPath();
  context.ellipse(0.44, y - 0.005, 0.024, 0.018 * blink, 0.3, 0, Math.PI * 2);
  context.fill();
  fillWith(view, hex('#0c0a0a'));
  disc(context, 0.445, y - 0.005, 0.01 * blink);
}
