//! Continuous collision detection against exact arithmetic.
//!
//! Coordinates are integers times a power of two, so a double holds them
//! exactly and an `i128` can check them. Two kinds of proof:
//!
//! - A contact by construction: at the time k/16 a point of one primitive,
//!   with weights in sixteenths, is made to lie on a point of the other. The
//!   query has to report a hit not later than that.
//! - A certificate: integer axes that separate the corners, exactly, at both
//!   ends of each of a chain of intervals. Every query that was answered with
//!   "no hit" has to have one from 0 to 1, and every hit from 0 to its time.

use crate::exact::{Kind, Query, Random, is_certified};
use conatus_geometry::ccd::{self, Hit};
use conatus_math::DVec3;

const KINDS: [Kind; 2] = [crate::exact::VERTEX_TRIANGLE, crate::exact::EDGE_EDGE];

/// Queries per test in the gate. `cargo xtask soak properties` multiplies them by
/// `CONATUS_SOAK`, which makes millions.
const QUERIES: u64 = 100_000;

/// Runs `check` for all queries on two threads, each with its own random numbers.
fn for_each_query(check: impl Fn(&mut Random) + Sync) {
    let factor = std::env::var("CONATUS_SOAK").map_or(1, |factor| factor.parse().unwrap());
    let count = QUERIES * factor;
    std::thread::scope(|scope| {
        for seed in 1..=2 {
            let check = &check;
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..count / 2 {
                    check(&mut random);
                }
            });
        }
    });
}

fn separation(random: &mut Random, query: &Query) -> f64 {
    let start = (query.kind.closest)(&query.start()).distance();
    match random.below(4) {
        0 => 0.0,
        1 => start * 0.05,
        2 => start * random.unit(),
        _ => start * 4.0 * random.unit(),
    }
}

fn constructed_contacts_are_hit(kind: Kind) {
    for_each_query(|random| {
        let (query, contact) = Query::with_contact(kind, random);
        let separation = separation(random, &query);
        let hit = query.ask(separation);
        let hit = hit.unwrap_or_else(|| panic!("missed: {query:?} ξ = {separation}"));
        assert!(hit.time <= contact, "late: {hit:?} {contact} {query:?}");
    });
}

#[test]
fn no_constructed_contact_of_vertex_and_triangle_is_missed() {
    constructed_contacts_are_hit(crate::exact::VERTEX_TRIANGLE);
}

#[test]
fn no_constructed_contact_of_two_edges_is_missed() {
    constructed_contacts_are_hit(crate::exact::EDGE_EDGE);
}

fn answers_are_certified(kind: Kind) {
    for_each_query(|random| {
        let query = Query::any(kind, random, 14);
        let separation = separation(random, &query);
        match query.ask(separation) {
            None => assert!(is_certified(&query, 1.0), "{query:?} ξ = {separation}"),
            // At time 0 the only claim is that the start is near.
            Some(Hit { time: 0.0, closest }) => {
                assert!(closest.distance() <= 1e-10 * query.size(), "{query:?}");
            }
            Some(hit) => assert!(is_certified(&query, hit.time), "{query:?} {hit:?}"),
        }
    });
}

#[test]
fn every_answer_on_vertex_and_triangle_has_an_exact_certificate() {
    answers_are_certified(crate::exact::VERTEX_TRIANGLE);
}

#[test]
fn every_answer_on_two_edges_has_an_exact_certificate() {
    answers_are_certified(crate::exact::EDGE_EDGE);
}

/// The least distance over the step, to within the motion of one sample.
fn least_distance(query: &Query) -> f64 {
    let (start, end) = (query.start(), query.end());
    (0..=400)
        .map(|i| {
            let x = std::array::from_fn(|k: usize| start[k].lerp(end[k], f64::from(i) / 400.0));
            (query.kind.closest)(&x).distance()
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn false_alarms_are_rare_and_hits_leave_a_gap() {
    for kind in KINDS {
        let mut random = Random::new(5);
        let (mut free, mut alarms, mut hits) = (0, 0, 0);
        for _ in 0..20_000 {
            let query = Query::ordinary(kind, &mut random);
            let first = (kind.closest)(&query.start()).distance();
            let separation = first * 0.3 * random.unit();
            let least = least_distance(&query);
            match query.ask(separation) {
                Some(hit) => {
                    hits += 1;
                    assert!(hit.closest.distance() > 0.0 || first == 0.0);
                    let kept = separation.min(0.5 * first);
                    assert!(hit.closest.distance() >= kept, "{query:?}");
                    // The hit must also be at about the right distance.
                    alarms += usize::from(hit.closest.distance() > 2.0 * separation);
                    assert!(least >= 0.0);
                }
                None => assert!(least >= separation, "{query:?}"),
            }
            free += usize::from(least > 2.0 * separation);
        }
        assert!(free > 2000 && hits > 2000, "{free} {hits}");
        assert!(alarms <= 8, "{alarms} false alarms of {free}");
    }
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

#[test]
fn a_falling_vertex_stops_at_the_separation() {
    let start = [
        v(0.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(1.0, 1.0, 1.0),
    ];
    let mut end = start;
    end[3].z = -1.0;
    let hit = ccd::vertex_triangle(&start, &end, 0.1).unwrap();
    // Between ξ and ξ + (d₀ − ξ)/10 above the triangle.
    assert!(hit.time <= 0.45 && hit.time >= 0.405, "{hit:?}");
    assert!((hit.closest.vector.z - (1.0 - 2.0 * hit.time)).abs() < 1e-15);
    end[3].z = 0.09;
    assert!(ccd::vertex_triangle(&start, &end, 0.1).is_some());
    end[3].z = 0.201;
    assert_eq!(ccd::vertex_triangle(&start, &end, 0.1), None);
}

#[test]
fn sliding_past_at_twice_the_separation_is_no_hit() {
    let start = [
        v(-1.0, 0.0, 0.0),
        v(1.0, 0.0, 0.0),
        v(-50.0, -1.0, 2.01e-3),
        v(-50.0, 1.0, 2.01e-3),
    ];
    let end = start.map(|x| if x.z > 0.0 { x + DVec3::X * 100.0 } else { x });
    assert_eq!(ccd::edge_edge(&start, &end, 1e-3), None);
}

#[test]
fn primitives_that_start_in_contact_hit_at_time_zero() {
    let x = [
        v(0.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(1.0, 1.0, 0.0),
    ];
    let away = x.map(|p| if p == x[3] { p + DVec3::Z } else { p });
    assert_eq!(ccd::vertex_triangle(&x, &away, 0.0).unwrap().time, 0.0);
    assert_eq!(
        ccd::edge_edge(&[x[0]; 4], &[x[0]; 4], 0.0).unwrap().time,
        0.0
    );
}

#[test]
fn primitives_that_start_within_the_separation_may_separate() {
    let start = [
        v(0.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(1.0, 1.0, 0.01),
    ];
    let mut end = start;
    end[3].z = 1.0;
    assert_eq!(ccd::vertex_triangle(&start, &end, 0.1), None);
    end[3].z = -1.0;
    let hit = ccd::vertex_triangle(&start, &end, 0.1).unwrap();
    assert!(hit.time > 0.0 && hit.closest.vector.z >= 0.8 * 0.01);
}

/// An edge that rotates about the point where it is near to another, far within
/// the separation. Along any one direction its far end soon crosses.
#[test]
fn an_edge_that_turns_on_another_is_no_false_alarm() {
    let start = [
        v(0.0, 0.0, 0.0),
        v(0.02, 0.0, 0.0),
        v(0.0002, -0.0008, 40e-6),
        v(0.0002, 0.0192, 40e-6),
    ];
    for far in [1e-3, -1e-3] {
        let mut end = start;
        end[2].z -= far / 24.0;
        end[3].z += far;
        assert_eq!(ccd::edge_edge(&start, &end, 75e-6), None);
    }
}

#[test]
fn coordinates_that_are_not_finite_are_hit_at_time_zero() {
    let good = [
        v(0.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(1.0, 1.0, 9.0),
    ];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..24 {
            let (mut start, mut end) = (good, good);
            let x = if place < 12 { &mut start } else { &mut end };
            x[place % 12 / 3][place % 3] = bad;
            for ask in [ccd::vertex_triangle, ccd::edge_edge] {
                assert_eq!(ask(&start, &end, 0.1).unwrap().time, 0.0);
            }
            for cull in [ccd::separated_vertex_triangle, ccd::separated_edge_edge] {
                assert!(!cull(DVec3::Z, &start, &end, 0.1));
            }
        }
    }
    for strange in [f64::NAN, f64::INFINITY, -1.0] {
        // No panic, and no hang; a contact is a hit with any separation.
        let mut end = good;
        end[3].z = -1.0;
        assert!(ccd::vertex_triangle(&good, &end, strange).is_some());
    }
}

#[test]
fn the_largest_and_the_smallest_coordinates_make_no_difference() {
    let start = [
        v(0.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(1.0, 1.0, 1.0),
    ];
    let mut end = start;
    for z in [-1.0, 0.5] {
        end[3].z = z;
        let ordinary = ccd::vertex_triangle(&start, &end, 0.1);
        for power in [-1040, -900, -300, 300, 900, 1020] {
            let times = |x: DVec3, p: i32| x * 2f64.powi(p / 2) * 2f64.powi(p - p / 2);
            let (a, b) = (start.map(|x| times(x, power)), end.map(|x| times(x, power)));
            let hit = ccd::vertex_triangle(&a, &b, times(v(0.1, 0.0, 0.0), power).x);
            assert_eq!(hit.is_some(), ordinary.is_some(), "{power}");
            if let (Some(hit), Some(ordinary)) = (hit, ordinary) {
                assert!((hit.time - ordinary.time).abs() < 1e-2, "{power}");
            }
        }
    }
}
