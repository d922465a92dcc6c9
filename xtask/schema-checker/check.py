"""Checks scene files against the JSON Schema that `conatus schema` prints.

    check.py SCHEMA SCENE...

Scenes are read with Python's own TOML parser. First shows with misspelt keys and
wrong values that the schema refuses them.
"""

import json
import sys

from jsonschema import Draft202012Validator

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

FITS = "[[body]]\nname = 'a'\nmass = 1"
DOES_NOT_FIT = [
    "[[body]]\nname = 'a'\nmasss = 1",
    "[[body]]\nshape.sphere.raduis = 1",
    "titel = 'x'",
    "gravity = [1, 2]",
    "time.integrator = 'rk5'",
    "[[cloth.piece]]\nshape.rectangle = { width = 1, heigth = 1 }",
    "cloth.response = 'rigid'",
    "[cloth.material.a]\nstiffness = 1",
    "[[obstacle]]\nkeyframe = [{ time = 0 }]",
]


def main(schema_file, scene_files):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    faults = 0
    if not validator.is_valid(tomllib.loads(FITS)):
        print(f"a valid scene does not fit:\n{FITS}")
        faults += 1
    for text in DOES_NOT_FIT:
        if validator.is_valid(tomllib.loads(text)):
            print(f"an invalid scene fits:\n{text}")
            faults += 1
    for name in scene_files:
        with open(name, "rb") as file:
            scene = tomllib.load(file)
        errors = list(validator.iter_errors(scene))
        for error in errors:
            print(f"{name}: {error.json_path}: {error.message}")
        faults += len(errors)
    print(f"{len(scene_files)} scenes, {len(DOES_NOT_FIT)} faulty texts: {faults} faults")
    return 1 if faults or not scene_files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
