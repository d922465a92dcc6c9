// The contents of a recording; docs/formats.md is the specification.

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
  /** A scripted obstacle; it has no mass. */
  scripted?: boolean;
  /** The character to which it belongs. */
  character?: string;
}
/** A piece of cloth. */
export interface ClothInfo {
  name: string;
  /** sRGB, 0 to 1. */
  color: Vec3;
  /** The distance that layers keep from each other. */
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
  /** The name of the joint, if it is a rope or a rod. */
  joint?: string;
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
/** A pose in the axes of a body, or in the world; parts that are missing change nothing. */
export interface PoseInfo {
  position?: Vec3;
  /** w, x, y, z. */
  orientation?: [number, number, number, number];
}
/** The shape of a collider; round ones have z as their axis. */
export type ShapeInfo =
  | { kind: 'sphere'; radius: number }
  | { kind: 'box'; half_extents: Vec3 }
  | { kind: 'capsule' | 'cylinder' | 'cone'; radius: number; half_height: number }
  | { kind: 'ellipsoid'; semi_axes: Vec3 }
  | { kind: 'hull' | 'mesh'; mesh: number }
  | { kind: 'plane' };
export interface ColliderInfo {
  /** Without one it is fixed in the world. */
  body?: number;
  shape: number;
  pose?: PoseInfo;
}
/** A coordinate of a joint that is not locked. */
export interface CoordinateInfo {
  axis: 'x' | 'y' | 'z' | 'turn_x' | 'turn_y' | 'turn_z' | 'distance';
  limits?: [number, number];
}
export interface JointInfo {
  name: string;
  kind: 'fixed' | 'ball' | 'hinge' | 'slider' | 'universal' | 'distance' | 'rope' | 'wheel' | 'free';
  bodies: [number | null, number | null];
  frames: [PoseInfo, PoseInfo];
  coordinates?: CoordinateInfo[];
}
/** What collides and what is joined. */
export interface PhysicsInfo {
  shapes?: ShapeInfo[];
  colliders?: ColliderInfo[];
  joints?: JointInfo[];
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
  physics?: PhysicsInfo;
}
/** One recorded frame; layout as in crates/record/src/layout.rs. */
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
/** A target of a motion. */
export interface TargetInfo {
  name: string;
  kind: 'position' | 'direction' | 'strike' | 'height';
  position: Vec3;
  direction?: Vec3;
  time: number;
  of: string;
}
/** An effector of a character: its body and the times of its contacts. */
export interface ChartRow {
  label: string;
  body: string;
  half_extents: [number, number];
  /** The distance of the patch below the origin of the body, along its z axis. */
  below: number;
  /** sRGB, 0 to 1. */
  color: Vec3;
  /** Start and end, in seconds. */
  active: [number, number][];
  /** The contact variable of each phase, if known. */
  contact: number[];
}
/** The contacts of characters over time, and the targets of their motion. */
export interface Chart {
  start: number;
  end: number;
  /** The boundaries of phases, in seconds. */
  phases: number[];
  rows: ChartRow[];
  targets: TargetInfo[];
  /** The bounding box of the whole motion. */
  extent: [Vec3, Vec3];
}
/** A user drags a point of a body towards a target. */
export interface PointerDrag {
  body: number;
  /** In the body's principal axes. */
  point: Vec3;
  /** In world coordinates. */
  target: Vec3;
}

/**
 * Objects are numbered: bodies first, then pieces of cloth. Returns the piece of that number and the index of its first
 * vertex in a frame.
 */
export function pieceOf(header: Header, object: number): { info: ClothInfo; first: number } | null {
  const { bodies, cloths = [] } = header;
  const info = cloths[object - bodies.length];
  if (info === undefined) return null;
  const first = cloths.slice(0, object - bodies.length).reduce((sum, piece) => sum + piece.vertices, 0);
  return { info, first };
}

/** The kinds of things that only some scenes have. */
export type Parts = Record<'cloth' | 'joints' | 'colliders', boolean>;

/** Which of them a scene has. Ropes and rods are always drawn, so they do not count as joints. */
export function partsOf({ cloths = [], physics = {} }: Header): Parts {
  const { joints = [], colliders = [] } = physics;
  return { cloth: cloths.length > 0, joints: joints.some(({ kind }) => kind !== 'rope' && kind !== 'distance'), colliders: colliders.length > 0 };
}

/** The number of vertices of all pieces of cloth. */
export function clothVertices({ cloths = [] }: Header): number {
  return cloths.reduce((sum, piece) => sum + piece.vertices, 0);
}
