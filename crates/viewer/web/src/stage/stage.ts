// The 3D picture: the scene of a recording, updated from frame to frame.
import { NeutralToneMapping, PCFShadowMap, Scene, SRGBColorSpace, Vector2, Vector3, WebGLRenderer } from 'three';
import type { Chart, Frame, Header, PointerDrag, Vec3 } from '../model';
import type { RunEvent } from '../source/source';
import { Rig, type ViewName } from './camera';
import { Light } from './light';
import { DragSprings } from './drag-springs';
import { contextOf, type Quality } from './quality';
import type { Hit } from './picking';
import type { ArrowScales } from './overlays';
import { Scenery, type Marks } from './scenery';
import { LOOKS, type Theme } from './theme';

export type { ViewName };
export type Toggle = 'contacts' | 'forces' | 'velocities' | 'frames' | 'joints' | 'colliders' | 'wireframe' | 'cloth';

const MAX_PIXEL_RATIO = 2;
/** A click selects a body within this distance, in CSS pixels. */
const CLICK_MARGIN_PX = 7;

export class Stage {
  readonly quality: Quality;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly rig: Rig;
  private readonly light: Light;
  private readonly dragSprings = new DragSprings();
  private readonly viewport = { value: new Vector2(1, 1) };
  private readonly toggles: Record<Toggle, boolean> = {
    contacts: false, forces: false, velocities: false, frames: false, joints: false, colliders: false, wireframe: false, cloth: false,
  };
  private theme: Theme = 'light';
  private scenery: Scenery | null = null;
  private sceneName: string | null = null;
  private needsHome = false;
  private selected: number | null = null;
  private followed: { object: number; at: Vec3 | null } | null = null;
  private shown: { a: Frame; b: Frame | null; s: number } | null = null;
  /** When joints broke. */
  private readonly breaks = new Map<string, number>();
  private dirty = true;
  private clock = 0;

  /** Throws an error if the browser has no WebGL 2. Without `quality` it is chosen by the graphics hardware. */
  constructor(private readonly canvas: HTMLCanvasElement, quality?: Quality) {
    const drawing = contextOf(canvas, quality);
    this.quality = drawing.quality;
    this.renderer = new WebGLRenderer({ canvas, context: drawing.context, antialias: this.quality === 'full' });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.light = new Light(this.renderer, this.scene, this.quality);
    this.rig = new Rig(canvas);
    this.scene.add(this.dragSprings.group);
    canvas.addEventListener('webglcontextrestored', this.onRestored);
    this.setTheme('light');
    this.resize();
  }

  private readonly onRestored = (): void => {
    this.light.renew(this.renderer);
    this.dirty = true;
  };

  load(header: Header, chart: Chart | null, first: Frame | null): void {
    const again = this.scenery !== null && this.sceneName === header.scene;
    this.dropScenery();
    const scenery = new Scenery(header, chart, first, this.viewport, this.quality);
    this.scenery = scenery;
    this.sceneName = header.scene;
    this.scene.add(scenery.group);
    this.light.setUp(header.up);
    this.rig.begin(header.up, scenery.size);
    for (const toggle of Object.keys(this.toggles) as Toggle[]) scenery.setToggle(toggle, this.toggles[toggle]);
    this.dragSprings.set([]);
    this.selected = null;
    this.followed = null;
    this.shown = null;
    this.setTheme(this.theme);
    if (!again) this.rig.view('home', scenery.box, false);
    this.needsHome = !again && first === null;
    if (first) this.show(first, null, 0);
    this.dirty = true;
  }

  /** Takes note of the joints that broke or were removed. */
  events(events: readonly RunEvent[]): void {
    for (const { kind, time, detail } of events) {
      const removed = (Object(detail) as { remove_joint?: { joint: string } }).remove_joint;
      const ended = kind === 'break' ? (detail as { joint: string }) : removed;
      if (ended) this.breaks.set(ended.joint, time);
    }
  }

  /** Forgets the joints that broke. */
  clearEvents(): void {
    this.breaks.clear();
  }

  show(a: Frame, b: Frame | null, s: number): void {
    const { scenery, shown } = this;
    if (!scenery || (shown && shown.a === a && shown.b === b && shown.s === s)) return;
    if (this.needsHome) {
      // The positions of the bodies were unknown when the scene was loaded.
      const { selected, followed } = this;
      this.sceneName = null;
      this.load(scenery.header, scenery.chart, a);
      this.select(selected);
      this.follow(followed ? followed.object : null);
      return this.show(a, b, s);
    }
    scenery.show(a, b, Math.min(Math.max(s, 0), 1), this.breaks);
    this.light.fit(scenery.shadowCasters(), scenery.heightAboveGround());
    this.moveWithFollowed();
    this.shown = { a, b, s };
    this.dirty = true;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const look = LOOKS[theme];
    this.light.setLook(look);
    this.dragSprings.setLook(look);
    this.scenery?.setLook(look, this.renderer.getPixelRatio());
    this.dirty = true;
  }

  setToggle(toggle: Toggle, on: boolean): void {
    if (this.toggles[toggle] === on) return;
    this.toggles[toggle] = on;
    this.scenery?.setToggle(toggle, on);
    this.dirty = true;
  }

  /** The drawn contacts, for tests. */
  marks(): Marks {
    return this.scenery?.marks ?? { patches: [], arrows: 0, joints: [], colliders: 0 };
  }

  /** The arrows that are drawn, in CSS pixels per unit at the target of the camera. */
  arrowScales(): ArrowScales {
    const { camera, distance } = this.rig;
    const pixelsPerMetre = this.canvas.clientHeight / (2 * Math.tan((camera.fov * Math.PI) / 360) * Math.max(distance, 1e-9));
    return (this.scenery?.scales ?? []).map((scale) => ({ ...scale, length: scale.length * pixelsPerMetre }));
  }

  /** Objects are numbered: bodies first, then pieces of cloth. */
  select(object: number | null): void {
    this.selected = object;
    this.scenery?.select(object);
    this.dirty = true;
  }

  pick(x: number, y: number): Hit | null {
    if (!this.scenery) return null;
    const { from, direction } = this.ray(x, y);
    const angle = (CLICK_MARGIN_PX * this.rig.camera.fov * Math.PI) / 180 / Math.max(this.canvas.clientHeight, 1);
    return this.scenery.pick(from, direction, angle);
  }

  dragTarget(x: number, y: number, grabbed: Vec3): Vec3 {
    const { from, direction } = this.ray(x, y);
    const ahead = this.rig.camera.getWorldDirection(new Vector3());
    const depth = (grabbed[0] - from[0]) * ahead.x + (grabbed[1] - from[1]) * ahead.y + (grabbed[2] - from[2]) * ahead.z;
    const s = depth / (direction[0] * ahead.x + direction[1] * ahead.y + direction[2] * ahead.z);
    return [from[0] + s * direction[0], from[1] + s * direction[1], from[2] + s * direction[2]];
  }

  setDrags(drags: PointerDrag[]): void {
    if (drags.length === 0 && this.dragSprings.isEmpty()) return;
    this.dragSprings.set(drags);
    this.dirty = true;
  }

  view(name: ViewName): void {
    if (!this.scenery) return;
    this.rig.view(name, this.scenery.boxNow(), true);
    this.dirty = true;
  }

  focus(object: number): void {
    const ball = this.scenery?.ballAround(object);
    if (!ball) return;
    this.rig.focus(ball.centre, ball.radius);
    this.dirty = true;
  }

  follow(object: number | null): void {
    this.followed = object === null ? null : { object, at: null };
    this.moveWithFollowed();
  }

  /** Moves the camera with the followed object. */
  private moveWithFollowed(): void {
    const { followed, scenery } = this;
    const now = followed && scenery?.ballAround(followed.object)?.centre;
    if (!followed || !now) return;
    if (followed.at) this.rig.shift(now[0] - followed.at[0], now[1] - followed.at[1], now[2] - followed.at[2]);
    followed.at = now;
  }

  project(p: Vec3): { x: number; y: number; visible: boolean } {
    const { camera } = this.rig;
    camera.updateMatrixWorld();
    const v = new Vector3(...p).applyMatrix4(camera.matrixWorldInverse);
    const ahead = v.z < 0;
    v.applyMatrix4(camera.projectionMatrix);
    const x = ((v.x + 1) / 2) * this.canvas.clientWidth, y = ((1 - v.y) / 2) * this.canvas.clientHeight;
    return { x, y, visible: ahead && Math.abs(v.x) <= 1 && Math.abs(v.y) <= 1 };
  }

  camera(): { position: Vec3; target: Vec3 } {
    const { position } = this.rig.camera, { target } = this.rig;
    return { position: [position.x, position.y, position.z], target: [target.x, target.y, target.z] };
  }

  controls(enabled: boolean): void {
    this.rig.setEnabled(enabled);
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const width = Math.max(clientWidth, 1), height = Math.max(clientHeight, 1);
    const ratio = Math.min(window.devicePixelRatio || 1, this.quality === 'full' ? MAX_PIXEL_RATIO : 1);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.viewport.value.set(width, height);
    this.rig.resize(width / height);
    this.setTheme(this.theme);
  }

  render(dt: number): void {
    const moved = this.rig.update(Math.min(Math.max(dt, 0), 0.1));
    const pulsing = this.scenery?.hasQuarantined() === true && !this.rig.reducedMotion;
    if (!moved && !this.dirty && !pulsing) return;
    this.dirty = false;
    this.clock += dt;
    const { scenery, rig } = this;
    if (scenery) {
      scenery.pulse(pulsing ? 0.5 + 0.5 * Math.sin(6 * this.clock) : 0.7);
      scenery.follow(rig.target, rig.distance);
      this.dragSprings.update(scenery.poses, 0.02 * rig.distance);
    }
    this.renderer.render(this.scene, rig.camera);
  }

  dispose(): void {
    this.canvas.removeEventListener('webglcontextrestored', this.onRestored);
    this.dropScenery();
    this.dragSprings.dispose();
    this.light.dispose();
    this.rig.dispose();
    this.renderer.dispose();
  }

  private dropScenery(): void {
    if (!this.scenery) return;
    this.scene.remove(this.scenery.group);
    this.scenery.dispose();
    this.scenery = null;
  }

  /** The ray from the camera through a point of the picture, in CSS pixels. */
  private ray(x: number, y: number): { from: Vec3; direction: Vec3 } {
    const { camera } = this.rig;
    camera.updateMatrixWorld();
    const { x: fx, y: fy, z: fz } = camera.position;
    const tall = Math.tan((camera.fov * Math.PI) / 360);
    const direction = new Vector3(
      ((2 * x) / Math.max(this.canvas.clientWidth, 1) - 1) * tall * camera.aspect,
      (1 - (2 * y) / Math.max(this.canvas.clientHeight, 1)) * tall,
      -1,
    );
    direction.normalize().transformDirection(camera.matrixWorld);
    return { from: [fx, fy, fz], direction: [direction.x, direction.y, direction.z] };
  }
}
