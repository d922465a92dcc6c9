# Reads the physics of a stage with the library's own parser, which simulators use, and
# checks that it is complete and that bodies, joints and the animation agree.
import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

SHAPES = [
    "SphereShape", "CubeShape", "CapsuleShape", "CylinderShape", "ConeShape", "MeshShape",
    "PlaneShape",
]
JOINTS = [
    "FixedJoint", "RevoluteJoint", "PrismaticJoint", "SphericalJoint", "DistanceJoint", "D6Joint",
]
# The largest distance of two anchors that coincide, as a share of the size of the scene.
TOLERANCE = 2e-5


def parsed(stage):
    """The parser's descriptions by type: pairs of path and description."""
    found = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, ["/"])
    return {kind.name: list(zip(*pair)) for kind, pair in found.items()}


def all_of(found, kinds):
    return [pair for kind in kinds for pair in found.get(kind, [])]


def pose(stage, path, time):
    """The transform of a prim to the world; the world's own without a path."""
    prim = stage.GetPrimAtPath(path) if path else None
    if not prim:
        return Gf.Matrix4d(1)
    return UsdGeom.Imageable(prim).ComputeLocalToWorldTransform(time)


def frames(stage, joint, time):
    """The frames of a joint in the world."""
    sides = [
        (joint.body0, joint.localPose0Position, joint.localPose0Orientation),
        (joint.body1, joint.localPose1Position, joint.localPose1Orientation),
    ]
    for body, position, turn in sides:
        local = Gf.Matrix4d(Gf.Rotation(Gf.Quatd(turn)), Gf.Vec3d(position))
        yield local * pose(stage, body, time)


def body_errors(stage, bodies):
    start = stage.GetStartTimeCode()
    size = 1.0
    for path, body in bodies:
        if not body.isValid:
            yield f"{path}: the body is not valid"
        default, first = pose(stage, path, Usd.TimeCode.Default()), pose(stage, path, start)
        if not Gf.IsClose(default, first, 1e-6):
            yield f"{path}: it does not start where its samples do"
        if (Gf.Vec3d(body.position) - default.ExtractTranslation()).GetLength() > 1e-5 * size:
            yield f"{path}: the parser finds it elsewhere"
        prim = stage.GetPrimAtPath(path)
        if body.kinematicBody:
            continue
        mass = UsdPhysics.MassAPI(prim)
        inertia = np.array(mass.GetDiagonalInertiaAttr().Get())
        if not mass.GetMassAttr().Get() > 0:
            yield f"{path}: it has no mass"
        if not (inertia > 0).all() or 2 * inertia.max() > inertia.sum() * (1 + 1e-5):
            yield f"{path}: no body has the inertia {inertia}"


def collider_errors(stage, shapes):
    for path, shape in shapes:
        if not shape.isValid:
            yield f"{path}: the collider is not valid"
        owner = stage.GetPrimAtPath(path)
        while owner and not owner.HasAPI(UsdPhysics.RigidBodyAPI):
            owner = owner.GetParent()
        if owner and shape.rigidBody != owner.GetPath():
            yield f"{path}: it belongs to {shape.rigidBody}, not {owner.GetPath()}"
        if len(shape.materials) == 0 or not shape.materials[0]:
            yield f"{path}: it has no physics material"


def joint_errors(stage, joints, size):
    """The frames of a joint coincide at the start where it locks them."""
    for path, joint in joints:
        if not joint.isValid:
            yield f"{path}: the joint is not valid"
            continue
        first, second = frames(stage, joint, Usd.TimeCode.Default())
        between = second * first.GetInverse()
        offset = np.array(between.ExtractTranslation())
        apart = Gf.Vec3d(0, 0, 1) * between.ExtractRotationMatrix() - Gf.Vec3d(0, 0, 1)
        turned = between.ExtractRotation().GetAngle()
        kind = type(joint).__name__
        if kind in ("FixedJointDesc", "RevoluteJointDesc", "SphericalJointDesc"):
            if np.abs(offset).max() > TOLERANCE * size:
                yield f"{path}: its frames are {offset} apart"
        if kind == "PrismaticJointDesc" and np.abs(offset[:2]).max() > TOLERANCE * size:
            yield f"{path}: its frames are {offset} apart"
        if kind in ("FixedJointDesc", "PrismaticJointDesc") and turned > 0.1:
            yield f"{path}: its frames are turned by {turned} degrees"
        if kind == "RevoluteJointDesc" and apart.GetLength() > 1e-3:
            yield f"{path}: the axes of its frames differ"
        if kind == "DistanceJointDesc" and joint.maxEnabled:
            if np.linalg.norm(offset) > joint.limit.upper * (1 + 1e-3) + TOLERANCE * size:
                yield f"{path}: {np.linalg.norm(offset)} is longer than {joint.limit.upper}"


def variant_errors(stage, bodies):
    """In the variant for simulators nothing that they move has samples."""
    root = stage.GetDefaultPrim()
    variants = root.GetVariantSets()
    dynamic = [path for path, body in bodies if not body.kinematicBody]
    if not dynamic:
        return
    if variants.GetVariantSelection("motion") != "recorded":
        yield "the recorded motion is not selected"
        return
    before = {path: pose(stage, path, Usd.TimeCode.Default()) for path in dynamic}
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        variants.SetSelection("motion", "simulated")
    for path in dynamic:
        if UsdGeom.Xformable(stage.GetPrimAtPath(path)).TransformMightBeTimeVarying():
            yield f"{path}: it has samples in the variant for simulators"
        if not Gf.IsClose(pose(stage, path, stage.GetStartTimeCode()), before[path], 1e-6):
            yield f"{path}: it starts elsewhere in the variant for simulators"


def physics_errors(stage):
    """How many bodies, colliders and joints there are, and what is wrong with them."""
    expected = stage.GetRootLayer().customLayerData.get("conatus")
    found = parsed(stage)
    bodies, shapes, joints = (
        all_of(found, kinds) for kinds in (["RigidBody"], SHAPES, JOINTS)
    )
    count = len(bodies) + len(shapes) + len(joints)
    if expected is None:
        return count, ["there is physics without its counts"] if count else []
    errors = []
    for name, pairs in [("bodies", bodies), ("colliders", shapes), ("joints", joints)]:
        if len(pairs) != expected[name]:
            errors.append(f"{len(pairs)} of {expected[name]} {name} are found")
    if len(found.get("Scene", [])) != 1:
        errors.append("there is not one physics scene")
    places = [pose(stage, path, Usd.TimeCode.Default()).ExtractTranslation() for path, _ in bodies]
    size = max([1.0, *(place.GetLength() for place in places)])
    errors += body_errors(stage, bodies)
    errors += collider_errors(stage, shapes)
    errors += joint_errors(stage, joints, size)
    errors += variant_errors(stage, bodies)
    return count, errors
