"""Writes folder/, bags as h5py and NumPy write them, and set.h5, the same bags in one file. Row i of bag k, from 0, has the values k + i/2 - j/4
in its columns j: exact in 16 bits. Run: python folder_bags.py (needs h5py, numpy and torch).
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
print("wrote folder and set.h5")
