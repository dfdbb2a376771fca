"""Writes folder/, bags as h5py and NumPy write them, set.h5, the same bags in one file, layouts.h5, tiles/, bags with labels of
instances, and tiles-unfit/, bags whose labels cannot be used. Row i of bag k, from 0, has the values
k + i/2 - j/4 in its columns j: exact in 16 bits. Run: python folder_bags.py (needs h5py, numpy and torch).
"""

import pathlib
import shutil

import h5py
import numpy as np
import torch

here = pathlib.Path(__file__).parent
folder = here / "folder"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir()


def values(k, dtype):
    i, j = np.mgrid[: 3 + k, :5]
    return (k + i / 2 - j / 4).astype(dtype)


def file(name):
    return h5py.File(folder / name, "w")


def layouts():
    """Bags of three rows in other layouts, whose names begin with the side of a tile that their attributes say, 0 for none."""
    with h5py.File(here / "layouts.h5", "w") as f:
        def bag(name, features="features", coords="coords", on_coords={}, on_features={}, on_bag={}):
            g = f.create_group(name)
            g[features] = values(0, "f4")
            g[coords] = np.arange(6).reshape(3, 2)
            for o, attributes in (g[coords], on_coords), (g[features], on_features), (g, on_bag):
                o.attrs.update(attributes)
        bag("512 clam", on_coords={"patch_size": 256, "patch_level": 1, "downsample": (2.0, 2.0), "level_dim": (9, 9), "name": "x"})
        bag("1024 clam, scalars", on_coords={"patch_size": np.int32(256), "downsample": np.float32(4)})
        bag("256 clam, level 0", on_coords={"patch_size": 256, "patch_level": 0, "downsample": (1.0, 1.0)})
        bag("0 a level without its downsample", on_coords={"patch_size": 256, "patch_level": 2})
        bag("513 trident", on_coords={"patch_size": 256, "patch_size_level0": 513, "level0_magnification": 40, "target_magnification": 20, "overlap": 0, "name": "x"})
        bag("768 magnifications", on_features={"patch_size": 256, "level0_magnification": 60, "target_magnification": np.array(20, ">i2")})
        bag("448 microns per pixel", on_bag={"Patch Size": 224, "level0_mpp": 0.25, "target-mpp": np.float16(0.5)})
        bag("257 stamp", "feats", on_bag={"tile_size_um": 257.0, "tile_size_px": 224, "unit": "um", "extractor": "x"})
        bag("224 below", "encoder/embedding", "tile_coords", on_bag={"patch_size": np.uint16(224)})
        bag("0 positions of floats", "encoder/20x/features", "positions")
        f["0 positions of floats/logits"] = np.zeros((3, 2), "f4")


def tiles():
    """Bags whose last instance is positive, but for that of the last bag, in every form and type of labels."""
    folder = here / "tiles"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with open(folder / "labels.csv", "w") as table:
        print("bag,label", file=table)
        for k, name in enumerate(["numbers.h5", "booleans.h5", "column.hdf5", "numbers.npz", "booleans.npz", "tensor.pt", "booleans.pt", "none.h5"]):
            x = values(k, "f4")
            y = np.arange(len(x)) == (len(x) - 1 if k < 7 else len(x))
            places = np.stack([256 * np.arange(len(x)), 0 * np.arange(len(x))], axis=1)
            print(f"{pathlib.Path(name).stem}{k},{int(k < 7)}", file=table)
            path = (folder / f"{pathlib.Path(name).stem}{k}").with_suffix(pathlib.Path(name).suffix)
            if "h5" in name or "hdf5" in name:
                with h5py.File(path, "w") as f:
                    f["features"], f["coords"] = x, places
                    f["tile_labels" if k else "inst_labels"] = {0: y.astype("i8"), 2: y.astype(">f4")[:, None]}.get(k, y[None])
            elif name == "numbers.npz":
                np.savez(path, features=x, patch_labels=y.astype("i4")[None, :, None])
            elif name == "booleans.npz":
                np.savez_compressed(path, features=x, instance_label=y, coords=places)
            else:
                t = torch.from_numpy(y)
                torch.save({"features": torch.from_numpy(x)[None], "y_inst": t if "booleans" in name else t.float()[None]}, path)


def unfit():
    """Bags of three instances whose labels cannot be used, or are none."""
    folder = here / "tiles-unfit"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    x, y = values(0, "f4"), np.array([0.0, 1, np.nan])

    def bag(name, **arrays):
        with h5py.File(folder / f"{name}.h5", "w") as f:
            f["features"] = x
            for key, a in arrays.items():
                f[key.replace("__", "/")] = a

    bag("missing", tile_labels=y)
    bag("texts", tile_labels=np.array([b"tumour", b"normal", b"normal"]))
    with h5py.File(folder / "names.h5", "w") as f:
        f["features"] = x
        f.create_dataset("tile_labels", data=[0, 1, 1], dtype=h5py.enum_dtype({"tumour": 0, "normal": 1}))
    bag("coordinates", tile_x=np.arange(3), tile_y=np.arange(3), coords=np.zeros((3, 2)))
    bag("levels", level1__tile_labels=np.zeros(12))
    np.savez(folder / "two.npz", features=x, inst_labels=np.zeros(3), tile_labels=np.zeros(3))
    np.savez(folder / "wide.npz", features=x, tile_labels=np.zeros((3, 2)))
    np.savez(folder / "objects.npz", features=x, tile_labels=np.array([None, 1, 0]))
    torch.save({"features": torch.from_numpy(x), "tile_labels": torch.zeros(6)[::2]}, folder / "strides.pt")


with file("clam.h5") as f:  # as CLAM writes it: grown batch by batch
    x = values(0, "f4")
    features = f.create_dataset("features", data=x[:2], maxshape=(None, 5), chunks=(2, 5))
    features.resize(len(x), axis=0)
    features[2:] = x[2:]
    coords = f.create_dataset("coords", data=np.arange(2 * len(x)).reshape(-1, 2), maxshape=(None, 2), chunks=(2, 2))
    coords.attrs["patch_size"] = 256
with file("trident.h5") as f:
    f.create_dataset("features", data=values(1, "f2")[None], compression="gzip")
    f.create_dataset("coords", data=np.zeros((4, 2), "i8")).attrs["patch_size_level0"] = 512
with file("other.hdf5") as f:  # the only array of two dimensions
    f["embedding"] = values(2, ">f8")
    f["label"] = 1
np.savez(folder / "stored.npz", features=values(3, "f4"), coords=np.zeros((6, 2)))
np.savez_compressed(folder / "packed.npz", values(4, "f2"))
np.save(folder / "plain.npy", np.asfortranarray(values(5, "f8")))
torch.save(torch.from_numpy(values(6, "f4")), folder / "tensor.pt")  # as CLAM does
torch.save({"features": torch.from_numpy(values(7, "f4")).half(), "coords": torch.zeros(10, 2), "slide": "x"}, folder / "dictionary.pt")
torch.save({"embedding": torch.from_numpy(values(8, "f8"))[None]}, folder / "only.pth")
torch.save(torch.nn.Parameter(torch.from_numpy(values(9, "f4")).bfloat16().float().T.contiguous().T), folder / "turned.pt")
torch.save(torch.cat([torch.zeros(2, 5), torch.from_numpy(values(10, "f4")).bfloat16()])[2:].bfloat16(), folder / "part.pt")
NAMES = ["clam", "trident", "other", "stored", "packed", "plain", "tensor", "dictionary", "only", "turned", "part"]
(folder / "slides.tsv").write_text("slide_id\tcase_id\tgrade\n" + "".join(
    f"{name}\tp{k // 2}\t{'tumor' if k % 2 else 'benign'}\n" for k, name in enumerate(NAMES)))
with h5py.File(here / "set.h5", "w") as f:
    for k, name in enumerate(NAMES):
        if k % 2:
            f[name] = values(k, "f4")
        else:
            f.create_dataset(f"{name}/features", data=values(k, "f2"), chunks=(2, 2), compression="lzf")
layouts()
tiles()
unfit()
print("wrote folder, set.h5, layouts.h5, tiles and tiles-unfit")
