/**
 * Draws the icon sets of conditional formatting, named as in ECMA-376, 18.18.42 (`ST_IconSetType`).
 */

const RED = "#d94a3d";
const AMBER = "#e8a33d";
const GREEN = "#3f9b52";
const GRAY = "#8a939c";
const BLACK = "#3c4248";

type Shape = "up" | "upRight" | "right" | "downRight" | "down" | "disc" | "flag" | "check" | "bang" | "cross" | "triangle" | "diamond";

interface Glyph {
  readonly shape: Shape;
  readonly color: string;
}

const arrows = (shapes: readonly Shape[], colors: readonly string[]): Glyph[] =>
  shapes.map((shape, at) => ({ shape, color: colors[at] ?? GRAY }));
const FIVE: readonly Shape[] = ["down", "downRight", "right", "upRight", "up"];
const FOUR: readonly Shape[] = ["down", "downRight", "upRight", "up"];
const THREE: readonly Shape[] = ["down", "right", "up"];

/** Icons of each set, for the lowest values first. */
const SETS: Readonly<Record<string, readonly Glyph[]>> = {
  "3Arrows": arrows(THREE, [RED, AMBER, GREEN]),
  "3ArrowsGray": arrows(THREE, [GRAY, GRAY, GRAY]),
  "4Arrows": arrows(FOUR, [RED, AMBER, AMBER, GREEN]),
  "4ArrowsGray": arrows(FOUR, []),
  "5Arrows": arrows(FIVE, [RED, AMBER, AMBER, AMBER, GREEN]),
  "5ArrowsGray": arrows(FIVE, []),
  "3TrafficLights1": arrows(["disc", "disc", "disc"], [RED, AMBER, GREEN]),
  "3TrafficLights2": arrows(["disc", "disc", "disc"], [RED, AMBER, GREEN]),
  "4TrafficLights": arrows(["disc", "disc", "disc", "disc"], [BLACK, RED, AMBER, GREEN]),
  "4RedToBlack": arrows(["disc", "disc", "disc", "disc"], [BLACK, GRAY, "#e9a0a0", RED]),
  "3Signs": arrows(["diamond", "triangle", "disc"], [RED, AMBER, GREEN]),
  "3Symbols": arrows(["cross", "bang", "check"], [RED, AMBER, GREEN]),
  "3Symbols2": arrows(["cross", "bang", "check"], [RED, AMBER, GREEN]),
  "3Flags": arrows(["flag", "flag", "flag"], [RED, AMBER, GREEN]),
};

/** Sets whose icons differ in the filled share of one shape. */
const FILL_LEVEL_SETS = ["5Quarters", "4Rating", "5Rating", "5Boxes", "3Stars"];

/** Draws icon `index` of `set`, 0 for the lowest values, in a square of `size` pixels. */
export function paintIcon(context: CanvasRenderingContext2D, set: string, index: number, x: number, y: number, size: number): void {
  context.save();
  context.translate(x, y);
  context.scale(size, size);
  if (FILL_LEVEL_SETS.includes(set)) {
    const count = Number.parseInt(set, 10);
    paintFillLevel(context, set, index / Math.max(1, count - 1));
  } else {
    const glyphs = SETS[set] ?? SETS["3TrafficLights1"];
    const glyph = glyphs?.[Math.min(index, glyphs.length - 1)];
    if (glyph) {
      paintGlyph(context, glyph);
    }
  }
  context.restore();
}

const TURNS: Partial<Record<Shape, number>> = {
  up: 0,
  upRight: Math.PI / 4,
  right: Math.PI / 2,
  downRight: (3 * Math.PI) / 4,
  down: Math.PI,
};

function paintGlyph(context: CanvasRenderingContext2D, { shape, color }: Glyph): void {
  context.fillStyle = color;
  context.strokeStyle = color;
  context.lineWidth = 0.16;
  context.lineCap = "round";
  const turn = TURNS[shape];
  context.beginPath();
  if (turn !== undefined) {
    context.translate(0.5, 0.5);
    context.rotate(turn);
    polygon(context, [0, -0.5, 0.42, -0.04, 0.15, -0.04, 0.15, 0.48, -0.15, 0.48, -0.15, -0.04, -0.42, -0.04]);
    context.fill();
    return;
  }
  switch (shape) {
    case "triangle":
      polygon(context, [0.5, 0.05, 0.98, 0.92, 0.02, 0.92]);
      context.fill();
      return;
    case "diamond":
      polygon(context, [0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5]);
      context.fill();
      return;
    case "flag":
      context.fillRect(0.15, 0.05, 0.1, 0.92);
      polygon(context, [0.25, 0.08, 0.92, 0.3, 0.25, 0.56]);
      context.fill();
      return;
    case "check":
      context.moveTo(0.14, 0.55);
      context.lineTo(0.4, 0.8);
      context.lineTo(0.88, 0.22);
      context.stroke();
      return;
    case "cross":
      context.moveTo(0.18, 0.18);
      context.lineTo(0.82, 0.82);
      context.moveTo(0.82, 0.18);
      context.lineTo(0.18, 0.82);
      context.stroke();
      return;
    case "bang":
      context.moveTo(0.5, 0.14);
      context.lineTo(0.5, 0.58);
      context.stroke();
      context.beginPath();
      context.arc(0.5, 0.85, 0.11, 0, 2 * Math.PI);
      context.fill();
      return;
    default:
      context.arc(0.5, 0.5, 0.46, 0, 2 * Math.PI);
      context.fill();
  }
}

function paintFillLevel(context: CanvasRenderingContext2D, set: string, share: number): void {
  context.fillStyle = set === "3Stars" ? AMBER : BLACK;
  context.strokeStyle = context.fillStyle;
  context.lineWidth = 0.08;
  if (set === "5Quarters") {
    context.beginPath();
    context.arc(0.5, 0.5, 0.44, 0, 2 * Math.PI);
    context.stroke();
    context.beginPath();
    context.moveTo(0.5, 0.5);
    context.arc(0.5, 0.5, 0.44, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    context.fill();
    return;
  }
  if (set === "3Stars") {
    context.beginPath();
    for (let point = 0; point < 10; point += 1) {
      const angle = -Math.PI / 2 + (point * Math.PI) / 5;
      const radius = point % 2 === 0 ? 0.48 : 0.2;
      context.lineTo(0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle));
    }
    context.closePath();
    context.stroke();
    context.clip();
    context.fillRect(0, 0, share, 1);
    return;
  }
  const bars = 4;
  for (let bar = 0; bar < bars; bar += 1) {
    context.globalAlpha = bar < Math.round(share * bars) ? 1 : 0.25;
    const height = set === "5Boxes" ? 0.42 : 0.28 + bar * 0.2;
    if (set === "5Boxes") {
      context.fillRect(bar % 2 === 0 ? 0.04 : 0.54, bar < 2 ? 0.54 : 0.04, 0.42, height);
    } else {
      context.fillRect(0.06 + bar * 0.24, 0.94 - height, 0.18, height);
    }
  }
}

function polygon(context: CanvasRenderingContext2D, points: readonly number[]): void {
  context.beginPath();
  for (let at = 0; at + 1 < points.length; at += 2) {
    context.lineTo(points[at] ?? 0, points[at + 1] ?? 0);
  }
  context.closePath();
}
