"""Writes default.h5, latest.h5 and block.h5 with h5py, and golden.json: the shape, type and values of every array that is to be read, and
what is to be refused. Run: python golden.py (needs h5py and numpy).
"""

import json
import pathlib

import h5py
import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(20261125)
golden = {"versions": {"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version}, "arrays": [], "refused": []}


def put(file, path, values, **how):
    file.create_dataset(path, data=values, **how)
    kind = {"b": "int", "f": "float", "i": "int", "u": "uint"}[values.dtype.kind]
    golden["arrays"].append({"file": pathlib.Path(file.filename).name, "path": path, "shape": list(values.shape),
                             "type": f"{kind}{8 * values.dtype.itemsize}", "values": values.astype(np.float64).ravel().tolist()})


def refuse(file, path, because):
    golden["refused"].append({"file": pathlib.Path(file.filename).name, "path": path, "because": because})


def table(n, d, dtype="f4"):
    return np.round(rng.normal(size=(n, d)) * 20).astype(dtype)


filters = {"plain": {}, "gzip": {"compression": "gzip"}, "shuffled": {"compression": "gzip", "compression_opts": 9, "shuffle": True},
           "checked": {"fletcher32": True}, "all": {"compression": "gzip", "shuffle": True, "fletcher32": True}, "lzf": {"compression": "lzf", "shuffle": True}}
with h5py.File(here / "default.h5", "w") as f:
    for order in "<>":
        for kind in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
            put(f, f"types/{order}{kind}".replace("<", "little-").replace(">", "big-"), np.abs(table(4, 3, order + kind)) if kind[0] == "u" else table(4, 3, order + kind))
    for name, how in filters.items():
        put(f, f"chunks/{name}", table(11, 7), chunks=(4, 3), **how)
        put(f, f"chunks/{name}16", table(9, 5, "f2"), chunks=(9, 5), **how)
    put(f, "chunks/odd", table(9, 5, "u1").astype("u1"), chunks=(3, 3), fletcher32=True)
    put(f, "clam/features", table(30, 8), chunks=(8, 8), maxshape=(None, 8))
    put(f, "clam/coords", table(30, 2, "i8"), chunks=(8, 2), maxshape=(None, 2))
    f["clam/coords"].attrs["patch_size"] = 256
    put(f, "trident/features", table(30, 8)[None], compression="gzip")
    put(f, "ranks/0", np.array(3.5))
    put(f, "ranks/1", np.arange(10, dtype="f4"))
    put(f, "ranks/4", rng.integers(0, 9, (2, 3, 4, 5)).astype("f4"), chunks=(1, 2, 3, 4))
    put(f, "ranks/4plain", rng.integers(0, 9, (2, 3, 4, 5)).astype("f4"))
    put(f, "empty", np.zeros((0, 4), "f4"))
    for i in range(40):
        put(f, f"many/bag {i}", np.array([[i, 2 * i]], dtype="f4"))
    put(f, "long", (np.arange(20000, dtype="f4") % 7).reshape(10000, 2), chunks=(8, 2), compression="gzip")
    golden["arrays"].pop()  # a tree of two levels; the test knows its values
    put(f, "bits", np.array([True, False]))
    f["words"] = np.array([b"yes", b"no"])
    f["records"] = np.zeros(2, dtype=[("a", "f4")])
    f["complex"] = np.zeros(2, dtype="c8")
    f.create_dataset("sparse", (100, 2), "f4", chunks=(10, 2))[5:7] = 1
    f.create_dataset("never", (100, 2), "f4")
    f["soft"] = h5py.SoftLink("/clam/features")
    f["links/outside"] = h5py.ExternalLink("other.h5", "/x")
    f["same"] = f["clam/features"]
    for path, because in {"words": "texts", "records": "records", "complex": "records", "sparse": "1 of 10 chunks", "never": "never written",
                          "soft": "a link", "links/outside": "a link", "clam": "a group"}.items():
        refuse(f, path, because)
with h5py.File(here / "latest.h5", "w", libver="latest") as f:
    put(f, "plain", table(6, 4))
    put(f, "one", table(6, 4), chunks=(6, 4))
    f.create_dataset("one gzip", data=table(6, 4), chunks=(6, 4), compression="gzip")
    f.create_dataset("fixed", data=table(6, 4), chunks=(2, 4))
    f.create_dataset("growing", data=table(6, 4), chunks=(2, 4), maxshape=(None, 4))
    refuse(f, "fixed", "libver='latest'")
    refuse(f, "growing", "libver='latest'")
    refuse(f, "one gzip", "libver='latest'")
    put(f, "group/inside", table(2, 2))
with h5py.File(here / "block.h5", "w", userblock_size=1024) as f:
    put(f, "features", table(3, 4), chunks=(2, 4), compression="gzip")
(here / "golden.json").write_text(json.dumps(golden) + "\n")
print("wrote golden.json, default.h5, latest.h5 and block.h5")
