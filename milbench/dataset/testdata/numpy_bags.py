"""Writes the folder numpy beside it, bags as numpy.save writes them, and what they hold: numpy.json. Also the arrays in
numpy-refused, none of which is a bag.

    python numpy_bags.py     # needs NumPy
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent


def good():
    """Every type in both byte orders and both orders of the axes, and every version of the format."""
    rng = np.random.default_rng(1)
    folder = HERE / "numpy"
    folder.mkdir(exist_ok=True)
    bags = []

    def bag(name, x, version=None):
        with open(folder / f"{name}.npy", "wb") as f:
            np.lib.format.write_array(f, x, version)
        label, group = len(bags) % 2, f"patient {len(bags) // 3}"
        bags.append({"id": name, "label": label, "group": group, "rows": [[float(np.float32(v)) for v in row] for row in x]})

    kinds = ["f4", "f8"] + [f"{sign}{size}" for sign in "iu" for size in (1, 2, 4, 8)] + ["f2"]
    for kind in kinds:
        for byte_order in "<>":
            for order in "CF":
                x = rng.normal(0, 100, (rng.integers(1, 5), 3))
                if kind[0] == "u":
                    x = abs(x)
                x = np.array(x.astype(kind), dtype=byte_order + kind, order=order)
                info = np.finfo(x.dtype) if kind[0] == "f" else np.iinfo(x.dtype)
                x[0, 0], x[0, -1] = info.min, info.max
                if kind == "f8":  # what is beyond float32 is refused
                    x[0, 0], x[0, -1] = np.finfo(np.float32).min, np.finfo(np.float32).max
                name = f"{kind}, {'big' if byte_order == '>' else 'little'} {order}"
                bag(name, x)
    bag("version 2", np.ones((2, 3)), (2, 0))
    bag("version 3", np.zeros((1, 3)), (3, 0))
    bag("every second row", np.arange(18.0).reshape(6, 3)[::2])
    smallest = np.finfo(np.float16).smallest_subnormal
    bag("f2, subnormal", np.array([[smallest, 1023 * smallest, 1024 * smallest], [-0.0, -smallest, 0.1]], dtype="<f2"))

    lines = ["bag,label,group"] + [f'"{b["id"]}",{b["label"]},{b["group"]}' for b in bags]
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    made_by = f"numpy_bags.py, NumPy {np.__version__}"
    (HERE / "numpy.json").write_text(json.dumps({"made_by": made_by, "bags": bags}, indent=1) + "\n")


def refused():
    folder = HERE / "numpy-refused"
    folder.mkdir(exist_ok=True)
    x = np.arange(6.0).reshape(3, 2)
    for name, a in {
        "objects": np.array([[1, "a"], [2, None]], dtype=object),
        "records": np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f8")]),
        "text": np.array([["a", "b"]]),
        "complex": x * 1j,
        "dates": np.array([["2020-01-01", "2021-01-01"]], dtype="datetime64[D]"),
        "vector": x.ravel(),
        "scalar": np.array(1.0),
        "cube": x.reshape(3, 2, 1),
        "no instances": np.zeros((0, 2)),
        "no features": np.zeros((2, 0)),
        "nan": np.where(x == 5, np.nan, x),
        "nan, float16": np.where(x == 5, np.nan, x).astype(np.float16),
        "infinite, float16": np.where(x == 1, np.inf, x).astype(np.float16),
        "infinite, Fortran": np.asfortranarray(np.where(x == 4, -np.inf, x)),
    }.items():
        np.save(folder / f"{name}.npy", a, allow_pickle=True)


good()
refused()
