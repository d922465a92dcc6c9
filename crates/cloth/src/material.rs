//! Cloth materials: one table by name.

/// The properties of a thin material, per area or per length, as they are
/// measured on sheets. Stretching is ten to a hundred times softer here than in
/// real fabric, as is usual in animation: it only has to look small, and
/// stiffness costs time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m².
    pub density: f64,
    /// Tension per width at 100% stretch along the warp, N/m (Young's modulus
    /// times thickness).
    pub stretch_warp: f64,
    /// The same along the weft, N/m.
    pub stretch_weft: f64,
    /// Shear stiffness: shear force per length and radian, N/m.
    pub shear: f64,
    /// The fraction of the stretch stiffness in compression, 0 to 1. Threads
    /// buckle below the scale of the mesh, so real fabric resists compression
    /// less than tension.
    pub compression: f64,
    /// Bending stiffness D of plate theory: moment per length and curvature,
    /// N·m.
    pub bend: f64,
    /// Rayleigh damping by mass, α, 1/s: slows all motion, including free
    /// flight.
    pub damping_mass: f64,
    /// Rayleigh damping by stiffness, β, s: slows deformation only.
    pub damping_stiffness: f64,
    /// Drag coefficient against the flow through the sheet: the pressure is
    /// this times ½ρv² of the air. A flat plate has 1.1 to 2.
    pub drag_normal: f64,
    /// Drag coefficient of the flow along the sheet (both sides together).
    pub drag_tangential: f64,
    /// Collision thickness, m.
    pub thickness: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
}

/// The defaults of all materials below.
const FABRIC: Material = Material {
    density: 0.15,
    stretch_warp: 600.0,
    stretch_weft: 500.0,
    shear: 60.0,
    compression: 1.0,
    bend: 3e-5,
    damping_mass: 0.1,
    damping_stiffness: 5e-4,
    drag_normal: 1.2,
    drag_tangential: 0.05,
    thickness: 2e-3,
    friction: 0.3,
};

/// The materials that scene files know by name.
///
/// Densities are those sold in shops. Bending follows the Kawabata tables and
/// Wang, O'Brien and Ramamoorthi 2011 (silk some 10⁻⁶, cotton 10⁻⁵, denim
/// 10⁻⁴ N·m); for paper and plastic it is E t³/12(1 − ν²): 0.1 mm of paper at
/// 3 GPa gives 3·10⁻⁴, a sheet of 0.25 mm polyester at 4 GPa gives 6·10⁻³.
/// Stretching is softened, see [`Material`], but keeps the order among them.
pub const MATERIALS: &[(&str, Material)] = &[
    ("cotton", FABRIC),
    (
        "silk",
        Material {
            density: 0.07,
            stretch_warp: 400.0,
            stretch_weft: 300.0,
            shear: 30.0,
            bend: 5e-6,
            damping_stiffness: 2e-4,
            thickness: 1e-3,
            friction: 0.15,
            ..FABRIC
        },
    ),
    (
        "denim",
        Material {
            density: 0.4,
            stretch_warp: 1500.0,
            stretch_weft: 1200.0,
            shear: 200.0,
            bend: 2e-4,
            damping_stiffness: 1e-3,
            thickness: 3e-3,
            friction: 0.5,
            ..FABRIC
        },
    ),
    (
        "paper",
        Material {
            density: 0.08,
            stretch_warp: 2000.0,
            stretch_weft: 2000.0,
            shear: 800.0,
            bend: 1e-3,
            damping_stiffness: 3e-4,
            thickness: 1e-3,
            friction: 0.4,
            ..FABRIC
        },
    ),
    (
        "plastic",
        Material {
            density: 0.35,
            stretch_warp: 4000.0,
            stretch_weft: 4000.0,
            shear: 1600.0,
            bend: 6e-3,
            damping_stiffness: 3e-4,
            thickness: 2e-3,
            friction: 0.25,
            ..FABRIC
        },
    ),
];

/// The material of that name, if there is one.
pub fn named(name: &str) -> Option<Material> {
    MATERIALS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, material)| *material)
}
