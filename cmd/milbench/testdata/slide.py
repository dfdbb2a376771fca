"""Writes slide.h5, the features and places of 12 tiles as TRIDENT names them. Feature k of the slide, from 0, is k: a test looks for these
numbers and writes others there. Run: python slide.py (needs h5py and numpy).
"""

import pathlib

import h5py
import numpy as np

with h5py.File(pathlib.Path(__file__).parent / "slide.h5", "w") as f:
    f["features"] = np.arange(12 * 4, dtype="<f4").reshape(12, 4)
    f["coords"] = np.array([[256 * (k % 4), 256 * (k // 4)] for k in range(12)], dtype="<i8")
