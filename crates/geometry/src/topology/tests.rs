use super::*;
use crate::generate::{disc, rectangle};
use crate::icosphere;

fn problems(triangles: &[[u32; 3]], vertices: usize) -> Vec<MeshProblem> {
    Topology::of(triangles, vertices).unwrap_err().problems
}

#[test]
fn two_triangles_make_one_hinge() {
    let topology = Topology::of(&[[0, 1, 2], [2, 1, 3]], 4).unwrap();
    assert_eq!(topology.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    assert_eq!(
        topology.edge_triangles,
        [(0, None), (0, None), (0, Some(1)), (1, None), (1, None)]
    );
    assert_eq!(topology.triangle_edges, [[0, 2, 1], [2, 3, 4]]);
    let vertices = [1, 2, 0, 3];
    assert_eq!(topology.hinges, [Hinge { edge: 2, vertices }]);
    assert_eq!(topology.boundary_vertex, [true; 4]);
    assert_eq!(topology.triangles_of(1), [0, 1]);
    assert_eq!(topology.triangles_of(3), [1]);
    assert_eq!(topology.edge_between(3, 1), Some(3));
    assert_eq!(topology.edge_between(3, 0), None);
}

#[test]
fn every_table_agrees_with_the_triangles() {
    for mesh in [rectangle(1.0, 2.0, 7, 9), disc(1.0, 6), icosphere(2)] {
        let topology = Topology::of(&mesh.triangles, mesh.vertices.len()).unwrap();
        assert!(topology.edges.is_sorted());
        for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
            for (edge, [from, to]) in
                topology.triangle_edges[t]
                    .into_iter()
                    .zip([[a, b], [b, c], [c, a]])
            {
                assert_eq!(topology.edge_between(from, to), Some(edge));
                let (first, second) = topology.edge_triangles[edge as usize];
                assert!(first == t as u32 || second == Some(t as u32));
            }
            for v in [a, b, c] {
                assert!(topology.triangles_of(v).contains(&(t as u32)));
            }
        }
        let all: usize = (0..mesh.vertices.len())
            .map(|v| topology.triangles_of(v as u32).len())
            .sum();
        assert_eq!(all, 3 * mesh.triangles.len());
        assert_eq!(
            topology.hinges.len() + topology.boundary_edges().count(),
            topology.edges.len()
        );
        // Both triangles of a hinge are oriented like the surface.
        let turned = |t: [u32; 3]| {
            let turns = |s: &[u32; 3]| [[s[0], s[1], s[2]], [s[1], s[2], s[0]], [s[2], s[0], s[1]]];
            mesh.triangles.iter().any(|s| turns(s).contains(&t))
        };
        for Hinge {
            edge,
            vertices: [a, b, c, d],
        } in &topology.hinges
        {
            assert_eq!(topology.edges[*edge as usize], [*a, *b]);
            assert!(turned([*a, *b, *c]) && turned([*b, *a, *d]));
        }
        assert_eq!(topology.check(&mesh.vertices), Ok(()));
    }
}

#[test]
fn a_rectangle_is_bounded_by_its_border_and_a_ball_by_nothing() {
    let mesh = rectangle(1.0, 1.0, 5, 4);
    let topology = Topology::of(&mesh.triangles, 20).unwrap();
    let border = topology.boundary_vertex.iter().filter(|&&yes| yes);
    assert_eq!(border.count(), 14);
    let ball = icosphere(1);
    let topology = Topology::of(&ball.triangles, ball.vertices.len()).unwrap();
    assert!(!topology.boundary_vertex.contains(&true));
}

#[test]
fn wrong_corners_are_named_from_one() {
    assert_eq!(
        problems(&[[0, 1, 7], [0, 1, 1], [0, 1, 2]], 3),
        [
            MeshProblem::OutOfRange {
                triangle: 1,
                vertex: 8,
                vertices: 3
            },
            MeshProblem::NamedTwice {
                triangle: 2,
                vertex: 2
            },
        ]
    );
    assert_eq!(problems(&[], 0), [MeshProblem::Empty]);
    assert_eq!(problems(&[[0, 1, u32::MAX]], 3).len(), 1);
}

#[test]
fn wrong_edges_are_named_together() {
    let turned = [[0, 1, 2], [1, 2, 3]];
    let found = problems(&turned, 5);
    assert_eq!(
        found,
        [
            MeshProblem::Unused { vertex: 5 },
            MeshProblem::Turned {
                edge: [2, 3],
                triangles: [1, 2]
            },
        ]
    );
    let three = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
    let edge = [1, 2];
    let found = problems(&three, 5);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].to_string(),
        "the triangles 1, 2 and 3 all meet at the edge between the vertices 1 and 2; \
         leave two of them there (in Blender: Select > All by Trait > Non Manifold)"
    );
    assert!(matches!(&found[0], MeshProblem::NotManifold { edge: e, .. } if *e == edge));
}

#[test]
fn positions_are_checked() {
    let topology = Topology::of(&[[0, 1, 2], [2, 1, 3]], 4).unwrap();
    let good = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    assert_eq!(topology.check(&good), Ok(()));
    let found = |x: &[DVec3]| topology.check(x).unwrap_err().problems;

    assert_eq!(
        found(&good[..3]),
        [MeshProblem::PositionCount {
            positions: 3,
            vertices: 4
        }]
    );
    let mut bad = good;
    bad[2].y = f64::NAN;
    assert_eq!(found(&bad), [MeshProblem::NotFinite { vertex: 3 }]);
    bad = good;
    bad[3] = DVec3::new(-0.0, 0.0, 0.0);
    assert_eq!(
        found(&bad),
        [MeshProblem::SamePlace {
            first: 1,
            second: 4
        }]
    );
    bad = good;
    bad[3] = DVec3::new(0.5, 0.5, 1e-12);
    assert_eq!(found(&bad), [MeshProblem::NoArea { triangle: 2 }]);
    // A small triangle is not degenerate.
    assert_eq!(topology.check(&good.map(|p| p * 1e-6)), Ok(()));
}

#[test]
fn five_problems_are_named_and_the_rest_counted() {
    let error = Topology::of(&[[0, 0, 0]; 12], 3).unwrap_err();
    assert_eq!((error.problems.len(), error.more), (5, 7));
    let text = error.to_string();
    assert_eq!(text.lines().count(), 6);
    assert!(text.ends_with("and 7 more"));
    assert!(text.starts_with("triangle 1 uses vertex 1 twice"));
}
