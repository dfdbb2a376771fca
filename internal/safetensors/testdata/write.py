"""Writes types.safetensors with the reference implementation: one array per type of numbers.

    python3 internal/safetensors/testdata/write.py internal/safetensors/testdata/types.safetensors

Needs numpy and safetensors (written with safetensors 0.8.0). torch is not needed: bfloat16 is written by hand.
"""

import json
import struct
import sys

import numpy as np
from safetensors.numpy import save

values = np.array([[0, 1, -2.5], [3.25, 1e-3, -65504]])
data = save({"single": values.astype(np.float32), "double": values, "half": values.astype(np.float16), "scalar": np.array(7, np.float32), "empty": np.zeros((0, 3), np.float32)}, {"made": "by safetensors"})
# bfloat16: the upper half of float32
n = struct.unpack("<Q", data[:8])[0]
header, body = json.loads(data[8:8 + n]), data[8 + n:]
short = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
header["brain"] = {"dtype": "BF16", "shape": [2, 3], "data_offsets": [len(body), len(body) + 12]}
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + body + short.tobytes())
