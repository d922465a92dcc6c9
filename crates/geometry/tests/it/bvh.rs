//! The bounding-volume hierarchy against the double loop over all pairs.

use conatus_geometry::{Aabb, Bvh};
use conatus_math::DVec3;
use proptest::prelude::*;

fn all_pairs(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.is_valid() && b.is_valid() && a.overlaps(b) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn all_overlaps(boxes: &[Aabb], query: &Aabb) -> Vec<u32> {
    (0..boxes.len() as u32)
        .filter(|&i| {
            let b = &boxes[i as usize];
            b.is_valid() && query.is_valid() && b.overlaps(query)
        })
        .collect()
}

fn check(bvh: &mut Bvh, boxes: &[Aabb]) {
    let mut found = vec![(7, 7)];
    bvh.pairs(&mut found);
    assert_eq!(found, all_pairs(boxes));
    for query in boxes.iter().take(20) {
        let mut found = Vec::new();
        bvh.for_each_overlap(query, |i| found.push(i));
        found.sort_unstable();
        assert_eq!(found, all_overlaps(boxes, query));
    }
}

/// Balls in a unit cube, from a fixed pseudo-random sequence.
fn balls(count: usize, radius: f64) -> Vec<Aabb> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count)
        .map(|_| Aabb::of_sphere(DVec3::new(next(), next(), next()), radius))
        .collect()
}

/// Mostly ordinary numbers; coarse, so that boxes often touch exactly;
/// occasionally extreme.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => (-40i32..40).prop_map(|i| f64::from(i) * 0.25),
        10 => -10.0..10.0f64,
        1 => prop::sample::select(vec![
            1e300, -1e300, 1e-300, 1e39, -1e39, f64::MAX, f64::MIN,
        ]),
    ]
}

fn extent() -> impl Strategy<Value = f64> {
    prop_oneof![3 => Just(0.0), 20 => 0.0..2.0f64, 1 => 0.0..1e3f64]
}

fn ordinary_box() -> impl Strategy<Value = Aabb> {
    (
        [coordinate(), coordinate(), coordinate()],
        [extent(), extent(), extent()],
    )
        .prop_map(|(min, size)| {
            let min = DVec3::from_array(min);
            Aabb::new(min, min + DVec3::from_array(size))
        })
}

fn any_box() -> impl Strategy<Value = Aabb> {
    let broken = (
        prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
        0usize..6,
        ordinary_box(),
    )
        .prop_map(|(bad, place, mut b)| {
            if place < 3 {
                b.min[place] = bad;
            } else {
                b.max[place - 3] = bad;
            }
            b
        });
    prop_oneof![15 => ordinary_box(), 1 => broken, 1 => Just(Aabb::EMPTY)]
}

proptest! {
    #[test]
    fn pairs_and_queries_agree_with_the_double_loop(
        boxes in prop::collection::vec(any_box(), 0..200),
    ) {
        check(&mut Bvh::build(&boxes), &boxes);
    }

    #[test]
    fn a_refitted_tree_is_as_exact_as_a_new_one(
        (before, after) in (0usize..150).prop_flat_map(|n| (
            prop::collection::vec(any_box(), n),
            prop::collection::vec(any_box(), n),
        )),
    ) {
        let mut bvh = Bvh::build(&before);
        bvh.refit(&after);
        check(&mut bvh, &after);
    }

    #[test]
    fn a_rebuilt_tree_keeps_no_old_boxes(
        before in prop::collection::vec(any_box(), 0..150),
        after in prop::collection::vec(any_box(), 0..150),
    ) {
        let mut bvh = Bvh::build(&before);
        bvh.rebuild(&after);
        check(&mut bvh, &after);
        bvh.refit(&before);
        check(&mut bvh, &before);
    }
}

#[test]
fn no_boxes_make_no_pairs() {
    let mut bvh = Bvh::build(&[]);
    assert!(bvh.is_empty());
    check(&mut bvh, &[]);
    bvh.for_each_overlap(&Aabb::new(DVec3::ZERO, DVec3::ONE), |_| {
        panic!("found a box in an empty tree")
    });
}

#[test]
fn identical_boxes_all_overlap() {
    for count in [1, 2, 8, 9, 64, 65, 300] {
        let boxes = vec![Aabb::of_sphere(DVec3::ONE, 0.0); count];
        let mut bvh = Bvh::build(&boxes);
        assert_eq!(bvh.len(), count);
        check(&mut bvh, &boxes);
    }
}

#[test]
fn many_balls_agree_with_the_double_loop_for_any_number_of_threads() {
    let boxes = balls(6000, 0.03);
    let expected = all_pairs(&boxes);
    assert!(expected.len() > 6000);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut found = Vec::new();
        pool.install(|| Bvh::build(&boxes).pairs(&mut found));
        assert_eq!(found, expected, "{threads} threads");
    }
}

#[test]
fn a_distant_outlier_does_not_hide_the_others() {
    let mut boxes = balls(1000, 0.05);
    boxes.push(Aabb::of_sphere(DVec3::splat(1e9), 1.0));
    boxes.push(Aabb::of_sphere(DVec3::splat(1e9 + 0.5), 1.0));
    check(&mut Bvh::build(&boxes), &boxes);
}
