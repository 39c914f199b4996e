/** Figures of things, drawn in units of their height: buildings, vehicles, a balloon and a fire. */
import { css, hex, mix, shade } from './colour.ts';
import { type Figure, fillWith } from './figure.ts';
import { disc, glow, polygon } from './view.ts';

/** A house with a gabled roof; its windows glow at night. */
export const house: Figure = (view, colours) => {
  const { context } = view;
  fillWith(view, mix(colours.body, colours.second, 0.22));
  // Walls and roof.
  context.fillRect(-0.55, -0.55, 1.1, 0.56);
  fillWith(view, mix(colours.body, colours.accent, 0.5));
  polygon(context, [-0.66, -0.52, 0, -1, 0.66, -0.52]);
  fillWith(view, colours.body);
  // Chimney and door.
  context.fillRect(0.26, -0.98, 0.12, 0.28);
  context.fillRect(-0.1, -0.32, 0.2, 0.33);
  fillWith(view, mix(colours.light, colours.accent, 0.25));
  context.globalAlpha = colours.night ? 0.95 : 0.6;
  // Windows.
  context.fillRect(-0.43, -0.4, 0.19, 0.18);
  context.fillRect(0.24, -0.4, 0.19, 0.18);
  context.globalAlpha = 1;
  if (!colours.night) return;
  context.globalCompositeOperation = 'lighter';
  glow(context, -0.33, -0.3, 0.5, colours.accent, 0.35);
  glow(context, 0.33, -0.3, 0.5, colours.accent, 0.35);
};

/** A sailing boat that rocks on the waves. */
export const boat: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  context.rotate(Math.sin(seconds * 0.9 + phase) * 0.035);
  context.translate(0, Math.sin(seconds * 1.1 + phase) * 0.012);
  fillWith(view, mix(colours.light, colours.accent, 0.12));
  context.beginPath();
  // Main sail.
  context.moveTo(0.02, -1);
  context.quadraticCurveTo(0.4, -0.56, 0.42, -0.2);
  context.lineTo(0.02, -0.17);
  context.fill();
  fillWith(view, mix(colours.light, colours.second, 0.45));
  context.beginPath();
  // Jib.
  context.moveTo(-0.03, -0.92);
  context.quadraticCurveTo(-0.12, -0.5, -0.34, -0.2);
  context.lineTo(-0.03, -0.18);
  context.fill();
  fillWith(view, colours.body);
  // Mast and hull with a stripe.
  context.fillRect(-0.015, -1.02, 0.025, 0.95);
  context.beginPath();
  context.moveTo(-0.5, -0.13);
  context.lineTo(0.54, -0.15);
  context.quadraticCurveTo(0.42, 0.02, 0.26, 0.03);
  context.lineTo(-0.3, 0.03);
  context.quadraticCurveTo(-0.44, 0.02, -0.5, -0.13);
  context.fill();
  fillWith(view, mix(colours.body, colours.accent, 0.75));
  polygon(context, [-0.49, -0.11, 0.53, -0.13, 0.5, -0.095, -0.475, -0.075]);
};

/** A striped tower on a rock with a turning beam. */
export const lighthouse: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  fillWith(view, colours.body);
  context.beginPath();
  // Rock.
  context.ellipse(0, 0.03, 0.42, 0.09, 0, Math.PI, Math.PI * 2);
  context.fill();
  fillWith(view, mix(colours.body, hex('#ffffff'), colours.night ? 0.35 : 0.75));
  // Tower with red stripes.
  polygon(context, [-0.11, 0, -0.07, -0.8, 0.07, -0.8, 0.11, 0]);
  fillWith(view, mix(colours.body, hex('#d2453a'), 0.75));
  polygon(context, [-0.102, -0.16, -0.092, -0.36, 0.092, -0.36, 0.102, -0.16]);
  polygon(context, [-0.083, -0.53, -0.075, -0.7, 0.075, -0.7, 0.083, -0.53]);
  fillWith(view, colours.body);
  // Gallery, roof and lamp.
  context.fillRect(-0.1, -0.83, 0.2, 0.035);
  polygon(context, [-0.075, -0.92, 0, -1, 0.075, -0.92]);
  fillWith(view, colours.light);
  context.fillRect(-0.05, -0.92, 0.1, 0.09);
  // The beam turns: seen from the front it is short.
  const turn = Math.cos(seconds * 0.9 + phase);
  context.globalCompositeOperation = 'lighter';
  glow(context, 0, -0.875, 0.35, colours.light, 0.6);
  const beam = context.createLinearGradient(0, 0, Math.sign(turn) * 2.2 * Math.abs(turn), 0);
  beam.addColorStop(0, css(colours.light, colours.night ? 0.5 : 0.2));
  beam.addColorStop(1, css(colours.light, 0));
  context.fillStyle = beam;
  polygon(context, [0, -0.89, 2.2 * turn, -1.12, 2.2 * turn, -0.72, 0, -0.86]);
};

/** A castle wall with four towers and a gate. */
export const castle: Figure = (view, colours) => {
  const { context } = view;
  const wall = mix(colours.body, colours.second, 0.12);
  fillWith(view, wall);
  context.fillRect(-0.55, -0.42, 1.1, 0.5);
  // Battlements.
  for (let x = -0.55; x < 0.54; x += 0.11) context.fillRect(x, -0.47, 0.06, 0.06);
  // Towers with roofs and lit windows.
  for (const [x, tall, wide] of [
    [-0.5, 0.68, 0.2],
    [0.48, 0.62, 0.19],
    [-0.14, 0.82, 0.17],
    [0.16, 0.74, 0.16],
  ] as const) {
    fillWith(view, wall);
    context.fillRect(x - wide / 2, -tall, wide, tall + 0.08);
    fillWith(view, mix(colours.body, colours.accent, 0.55));
    polygon(context, [x - wide * 0.68, -tall, x, -tall - wide * 1.5, x + wide * 0.68, -tall]);
    fillWith(view, colours.light);
    context.fillRect(x - 0.018, -tall + 0.1, 0.036, 0.075);
  }
  // Gate.
  fillWith(view, shade(wall, -0.4));
  context.beginPath();
  context.arc(0, -0.12, 0.09, Math.PI, 0);
  context.fillRect(-0.09, -0.13, 0.18, 0.21);
  context.fill();
};

/** A car that faces right and idles; its headlight shines at night. */
export const car: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  context.translate(0, Math.sin(seconds * 9 + phase) * 0.006);
  fillWith(view, colours.accent);
  context.beginPath();
  // Body.
  context.moveTo(-1.05, -0.18);
  context.quadraticCurveTo(-1.06, -0.5, -0.8, -0.52);
  context.quadraticCurveTo(-0.45, -0.92, 0, -0.93);
  context.quadraticCurveTo(0.35, -0.92, 0.56, -0.56);
  context.quadraticCurveTo(1.05, -0.5, 1.1, -0.3);
  context.lineTo(1.08, -0.16);
  context.closePath();
  context.fill();
  fillWith(view, mix(colours.body, colours.light, 0.3));
  // Windows.
  polygon(context, [-0.58, -0.55, -0.34, -0.8, -0.05, -0.84, -0.05, -0.55]);
  polygon(context, [0.02, -0.84, 0.25, -0.8, 0.44, -0.55, 0.02, -0.55]);
  fillWith(view, shade(colours.body, -0.5));
  // Wheels and hubs.
  for (const x of [-0.62, 0.66]) disc(context, x, -0.16, 0.19);
  fillWith(view, mix(colours.body, colours.light, 0.6));
  for (const x of [-0.62, 0.66]) disc(context, x, -0.16, 0.085);
  fillWith(view, colours.light);
  // Headlight.
  disc(context, 1.03, -0.36, 0.045);
  context.globalCompositeOperation = 'lighter';
  if (colours.night) glow(context, 1.1, -0.34, 0.7, colours.light, 0.5);
};

/** A rising rocket with a flickering flame. */
export const rocket: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  context.translate(Math.sin(seconds * 0.7 + phase) * 0.02, -seconds * 0.02);
  context.rotate(0.35);
  context.globalCompositeOperation = 'lighter';
  // Flame and its glow.
  const flare = 0.36 + 0.05 * Math.sin(seconds * 17);
  glow(context, 0, 0.05, flare * 1.3, colours.accent, 0.8);
  const flame = context.createLinearGradient(0, -0.05, 0, flare);
  flame.addColorStop(0, css(colours.light, 0.95));
  flame.addColorStop(1, css(colours.accent, 0));
  context.fillStyle = flame;
  polygon(context, [-0.07, -0.06, 0, flare, 0.07, -0.06]);
  context.globalCompositeOperation = 'source-over';
  fillWith(view, mix(hex('#e9eef5'), colours.body, 0.15));
  context.beginPath();
  // Hull, fins and window.
  context.moveTo(0, -1);
  context.bezierCurveTo(0.2, -0.72, 0.16, -0.3, 0.1, -0.05);
  context.lineTo(-0.1, -0.05);
  context.bezierCurveTo(-0.16, -0.3, -0.2, -0.72, 0, -1);
  context.fill();
  fillWith(view, colours.accent);
  polygon(context, [-0.12, -0.32, -0.26, 0, -0.09, -0.07]);
  polygon(context, [0.12, -0.32, 0.26, 0, 0.09, -0.07]);
  fillWith(view, mix(colours.body, colours.second, 0.7));
  disc(context, 0, -0.6, 0.065);
};

/** A hot-air balloon that drifts upwards. */
export const balloon: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  context.translate(
    Math.sin(seconds * 0.4 + phase) * 0.05,
    Math.sin(seconds * 0.6 + phase) * 0.04 - seconds * 0.008,
  );
  // Five panels from left to right, the right ones in shadow.
  const panels = [
    colours.accent,
    mix(colours.light, hex('#ffffff'), 0.3),
    colours.accent,
    colours.second,
    colours.accent,
  ];
  panels.forEach((panel, index) => {
    fillWith(view, shade(panel, index > 2 ? -0.12 : 0));
    const from = -1 + index * 0.4;
    context.beginPath();
    context.moveTo(0, -1);
    context.bezierCurveTo(from * 0.56, -1, from * 0.56, -0.55, from * 0.1, -0.26);
    context.lineTo((from + 0.4) * 0.1, -0.26);
    context.bezierCurveTo((from + 0.4) * 0.56, -0.55, (from + 0.4) * 0.56, -1, 0, -1);
    context.fill();
  });
  fillWith(view, colours.body);
  // Basket and ropes.
  context.fillRect(-0.055, -0.13, 0.11, 0.1);
  context.fillRect(-0.052, -0.27, 0.009, 0.15);
  context.fillRect(0.043, -0.27, 0.009, 0.15);
};

/** A camp fire of three flames over two logs. */
export const fire: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  context.globalCompositeOperation = 'lighter';
  // Light on the surroundings.
  glow(context, 0, -0.3, 1.9 + 0.06 * Math.sin(seconds * 7), hex('#ff8a3c'), 0.5);
  context.globalCompositeOperation = 'source-over';
  for (const [wide, tall, colour] of [
    [0.3, 0.95, '#ff6a2a'],
    [0.21, 0.68, '#ffab3d'],
    [0.11, 0.4, '#fff0b0'],
  ] as const) {
    // Flames move out of step.
    const lick = Math.sin(seconds * 6.3 + phase + tall * 9) * 0.06;
    context.fillStyle = css(hex(colour), 0.92);
    context.beginPath();
    context.moveTo(-wide, -0.08);
    context.bezierCurveTo(
      -wide * 1.2,
      -tall * 0.5,
      -wide * 0.2 + lick,
      -tall * 0.6,
      lick * 1.6,
      -tall * (1 + lick),
    );
    context.bezierCurveTo(wide * 0.3 + lick, -tall * 0.6, wide * 1.25, -tall * 0.45, wide, -0.08);
    context.quadraticCurveTo(0, 0.06, -wide, -0.08);
    context.fill();
  }
  fillWith(view, shade(colours.body, -0.2));
  // Logs.
  context.save();
  context.rotate(0.16);
  context.fillRect(-0.42, -0.08, 0.84, 0.09);
  context.rotate(-0.32);
  context.fillRect(-0.42, -0.07, 0.84, 0.09);
  context.restore();
};
