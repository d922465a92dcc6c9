// The camera: orbit, pan and zoom, views that frame everything, and following a body.
import { PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Vec3 } from '../model';
import { Box } from './box';

export type ViewName = 'home' | 'front' | 'side' | 'top';

const FIELD_OF_VIEW = 36;
/** Azimuth from the front towards the right, and elevation, in degrees. */
const VIEWS: Record<ViewName, [number, number]> = { home: [32, 24], front: [0, 3], side: [90, 3], top: [0, 89.9] };
const MOVE_SECONDS = 0.3;
/** The share of the picture that the scene fills. */
const FRAME_FILL = 0.9;

interface Move {
  from: { target: Vector3; offset: Vector3 };
  to: { target: Vector3; offset: Vector3 };
  done: number;
}

export class Rig {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 1000);
  private controls: OrbitControls;
  private up: 'y' | 'z' = 'z';
  private size = 1;
  private move: Move | null = null;
  private isEnabled = true;
  private readonly stillness = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.camera.up.set(0, 0, 1);
    this.controls = this.makeControls();
  }

  /** Controls have a fixed up direction, so a different one needs new controls. */
  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = true;
    controls.dampingFactor = 0.12;
    controls.zoomToCursor = true;
    controls.zoomSpeed = 1.1;
    controls.enabled = this.isEnabled;
    controls.addEventListener('start', () => (this.move = null));
    return controls;
  }

  /** Starts a new scene with its up direction and its size, which limits the zoom. */
  begin(up: 'y' | 'z', size: number): void {
    this.size = size;
    if (up !== this.up) {
      this.up = up;
      this.controls.dispose();
      const target = this.controls.target.clone();
      this.camera.up.set(0, up === 'y' ? 1 : 0, up === 'z' ? 1 : 0);
      this.controls = this.makeControls();
      this.controls.target.copy(target);
    }
    this.controls.minDistance = 0.01 * size;
    this.controls.maxDistance = 60 * size;
    this.move = null;
  }

  setEnabled(enabled: boolean): void {
    this.isEnabled = this.controls.enabled = enabled;
  }

  get reducedMotion(): boolean {
    return this.stillness.matches;
  }

  get target(): Vector3 {
    return this.controls.target;
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  resize(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  /** Looks from a named side so that the box fills the picture. */
  view(name: ViewName, box: Box, animated: boolean): void {
    const [azimuth, elevation] = VIEWS[name].map((degrees) => (degrees * Math.PI) / 180);
    const right = Math.sin(azimuth) * Math.cos(elevation), front = Math.cos(azimuth) * Math.cos(elevation), high = Math.sin(elevation);
    const towards = this.up === 'z' ? new Vector3(right, -front, high) : new Vector3(right, high, front);
    const { target, distance } = this.framing(box, towards);
    this.go(target, towards.multiplyScalar(distance), animated);
  }

  /** Frames a ball without rotating. */
  focus(at: Vec3, radius: number): void {
    const wanted = radius > 0 ? (2.8 * radius) / Math.tan((FIELD_OF_VIEW * Math.PI) / 360) : this.distance;
    const offset = this.camera.position.clone().sub(this.target).setLength(Math.max(wanted, this.controls.minDistance));
    this.go(new Vector3(...at), offset, true);
  }

  /** Moves camera and target together. */
  shift(x: number, y: number, z: number): void {
    const by = new Vector3(x, y, z);
    this.camera.position.add(by);
    this.target.add(by);
    this.move?.from.target.add(by);
    this.move?.to.target.add(by);
  }

  /** The target and the distance at which a box fills the picture, seen from a direction. */
  private framing(box: Box, towards: Vector3): { target: Vector3; distance: number } {
    const target = new Vector3(...box.centre());
    const right = new Vector3().crossVectors(this.camera.up, towards);
    right.normalize();
    const above = new Vector3().crossVectors(towards, right);
    const tall = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * FRAME_FILL, wide = tall * this.camera.aspect;
    const corners = box.corners().map((c) => new Vector3(...c));
    const p = new Vector3();
    let distance = 0;
    // With perspective the centre of the picture is not the centre of the box; it is found by iteration.
    for (let round = 0; round < 4; round++) {
      distance = 0;
      for (const corner of corners) {
        p.copy(corner).sub(target);
        const depth = p.dot(towards);
        distance = Math.max(distance, depth + Math.abs(p.dot(right)) / wide, depth + Math.abs(p.dot(above)) / tall);
      }
      let left = Infinity, most = -Infinity, low = Infinity, high = -Infinity;
      for (const corner of corners) {
        p.copy(corner).sub(target);
        const depth = distance - p.dot(towards);
        const x = p.dot(right) / depth, y = p.dot(above) / depth;
        left = Math.min(left, x);
        most = Math.max(most, x);
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
      target.addScaledVector(right, (0.5 * (left + most)) * distance).addScaledVector(above, 0.5 * (low + high) * distance);
    }
    return { target, distance: Math.max(distance, 1e-6) };
  }

  private go(target: Vector3, offset: Vector3, animated: boolean): void {
    const { camera, controls } = this;
    if (!animated || this.reducedMotion) {
      this.move = null;
      controls.target.copy(target);
      camera.position.copy(target).add(offset);
      controls.update();
      return;
    }
    this.move = {
      from: { target: controls.target.clone(), offset: camera.position.clone().sub(controls.target) },
      to: { target, offset },
      done: 0,
    };
  }

  /** Advances the animation and the damping; returns whether the camera moved. */
  update(dt: number): boolean {
    const { move, camera, controls } = this;
    let moved = false;
    if (move) {
      moved = true;
      move.done = Math.min(1, move.done + dt / MOVE_SECONDS);
      const s = move.done * move.done * (3 - 2 * move.done);
      controls.target.lerpVectors(move.from.target, move.to.target, s);
      const { from, to } = move;
      const length = Math.exp((1 - s) * Math.log(from.offset.length()) + s * Math.log(to.offset.length()));
      const offset = slerp(from.offset, to.offset, s).setLength(length);
      camera.position.copy(controls.target).add(offset);
      if (move.done === 1) this.move = null;
    }
    if (controls.update(dt)) moved = true;
    const distance = this.distance;
    const near = Math.max(0.012 * distance, 1e-5 * this.size), far = 14 * Math.max(distance, this.size);
    if (camera.near !== near || camera.far !== far) {
      camera.near = near;
      camera.far = far;
      camera.updateProjectionMatrix();
      moved = true;
    }
    return moved;
  }

  dispose(): void {
    this.controls.dispose();
  }
}

/** Spherical interpolation of two directions. */
function slerp(a: Vector3, b: Vector3, s: number): Vector3 {
  const from = a.clone().normalize(), to = b.clone().normalize();
  const angle = from.angleTo(to);
  if (angle < 1e-4 || angle > Math.PI - 1e-3) return from.lerp(to, s);
  const sin = Math.sin(angle);
  return from.multiplyScalar(Math.sin((1 - s) * angle) / sin).addScaledVector(to, Math.sin(s * angle) / sin);
}
