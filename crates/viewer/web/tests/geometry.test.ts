import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BodyInfo, Header, MeshData, Vec3 } from '../src/model';
import { ballRadius, isGlass, isOpen } from '../src/stage/geometry';
import { meetTriangle } from '../src/stage/rays';

/** A ball of so many rings of eight, from pole to pole; fewer `drawn` rings leave a bowl. */
function globe(rings: number, drawn: number): MeshData {
  const vertices: Vec3[] = [];
  for (let i = 0; i <= drawn; i++) {
    for (let j = 0; j < 8; j++) {
      const [up, around] = [(Math.PI * i) / rings, (Math.PI * j) / 4];
      // Poles are one place, exactly.
      const out = i % rings === 0 ? 0 : Math.sin(up);
      vertices.push([out * Math.cos(around), out * Math.sin(around), Math.cos(up)]);
    }
  }
  const triangles: Vec3[] = [];
  for (let i = 0; i < drawn; i++) {
    for (let j = 0; j < 8; j++) {
      const [a, b, c, d] = [8 * i + j, 8 * i + 8 + j, 8 * i + ((j + 1) % 8), 8 * i + 8 + ((j + 1) % 8)];
      if (i > 0) triangles.push([a, b, c]);
      if (i < rings - 1) triangles.push([c, b, d]);
    }
  }
  return { vertices, triangles };
}

test('a surface with a border is open, and one with coincident seams is closed', () => {
  assert.equal(isOpen(globe(6, 6)), false);
  assert.equal(isOpen(globe(6, 3)), true);
});

test('a bowl is not a ball, although all its vertices are on a sphere', () => {
  assert.ok(Math.abs((ballRadius(globe(6, 6)) ?? 0) - 1) < 1e-9);
  assert.equal(ballRadius(globe(6, 3)), null);
});

test('only obstacles are drawn like glass, and only open ones', () => {
  const header = { meshes: [globe(6, 6), globe(6, 3)] } as Header;
  const glass = (mesh: number | null, scripted?: boolean): boolean => isGlass(header, { mesh, scripted } as BodyInfo);
  assert.deepEqual([glass(0, true), glass(1, true), glass(1), glass(null, true)], [false, true, false, false]);
});

test('a ray hits a triangle from both sides, but not behind its origin', () => {
  const meet = (from: Vec3, d: Vec3): number => meetTriangle(from, d, 0, 0, 0, 1, 0, 0, 0, 1, 0);
  assert.equal(meet([0.2, 0.2, 3], [0, 0, -1]), 3);
  assert.equal(meet([0.2, 0.2, -2], [0, 0, 1]), 2);
  assert.equal(meet([0.2, 0.2, 3], [0, 0, 1]), Infinity);
  assert.equal(meet([0.9, 0.9, 3], [0, 0, -1]), Infinity);
});
