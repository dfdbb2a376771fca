"""Runs a file of milbench export on a table of bags with onnxruntime, and prints the score and the weights of each bag.

    python run.py model.onnx bags.csv

Needs onnxruntime and numpy.
"""
import csv
import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
columns = json.loads(session.get_modelmeta().custom_metadata_map["columns"])
bags = {}
for row in csv.DictReader(open(sys.argv[2], encoding="utf-8-sig")):
    bags.setdefault(row["bag"], []).append([float(row[c] or "nan") for c in columns])
print("bag,score,most attended instance")
for name, rows in bags.items():
    score, weights = session.run(["score", "weights"], {"instances": np.array(rows, np.float32)})
    print(f"{name},{score[0]:.6f},{weights[0].argmax()}")
