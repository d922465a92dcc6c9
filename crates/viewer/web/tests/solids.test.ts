import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metric } from '../src/format';
import { partsOf, type Header, type JointInfo, type ShapeInfo, type Vec3 } from '../src/model';
import { glyph } from '../src/stage/joints';
import { linesOf, niceStep } from '../src/stage/solids';

const tetrahedron = {
  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] as Vec3[],
  triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] as [number, number, number][],
};
const lines = (shape: ShapeInfo) => linesOf(shape, [tetrahedron], [3, 4, 1], 2);
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test('the lines of round shapes lie on their surfaces', () => {
  for (const [x, y, z] of lines({ kind: 'sphere', radius: 2 })) near(Math.hypot(x, y, z), 2);
  for (const [x, y, z] of lines({ kind: 'ellipsoid', semi_axes: [1, 2, 3] })) near(x ** 2 + (y / 2) ** 2 + (z / 3) ** 2, 1);
  for (const [x, y, z] of lines({ kind: 'capsule', radius: 0.5, half_height: 1 })) {
    near(Math.hypot(x, y, Math.max(Math.abs(z) - 1, 0)), 0.5);
  }
  for (const [x, y, z] of lines({ kind: 'cylinder', radius: 0.5, half_height: 1 })) {
    near(Math.hypot(x, y), 0.5);
    assert.ok(Math.abs(z) <= 1);
  }
  for (const [x, y, z] of lines({ kind: 'cone', radius: 0.5, half_height: 1 })) near(Math.hypot(x, y), 0.25 * (1 - z));
});

test('a box has its twelve edges, and a hull those between faces', () => {
  assert.equal(lines({ kind: 'box', half_extents: [1, 2, 3] }).length, 24);
  assert.equal(lines({ kind: 'hull', mesh: 0 }).length, 12);
  assert.equal(lines({ kind: 'hull', mesh: 7 }).length, 0);
});

test('the grid of a plane lies in it, around the scene', () => {
  const grid = lines({ kind: 'plane' });
  const flat = grid.filter(([, , z]) => z === 0);
  assert.equal(flat.length, grid.length - 1);
  for (const axis of [0, 1]) {
    const values = flat.map((p) => p[axis]);
    assert.ok(Math.min(...values) <= [1, 2][axis] && Math.max(...values) >= [5, 6][axis]);
  }
});

const joint = (kind: JointInfo['kind'], coordinates: JointInfo['coordinates']): JointInfo => ({
  name: 'j', kind, bodies: [0, 1], frames: [{}, {}], coordinates,
});

test('the limits of a hinge are the ends of its arc', () => {
  const [from, to] = [-0.5, 1];
  const drawn = glyph(joint('hinge', [{ axis: 'turn_z', limits: [from, to] }]), 2);
  const angles = drawn.filter(([x, y, z]) => z === 0 && Math.hypot(x, y) > 1).map(([x, y]) => Math.atan2(y, x));
  near(Math.min(...angles), from);
  near(Math.max(...angles), to);
});

test('the limits of a slider are the ends of its line, and the cone of a ball joint has its angle', () => {
  const line = glyph(joint('slider', [{ axis: 'z', limits: [-0.2, 0.7] }]), 1);
  near(Math.min(...line.map((p) => p[2])), -0.2);
  near(Math.max(...line.map((p) => p[2])), 0.7);
  const cone = glyph(joint('ball', [{ axis: 'turn_x', limits: [-0.4, 0.4] }, { axis: 'turn_y' }, { axis: 'turn_z' }]), 1);
  for (const [x, y, z] of cone) if (z > 0) near(Math.atan2(Math.hypot(x, y), z), 0.4);
});

test('every type of joint is drawn', () => {
  for (const kind of ['fixed', 'ball', 'hinge', 'slider', 'universal', 'wheel', 'free'] as const) {
    const free = kind === 'fixed' ? undefined : [{ axis: 'turn_x' as const }, { axis: 'z' as const }];
    assert.ok(glyph(joint(kind, free), 1).length > 0, kind);
  }
});

test('steps are 1, 2 or 5 times a power of ten', () => {
  assert.deepEqual([0.7, 1, 19, 20, 49, 99, 4e5].map(niceStep), [0.5, 1, 10, 20, 20, 50, 2e5]);
  assert.deepEqual([0, -1, NaN, Infinity].map(niceStep), [1, 1, 1, 1]);
  assert.deepEqual([2000, 5, 0.02, 1e6].map(metric), ['2 k', '5 ', '20 m', '1 M']);
});

test('a recording without physics has neither joints nor colliders', () => {
  assert.deepEqual(partsOf({ bodies: [] } as unknown as Header), { cloth: false, joints: false, colliders: false });
});
