"""Writes golden.json: pickles that CPython made, and what is in them. Run: python golden.py."""

import base64
import collections
import json
import pathlib
import pickle

values = [
    None, True, False, 0, 1, 255, 256, 65535, 65536, -1, -128, -129, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63), 0.5, -1e300, "", "text", "ä\n€", "x" * 300,
    (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], [1, "two", 3.0], {}, {"a": 1}, {"a": [1, (2, {"b": None})], "c": "d"}, [["same"] * 3] * 2,
]
golden = []
for protocol in range(2, 6):
    for value in values:
        golden.append({"protocol": protocol, "value": json.loads(json.dumps(value)), "pickle": base64.b64encode(pickle.dumps(value, protocol)).decode()})
    golden.append({"protocol": protocol, "class": "collections.OrderedDict", "value": {"k": 5},
                   "pickle": base64.b64encode(pickle.dumps(collections.OrderedDict(k=5), protocol)).decode()})
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(golden) + "\n")
print("wrote golden.json")
