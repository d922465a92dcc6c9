// What a recording holds, as the page sees it; docs/formats.md is the specification.

export type Vec3 = [number, number, number];
/** In the body's principal axes. */
export interface MeshData {
  vertices: Vec3[];
  triangles: [number, number, number][];
}
export interface BodyInfo {
  name: string;
  mass: number;
  moments: Vec3;
  /** sRGB, 0 to 1. */
  color: Vec3;
  mesh: number | null;
  spheres: [Vec3, number][];
  /** An obstacle that the scene moves or holds; it has no mass. */
  scripted?: boolean;
  /** The character that it is a part of. */
  character?: string;
}
/** A piece of cloth. */
export interface ClothInfo {
  name: string;
  /** sRGB, 0 to 1. */
  color: Vec3;
  /** How far its sheets keep from each other. */
  thickness: number;
  vertices: number;
  triangles: [number, number, number][];
}
export interface PlaneInfo {
  point: Vec3;
  normal: Vec3;
}
export type EndInfo = { pin: Vec3 } | { body: [number, Vec3] };
export interface SpringInfo {
  a: EndInfo;
  b: EndInfo;
  length: number;
}
export interface WaveInfo {
  amplitude: number;
  wave_vector: [number, number];
  angular_frequency: number;
  phase: number;
}
export interface WaterInfo {
  level: number;
  extent: [[number, number], [number, number]] | null;
  waves: WaveInfo[];
}
export interface Header {
  format: string;
  program: string;
  scene: string;
  seed: number;
  up: 'y' | 'z';
  gravity?: Vec3;
  step_seconds: number;
  steps_per_frame: number;
  meshes: MeshData[];
  bodies: BodyInfo[];
  planes: PlaneInfo[];
  springs: SpringInfo[];
  waters: WaterInfo[];
  cloths?: ClothInfo[];
}
/** One recorded moment; layout as in crates/record/src/layout.rs. */
export interface Frame {
  time: number;
  step: number;
  kinetic: number;
  potential: number;
  momentum: Vec3;
  angularMomentum: Vec3;
  penetration: number;
  /** 13 per body: position xyz, orientation w x y z, velocity xyz, omega_body xyz. */
  bodies: Float64Array;
  /** 7 per contact: point xyz, impulse on the first body xyz, penetration. */
  contacts: Float64Array;
  /** 3 per vertex of all pieces of cloth, one piece after the other. */
  cloth: Float64Array | Float32Array;
  /** Per body: 0 free, 1 locked, 2 merged, 3 quarantined, 4 scripted. */
  status: Uint8Array;
}
/** Something that a motion was asked for. */
export interface TargetInfo {
  name: string;
  kind: 'position' | 'direction' | 'strike' | 'height';
  position: Vec3;
  direction?: Vec3;
  time: number;
  of: string;
}
/** An effector of a character: when it touches, and which body shows it. */
export interface ChartRow {
  label: string;
  body: string;
  half_extents: [number, number];
  /** How far below the body's origin the patch lies, along the body's z. */
  below: number;
  /** sRGB, 0 to 1. */
  color: Vec3;
  /** From and to, in seconds. */
  active: [number, number][];
  /** The contact variable of each phase, if known. */
  contact: number[];
}
/** The contacts of characters over time, and what else is shown of their motion. */
export interface Chart {
  start: number;
  end: number;
  /** The boundaries of phases, in seconds. */
  phases: number[];
  rows: ChartRow[];
  targets: TargetInfo[];
  /** The box that the whole motion stays in. */
  extent: [Vec3, Vec3];
}
/** A hand that pulls a body. */
export interface Pull {
  body: number;
  /** In the body's principal axes. */
  point: Vec3;
  /** In the world. */
  target: Vec3;
}

/**
 * What can be selected is counted through: bodies first, then pieces of cloth.
 * Gives the piece of that number, and the place of its vertices in a frame.
 */
export function pieceOf(header: Header, thing: number): { info: ClothInfo; first: number } | null {
  const { bodies, cloths = [] } = header;
  const info = cloths[thing - bodies.length];
  if (info === undefined) return null;
  const first = cloths.slice(0, thing - bodies.length).reduce((sum, piece) => sum + piece.vertices, 0);
  return { info, first };
}

/** How many vertices all pieces of cloth have together. */
export function clothVertices({ cloths = [] }: Header): number {
  return cloths.reduce((sum, piece) => sum + piece.vertices, 0);
}
