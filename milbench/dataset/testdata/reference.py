"""Writes what the tests of the readers compare with: reference.json and the small MAT-files beside it.

    python reference.py FOLDER            # FOLDER holds the files of the named sets; needs NumPy and SciPy
    python reference.py FOLDER --keep     # the MAT-files stay as they are

The checksums are those of mil.Set.Seal, computed anew here from what SciPy reads.
"""

import hashlib
import json
import pathlib
import re
import struct
import sys

import numpy as np
import scipy
import scipy.io
import scipy.sparse

HERE = pathlib.Path(__file__).parent


def checksum(bags):
    """SHA-256 of (id, label, matrix) as mil.Set.Seal defines it; a binary target, no groups, no split."""
    h = hashlib.sha256()

    def integer(n):
        h.update(struct.pack("<q", n))

    def text(s):
        integer(len(s.encode()))
        h.update(s.encode())

    integer(0)  # binary
    integer(len(bags))
    for name, label, x in bags:
        x = np.asarray(x, dtype=np.float64).astype("<f4")
        text(name)
        integer(label)
        integer(0)  # no value
        integer(0)  # no event
        text("")
        text("")
        integer(x.shape[0])
        integer(x.shape[1])
        for row in x:
            h.update(np.packbits(row != 0, bitorder="little").tobytes())
            h.update(row[row != 0].tobytes())
    return h.hexdigest()


def dense(x):
    return np.asarray(x.toarray() if scipy.sparse.issparse(x) else x)


def read_mat(path):
    m = scipy.io.loadmat(path)
    if "bag_ids" in m:
        ids, labels = dense(m["bag_ids"]).ravel(), dense(m["labels"]).ravel()
        x = dense(m["features"].astype(np.float32))
        order = list(dict.fromkeys(ids.tolist()))
        return [(f"{i:g}", int(labels[ids == i][0] > 0), x[ids == i]) for i in order]
    (cells,) = [v for v in m.values() if isinstance(v, np.ndarray) and v.dtype == object and v.shape[1] == 2]
    return [(str(i + 1), int(dense(y).item() > 0), dense(x)) for i, (x, y) in enumerate(cells)]


def read_c45(path):
    bags = {}
    for line in path.read_text().splitlines():
        fields = line.split(",")
        label, rows = bags.setdefault(fields[0], (int(float(fields[-1])), []))
        rows.append([float(v) for v in fields[2:-1]])
    return [(name, label, np.array(rows)) for name, (label, rows) in bags.items()]


def read_transposed(folder, name):
    x = np.loadtxt(folder / f"{name}-data.csv", delimiter="\t").T
    ids = np.loadtxt(folder / f"{name}-bagids.csv", dtype=int)
    labels = np.loadtxt(folder / f"{name}-labels.csv")
    return [(str(i), int(labels[ids == i][0]), x[ids == i]) for i in dict.fromkeys(ids.tolist())]


def summary(bags):
    values = sum(x.size for _, _, x in bags)
    return {
        "checksum": checksum(bags),
        "bags": len(bags),
        "positive": sum(y for _, y, _ in bags),
        "instances": sum(len(x) for _, _, x in bags),
        "columns": int(bags[0][2].shape[1]),
        "sparse": bool(sum(np.count_nonzero(x) for _, _, x in bags) < 0.25 * values),
        "last_column_sum": float(sum(np.sum(np.asarray(x[:, -1], dtype=np.float64).astype(np.float32), dtype=np.float64) for _, _, x in bags)),
    }


def small_files():
    """One file for each class of numbers in each form that SciPy writes."""
    rng = np.random.default_rng(1)
    kinds = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "single", "double", "bool"]
    for compressed in (False, True):
        cells = np.empty((len(kinds), 2), dtype=object)
        for i, kind in enumerate(kinds):
            x = rng.integers(0, 100, (i % 3 + 1, 4))
            if kind.startswith("int"):
                x -= 50
            if kind in ("single", "double"):
                x = x / 7
            cells[i] = [x.astype(kind), np.array([[i % 2]], dtype=kind)]
        name = "cells-compressed.mat" if compressed else "cells.mat"
        scipy.io.savemat(HERE / name, {"comment": "of every class", "data": cells}, do_compression=compressed)

        cells = np.empty((4, 2), dtype=object)
        for i in range(4):
            x = scipy.sparse.random(3, 20, 0.1, "csc", rng=rng)
            cells[i] = [x.astype(bool) if i == 3 else x, np.array([[1 - 2 * (i % 2)]], dtype="int16")]
        name = "sparse-cells-compressed.mat" if compressed else "sparse-cells.mat"
        scipy.io.savemat(HERE / name, {"data": cells}, do_compression=compressed)

        ids = np.array([7, 7, 3, 3, 3, 9, 7], dtype="uint8")
        labels = np.where(ids == 3, -1, 1)
        variables = {
            "comment": "bags that are not adjacent",
            "labels": scipy.sparse.csc_matrix(labels.astype("double")),
            "bag_ids": ids[None, :] if compressed else ids[:, None],
            "features": scipy.sparse.random(7, 5, 0.4, "csc", rng=rng),
        }
        name = "columbia-compressed.mat" if compressed else "columbia.mat"
        scipy.io.savemat(HERE / name, variables, do_compression=compressed)


def refused_files():
    """Files that hold no set."""
    x = np.arange(6.0).reshape(3, 2)

    def cells(*pairs):
        a = np.empty((len(pairs), 2), dtype=object)
        for i, pair in enumerate(pairs):
            a[i] = pair
        return a

    for name, variables in {
        "struct": {"data": {"x": x}},
        "struct-cells": {"data": cells([{"x": x}, 1], [x, 0])},
        "char-cells": {"data": cells(["text", 1], [x, 0])},
        "complex-cells": {"data": cells([x * 1j, 1], [x, 0])},
        "nan-cells": {"data": cells([x, 1], [x + [[0, np.nan]], 0])},
        "empty-cells": {"data": cells([x, 1], [np.zeros((0, 2)), 0])},
        "wide-cells": {"data": cells([x, 1], [np.ones((3, 3)), 0])},
        "one-class-cells": {"data": cells([x, 1], [x, 1])},
        "three-columns": {"data": np.array([[x, x, 1]], dtype=object)},
        "cube": {"features": np.ones((2, 2, 2)), "labels": [[0, 1]], "bag_ids": [[1, 2]]},
        "columbia-labels": {"features": x, "labels": [[1, -1, 1]], "bag_ids": [[1, 1, 2]]},
        "columbia-across": {"features": np.ones((2, 3)), "labels": [[1, -1, 1]], "bag_ids": [[1, 2, 3]]},
        "columbia-lacks": {"features": x, "labels": [[1, -1, 1]]},
    }.items():
        scipy.io.savemat(HERE / "refused" / f"{name}.mat", variables)
    scipy.io.savemat(HERE / "refused" / "level4.mat", {"data": x}, format="4")


def main(folder, keep):
    if not keep:
        (HERE / "refused").mkdir(exist_ok=True)
        small_files()
        refused_files()
    reference = {"made_by": f"reference.py, SciPy {scipy.__version__}, NumPy {np.__version__}", "small": {}, "sets": {}, "named": {}}
    for path in sorted(HERE.glob("*.mat")):
        reference["small"][path.name] = summary(read_mat(path))
    for path in sorted(folder.glob("trec_*.mat")):
        reference["named"][f"trec{path.stem.split('_')[1]}"] = summary(read_mat(path))
    for path in sorted(folder.glob("*-data.csv")):
        file = path.name.removesuffix("-data.csv")
        name = re.sub("(?<=[a-z])(?=[A-Z])", "-", file).lower()
        reference["named"][name] = summary(read_transposed(folder, file))
    for path in sorted(p for p in folder.glob("*.mat") if not p.name.startswith("trec_")):
        reference["sets"][path.name] = summary(read_mat(path))
    reference["sets"]["clean1.data"] = summary(read_c45(folder / "clean1.data"))
    (HERE / "reference.json").write_text(json.dumps(reference, indent=1, sort_keys=True) + "\n")


main(pathlib.Path(sys.argv[1]), "--keep" in sys.argv[2:])
