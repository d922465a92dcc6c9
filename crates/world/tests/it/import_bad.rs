//! Robots that cannot be read: every mistake is named with its line and a remedy, and
//! nothing panics.

use conatus_world::scene::import::import;
use conatus_world::scene::model::ImportSpec;
use conatus_world::scene::{Files, SourceText};

const GOOD: [&str; 3] = [
    include_str!("../robots/double-pendulum.urdf"),
    include_str!("../robots/quadruped.urdf"),
    include_str!("../robots/humanoid.xml"),
];

fn failure(text: &str) -> Option<String> {
    let source = SourceText::new("r.xml", text);
    let result = import(&source, &ImportSpec::default(), &Files::in_memory([]), true);
    result.err().map(|error| error.to_string())
}

/// The message is in this line and has these words, and a remedy follows.
#[track_caller]
fn refused(text: &str, line: usize, words: &str) {
    let message = failure(text).expect("it is refused");
    let place = format!("r.xml:{line}:");
    assert!(message.starts_with(&place), "not in line {line}: {message}");
    assert!(message.contains(words), "{message}");
    assert!(message.contains("help: "), "{message}");
}

fn link(name: &str) -> String {
    format!(
        "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' \
         iyy='1' iyz='0' izz='1'/></inertial></link>"
    )
}

fn joint(name: &str, kind: &str, parent: &str, child: &str) -> String {
    format!(
        "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/></joint>"
    )
}

#[test]
fn broken_xml_is_shown_at_its_place() {
    refused("", 1, "the XML is broken");
    refused(
        "<robot name='a'>\n<link name='b'>\n</robot>",
        3,
        "the XML is broken",
    );
    refused("<robot\nname=a/>", 2, "the XML is broken");
    refused("<robot name='é'>\n  <link é'/>", 2, "the XML is broken");
    refused("<sdf/>", 1, "`sdf` is the outermost element");
    refused(
        "<!DOCTYPE x [<!ENTITY a 'b'>]><robot/>",
        1,
        "the XML is broken",
    );
}

#[test]
fn robots_that_are_no_tree_are_refused() {
    let (a, b) = (link("torso"), link("leg"));
    let robot = |inner: &str| format!("<robot name='r'>\n{a}\n{b}\n{inner}\n</robot>");
    refused("<robot name='r'/>", 1, "no links");
    refused(
        &robot(&joint("j", "fixed", "torso", "legg")),
        4,
        "no link `legg`",
    );
    refused(
        &robot(&joint("j", "bendy", "torso", "leg")),
        4,
        "no joint type `bendy`",
    );
    let cycle = joint("j", "fixed", "torso", "leg") + "\n" + &joint("k", "fixed", "leg", "torso");
    refused(&robot(&cycle), 2, "in a cycle");
    let twice = joint("j", "fixed", "torso", "leg") + "\n" + &joint("k", "fixed", "torso", "leg");
    refused(&robot(&twice), 5, "child of two joints");
    refused(&robot(&joint("j", "fixed", "leg", "leg")), 3, "in a cycle");
    refused(&robot(&a), 4, "two links `torso`");
    refused(
        &robot("<joint name='j' type='fixed'><child link='leg'/></joint>"),
        4,
        "no `parent`",
    );
}

#[test]
fn numbers_that_are_no_physics_are_refused() {
    let robot =
        |inner: &str| format!("<robot name='r'>\n<link name='a'>\n{inner}\n</link></robot>");
    let inertial = |mass: &str, xx: &str| {
        robot(&format!(
            "<inertial><mass value='{mass}'/><inertia ixx='{xx}' iyy='1' izz='1'/></inertial>"
        ))
    };
    refused(&inertial("-1", "1"), 3, "must be greater than zero");
    refused(&inertial("1", "3"), 3, "triangle inequality");
    refused(&inertial("1", "-1"), 3, "not positive definite");
    refused(&inertial("x", "1"), 3, "not a list of finite numbers");
    refused(&inertial("nan", "1"), 3, "not a list of finite numbers");
    refused(&inertial("1 2", "1"), 3, "has 2 numbers");
    let shape = |shape: &str| {
        robot(&format!(
            "<collision><geometry>{shape}</geometry></collision>"
        ))
    };
    refused(&shape("<box size='1 0 1'/>"), 3, "longer than zero");
    refused(&shape("<sphere radius='-1'/>"), 3, "greater than zero");
    refused(
        &shape("<mesh filename='none.stl'/>"),
        3,
        "no file `none.stl`",
    );
    refused(
        &shape("<mesh filename='package://p/a.obj'/>"),
        3,
        "--package p=FOLDER",
    );
    refused(&robot("<collision/>"), 3, "without geometry");
    refused(&robot(""), 1, "nothing in the file can move");
}

#[test]
fn mistakes_of_mjcf_are_refused() {
    let model = |inner: &str| format!("<mujoco>\n<worldbody>\n{inner}\n</worldbody></mujoco>");
    let body = |inner: &str| model(&format!("<body name='b'><freejoint/>\n{inner}</body>"));
    refused("<mujoco/>", 1, "no bodies");
    refused(&body("<geom type='blob' size='1'/>"), 4, "no shape `blob`");
    refused(&body("<geom type='box' size='1 1'/>"), 4, "needs 3 sizes");
    refused(
        &body("<geom size='0.1' mass='-1'/>"),
        4,
        "the mass is negative",
    );
    refused(
        &body("<geom type='capsule' size='0.1' fromto='1 1 1 1 1 1'/>"),
        4,
        "the same",
    );
    refused(&body("<joint type='bend'/>"), 4, "no joint type `bend`");
    refused(&body("<joint axis='0 0 0'/>"), 4, "no direction");
    refused(&body("<geom class='c' size='1'/>"), 4, "no class `c`");
    refused(&body("<geom type='mesh' mesh='m'/>"), 4, "no mesh `m`");
    refused(
        &body("<inertial mass='-2' pos='0 0 0' diaginertia='1 1 1'/>"),
        4,
        "greater than zero",
    );
    refused(&model("<joint/>"), 3, "a joint of the world");
    refused(
        &model("<body name='a'/><body name='a'/>"),
        3,
        "two bodies `a`",
    );
    let with = |more: &str| {
        format!(
            "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/></body></worldbody>\n{more}</mujoco>"
        )
    };
    refused(
        &with("<contact><exclude body1='b' body2='c'/></contact>"),
        2,
        "no body `c`",
    );
    refused(
        &with("<equality><weld body1='x'/></equality>"),
        2,
        "no body `x`",
    );
    refused(
        &with("<actuator><motor joint='j'/></actuator>"),
        2,
        "no joint `j`",
    );
    refused(&with("<include file='a.xml'/>"), 2, "no file `a.xml`");
    refused(&with("<include/>"), 2, "no `file`");
    refused(&with("<compiler coordinate='global'/>"), 2, "global");
    refused(&with("<compiler eulerseq='abc'/>"), 2, "no order of axes");
    refused(
        &with("<default><default><geom/></default></default>"),
        2,
        "without a class",
    );
}

#[test]
fn deep_nesting_is_refused() {
    let depth = 20_000;
    let text = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        "<body>".repeat(depth),
        "</body>".repeat(depth)
    );
    let message = failure(&text).unwrap();
    assert!(message.contains("nested"), "{message}");
}

/// Every line left out, every quoted value replaced by nonsense, and the text cut short
/// anywhere: each is read or refused with a message.
#[test]
fn damaged_robots_never_panic() {
    for text in GOOD {
        assert_eq!(failure(text), None);
        let lines: Vec<&str> = text.lines().collect();
        for k in 0..lines.len() {
            let mut rest = lines.clone();
            rest.remove(k);
            let _ = failure(&rest.join("\n"));
        }
        let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
        for (k, pair) in quotes.chunks_exact(2).enumerate() {
            let nonsense = ["", "0", "-1", "1e300", "nan", "a b", "1 2 3", "1e-300"][k % 8];
            let changed = format!("{}{nonsense}{}", &text[..=pair[0]], &text[pair[1]..]);
            let _ = failure(&changed);
        }
        for cut in (0..text.len())
            .step_by(97)
            .filter(|&c| text.is_char_boundary(c))
        {
            assert!(failure(&text[..cut]).is_some());
        }
    }
}
