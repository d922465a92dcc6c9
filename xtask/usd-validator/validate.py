# Opens the USD files named on the command line with Pixar's own library, runs
# all validators that come with it, looks at every mesh at every sample and reads the physics
# as simulators do; prints each file's counts, and exits with 1 if any file has an error.
import os
import sys

import numpy as np
from physics import physics_errors
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdValidation


def compliance(stage):
    """The errors and warnings of all validators of the library."""
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    errors, warnings = [], []
    for found in context.Validate(stage):
        serious = found.GetType() == UsdValidation.ValidationErrorType.Error
        (errors if serious else warnings).append(found.GetErrorAsString())
    return errors, warnings


def stage_errors(stage):
    if not stage.GetDefaultPrim():
        yield "there is no default prim"
    if UsdGeom.GetStageMetersPerUnit(stage) != 1:
        yield "the unit is not one metre"
    if not stage.HasAuthoredMetadata("upAxis"):
        yield "there is no up axis"
    if stage.GetStartTimeCode() > stage.GetEndTimeCode():
        yield "it ends before it starts"
    if not stage.GetTimeCodesPerSecond() > 0:
        yield "it has no time codes per second"


def samples(attribute):
    """The times of an attribute's samples, or one time if it has none."""
    return attribute.GetTimeSamples() or [Usd.TimeCode.Default()]


def mesh_errors(stage, prim):
    mesh = UsdGeom.Mesh(prim)
    counts = mesh.GetFaceVertexCountsAttr().Get()
    indices = mesh.GetFaceVertexIndicesAttr().Get()
    points, extent = mesh.GetPointsAttr(), mesh.GetExtentAttr()
    if points.GetTimeSamples() != extent.GetTimeSamples():
        yield "points and extents have samples at different times"
        return
    if times := points.GetTimeSamples():
        if times[0] != stage.GetStartTimeCode() or times[-1] != stage.GetEndTimeCode():
            yield "its samples do not span the animation"
    number = None
    for time in samples(points):
        at = points.Get(time)
        if number not in (None, len(at)):
            yield f"it has {len(at)} points at {time}, and {number} before"
        number = len(at)
        if not np.isfinite(np.array(at)).all():
            yield f"a point is not finite at {time}"
        computed = UsdGeom.PointBased.ComputeExtent(at)
        if extent.Get(time) != computed:
            yield f"the extent at {time} is {extent.Get(time)}, not {computed}"
    valid, why = UsdGeom.Mesh.ValidateTopology(indices, counts, number)
    if not valid:
        yield f"its topology is wrong: {why}"
    normals = mesh.GetNormalsAttr().Get()
    if normals is not None:
        if mesh.GetNormalsInterpolation() != "faceVarying" or len(normals) != len(indices):
            yield f"it has {len(normals)} normals for {len(indices)} corners"
        if not all(abs(Gf.GetLength(n) - 1) < 1e-4 for n in normals):
            yield "a normal is not of length 1"
    if mesh.GetSubdivisionSchemeAttr().Get() != "none":
        yield "it would be subdivided"
    if mesh.GetPurposeAttr().Get() == UsdGeom.Tokens.guide:
        if not prim.HasAPI(UsdPhysics.CollisionAPI):
            yield "it is neither shown nor a collider"
    elif not UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]:
        yield "it has no material"


def xform_errors(prim):
    for op in UsdGeom.Xformable(prim).GetOrderedXformOps():
        if op.GetOpType() == UsdGeom.XformOp.TypeScale and prim.IsA(UsdGeom.Cube):
            continue
        for time in samples(op.GetAttr()):
            matrix = op.GetOpTransform(time)
            if abs(matrix.GetDeterminant() - 1) > 1e-4:
                yield f"{op.GetName()} at {time} does not keep shapes"


def check(path):
    try:
        stage = Usd.Stage.Open(path)
    except Exception as error:
        return [f"it does not open: {error}"], [], 0, 0, 0
    errors, warnings = compliance(stage)
    errors += stage_errors(stage)
    physics, wrong = physics_errors(stage)
    errors += wrong
    meshes = sampled = 0
    for prim in stage.Traverse():
        found = []
        if prim.IsA(UsdGeom.Mesh):
            meshes += 1
            sampled += len(UsdGeom.Mesh(prim).GetPointsAttr().GetTimeSamples())
            found = mesh_errors(stage, prim)
        elif prim.IsA(UsdGeom.Xformable):
            found = xform_errors(prim)
        errors += [f"{prim.GetPath()}: {error}" for error in found]
    return errors, warnings, meshes, sampled, physics


failed = False
if len(sys.argv) < 2:
    sys.exit("usage: python validate.py FILE.usda...")
for path in sys.argv[1:]:
    errors, warnings, meshes, sampled, physics = check(path)
    print(
        f"{os.path.basename(path)}: {len(errors)} errors, {len(warnings)} warnings, "
        f"{meshes} meshes, {sampled} samples of points, {physics} physics objects"
    )
    for kind, messages in [("error", errors), ("warning", warnings)]:
        for line in messages[:20]:
            print(f"  {kind}: {line}")
    failed = failed or bool(errors)
sys.exit(1 if failed else 0)
