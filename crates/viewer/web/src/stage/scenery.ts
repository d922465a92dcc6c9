// Everything that is drawn of one scene: its bodies, cloth, springs, water, planes, ground and overlays.
import { Color, Group, type IUniform, type Vector2, type Vector3 } from 'three';
import type { Chart, Frame, Header, Vec3 } from '../model';
import { Bodies } from './bodies';
import { Cloth } from './cloth';
import { Colliders } from './colliders';
import { Box } from './box';
import { extentOf, floorOf, lowestPoint, obstacleCorners, boundingRadii, planeBounds, sceneBox, upAxis, waterExtent } from './extent';
import { Ground } from './ground';
import { Joints } from './joints';
import { Outlines } from './outlines';
import { Overlays, type ArrowScales } from './overlays';
import { Patches } from './patches';
import { Picker, type Hit } from './picking';
import { Planes } from './planes';
import { Poses } from './poses';
import type { Quality } from './quality';
import { Springs } from './springs';
import type { Toggle } from './stage';
import { QUARANTINE_COLOR, type Look } from './theme';
import { Water } from './water';

const MAX_QUARANTINE_OUTLINES = 32;

/** What is drawn over the scene. */
export interface Marks {
  patches: string[];
  arrows: number;
  joints: string[];
  colliders: number;
}

export class Scenery {
  readonly group = new Group();
  readonly poses: Poses;
  readonly reach: Float64Array;
  /** The box for the initial view. */
  readonly box: Box;
  readonly size: number;
  /** Of bodies; obstacles use the corners of their boxes. */
  private readonly maxBoundingRadius: number;
  private readonly obstacles: { body: number; corners: Vec3[] }[] = [];
  private readonly bodies: Bodies;
  private readonly cloth: Cloth;
  private readonly wires = { wireframe: false, cloth: false };
  private readonly springs: Springs;
  private readonly planes: Planes;
  private readonly waters: Water[];
  private readonly ground: Ground | null;
  private readonly overlays: Overlays;
  private readonly patches: Patches;
  private readonly joints: Joints;
  private readonly colliders: Colliders;
  private readonly chosen: Outlines;
  private readonly quarantineOutlines: Outlines;
  private readonly picker: Picker;
  private readonly casting = new Box();
  private shown: { a: Frame; b: Frame | null; s: number } | null = null;
  private breaks: ReadonlyMap<string, number> = new Map();
  private before: Frame | null = null;

  constructor(readonly header: Header, readonly chart: Chart | null, first: Frame | null, viewport: IUniform<Vector2>, quality: Quality) {
    this.reach = boundingRadii(header);
    this.maxBoundingRadius = this.reach.reduce((most, r, i) => (header.bodies[i].scripted ? most : Math.max(most, r)), 0);
    header.bodies.forEach((info, body) => {
      if (info.scripted) this.obstacles.push({ body, corners: obstacleCorners(header, info) });
    });
    // Obstacles are often much larger than what moves.
    const moving = this.reach.filter((_, i) => !header.bodies[i].scripted).sort();
    const typical = moving[moving.length >> 1] ?? Float64Array.from(this.reach).sort()[this.reach.length >> 1] ?? 1;
    const inner = extentOf(header, first, this.reach);
    // The extent of the motion of characters is known in advance.
    for (const corner of chart?.extent ?? []) inner.add(...corner);
    const room = planeBounds(header, inner);
    this.box = sceneBox(header, inner, room);
    this.size = this.box.diagonal();
    this.poses = new Poses(header.bodies.length);
    this.bodies = new Bodies(header, quality);
    this.cloth = new Cloth(header, this.bodies.shared.chosen, quality);
    this.springs = new Springs(header, this.size);
    this.planes = new Planes(header, room);
    const floor = floorOf(header);
    this.waters = header.waters.map((water) => new Water(header, water, waterExtent(header, water, room), floor));
    this.ground = groundOf(header, floor, inner, first);
    this.overlays = new Overlays(header, this.reach, this.size, typical);
    this.patches = new Patches(header, chart);
    this.joints = new Joints(header, this.reach, this.size, viewport);
    this.colliders = new Colliders(header, this.box, viewport);
    const { shared } = this.bodies;
    this.chosen = new Outlines(header, 1, shared.chosen, { value: 0 }, viewport, 3);
    this.quarantineOutlines = new Outlines(header, MAX_QUARANTINE_OUTLINES, { value: new Color(QUARANTINE_COLOR) }, shared.pulse, viewport, 3);
    this.picker = new Picker(header, this.reach);
    this.group.add(this.bodies.group, this.cloth.group, this.springs.group, this.planes.group, this.overlays.group, this.patches.group, this.joints.group, this.colliders.group, this.chosen.group, this.quarantineOutlines.group);
    if (this.ground) this.group.add(this.ground.mesh);
    for (const water of this.waters) this.group.add(water.group);
  }

  /** `breaks` has the times at which joints broke. */
  show(a: Frame, b: Frame | null, s: number, breaks: ReadonlyMap<string, number>): void {
    const { poses, bodies } = this;
    if (this.shown && this.shown.a !== a) this.before = this.shown.a;
    this.shown = { a, b, s };
    this.breaks = breaks;
    poses.update(a, b, s);
    bodies.update(poses);
    this.cloth.update(a, b, s);
    const quarantineOutlines = bodies.quarantined.length;
    bodies.mark(b && s === 1 ? b : a);
    if (quarantineOutlines > 0 || bodies.quarantined.length > 0) this.quarantineOutlines.set(bodies.quarantined);
    const time = b ? a.time + s * (b.time - a.time) : a.time;
    this.springs.update(poses, time, breaks);
    for (const water of this.waters) water.setTime(time);
    this.ground?.clear(this.lowest(), this.size);
    this.chosen.update(poses);
    this.quarantineOutlines.update(poses);
    this.drawOverlays();
  }

  private drawOverlays(): void {
    const { shown, before } = this;
    if (!shown) return;
    const { a, b, s } = shown;
    const time = b ? a.time + s * (b.time - a.time) : a.time;
    this.patches.update(this.poses, time, this.overlays.on.contacts);
    this.joints.update(this.poses, time, this.breaks);
    this.colliders.update(this.poses, b && s === 1 ? b : a);
    if (b && b.time > a.time) this.overlays.update(this.poses, a, b, s, a, b);
    else this.overlays.update(this.poses, a, b, s, before && before.time < a.time ? before : null, a);
  }

  setToggle(toggle: Toggle, on: boolean): void {
    if (toggle === 'wireframe' || toggle === 'cloth') {
      if (toggle === 'wireframe') this.bodies.setWireframe(on);
      this.wires[toggle] = on;
      this.cloth.setWires(this.wires.wireframe, this.wires.cloth);
      return;
    }
    if (toggle === 'joints' || toggle === 'colliders') this[toggle].on = on;
    else this.overlays.on[toggle] = on;
    this.drawOverlays();
  }

  setLook(look: Look, pixelRatio: number): void {
    this.bodies.shared.chosen.value.set(look.selected);
    this.cloth.setLook();
    this.planes.setLook(look);
    this.ground?.setLook(look);
    for (const water of this.waters) water.setLook(look);
    this.overlays.setLook(look, pixelRatio);
    this.joints.setLook(look);
    this.colliders.setLook(look);
    this.drawOverlays();
  }

  /** The effectors whose contacts are drawn, the number of force arrows, the joints and the number of colliders. */
  get marks(): Marks {
    return { patches: this.patches.shown, arrows: this.overlays.arrowsShown, joints: this.joints.shown, colliders: this.colliders.shown };
  }

  /** The lengths of the arrows that are drawn. */
  get scales(): ArrowScales {
    return this.overlays.scales;
  }

  /** Objects are numbered: bodies first, then pieces of cloth. */
  select(object: number | null): void {
    const bodies = this.header.bodies.length;
    const body = object !== null && object < bodies ? object : null;
    this.bodies.choose(body);
    this.cloth.choose(object !== null && object >= bodies ? object - bodies : null);
    this.chosen.set(body === null ? [] : [body]);
    this.chosen.update(this.poses);
  }

  /** The bounding ball of an object, if it is drawn. */
  ballAround(object: number): { centre: Vec3; radius: number } | null {
    if (object >= this.header.bodies.length) return this.cloth.ballAround(object - this.header.bodies.length);
    return this.poses.isShown(object) ? { centre: this.poses.position(object), radius: this.reach[object] } : null;
  }

  /** The object on a ray, or else the nearest body within an angle. */
  pick(from: Vec3, direction: Vec3, angle: number): Hit | null {
    return this.picker.pick(this.poses, this.cloth, from, direction) ?? this.picker.nearest(this.poses, from, direction, angle);
  }

  hasQuarantined(): boolean {
    return this.bodies.quarantined.length > 0;
  }

  pulse(value: number): void {
    this.bodies.shared.pulse.value = value;
  }

  /** Moves the ground below the target of the camera. */
  follow(target: Vector3, distance: number): void {
    this.ground?.follow(target, distance, this.size);
  }

  /** The box of all shadow casters, without those that are far away. */
  shadowCasters(): Box {
    const { casting, poses, box, size } = this;
    casting.clear();
    const standing = new Box();
    for (const { body, corners } of this.obstacles) for (const corner of corners) standing.add(...poses.toWorld(body, corner));
    for (const [part, reach] of [[poses.box, this.maxBoundingRadius], [standing, 0], [this.cloth.box, 0]] as const) {
      if (part.isEmpty()) continue;
      const least = (axis: number) => Math.max(part.lo[axis], box.lo[axis] - 3 * size) - reach;
      const most = (axis: number) => Math.min(part.hi[axis], box.hi[axis] + 3 * size) + reach;
      casting.add(least(0), least(1), least(2));
      casting.add(most(0), most(1), most(2));
    }
    return casting;
  }

  heightAboveGround(): number {
    return this.ground ? Math.max(0, this.casting.centre()[upAxis(this.header)] - this.ground.level) : 0;
  }

  /** The box that a view frames: the scene and its bodies, except those that are far away. */
  boxNow(): Box {
    const box = this.box.clone();
    const places = this.poses.box.clone();
    places.addBox(this.cloth.box);
    const { lo, hi } = places;
    const now = this.shadowCasters();
    const isNear = !places.isEmpty() && [0, 1, 2].every((i) => lo[i] > box.lo[i] - 4 * this.size && hi[i] < box.hi[i] + 4 * this.size);
    if (isNear) box.addBox(now);
    const floor = floorOf(this.header);
    const up = upAxis(this.header);
    if (floor !== null) box.lo[up] = Math.max(box.lo[up], Math.min(floor, this.box.lo[up]));
    return box;
  }

  private lowest(): number {
    const up = upAxis(this.header);
    return Math.min(this.poses.box.lo[up], this.cloth.box.lo[up]);
  }

  dispose(): void {
    for (const part of [this.bodies, this.cloth, this.springs, this.planes, this.overlays, this.patches, this.joints, this.colliders, this.chosen, this.quarantineOutlines, ...this.waters]) part.dispose();
    this.ground?.dispose();
  }
}

/** The ground at the floor, or else below the bodies, unless there is water. */
function groundOf(header: Header, floor: number | null, inner: Box, first: Frame | null): Ground | null {
  if (floor !== null) return new Ground(header.up, floor, true);
  if (header.waters.length > 0) return null;
  const lowest = inner.lo[upAxis(header)], size = inner.diagonal();
  // Locked bodies stand on something.
  const foot = first !== null && first.status.includes(1) ? lowestPoint(header, first) : Infinity;
  if (Number.isFinite(foot)) return new Ground(header.up, foot, false);
  // Scenes usually measure heights from 0.
  if (lowest >= 0 && lowest < 1.5 * size) return new Ground(header.up, 0, false);
  return new Ground(header.up, lowest - 0.12 * size, false);
}
