"""Runs the files that roundtrip exported with onnxruntime and compares their outputs with those of the models.

    python3 internal/roundtrip/roundtrip.py CASES [NAME...]

Needs onnx, onnxruntime and numpy. Each bag is computed alone and, where a file for several bags is there, together with the others,
padded by random numbers that the mask leaves out. Prints the largest differences, relative above 1, and ends with an error if one is
larger than roundtrip allows for the bag.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

wrong = []


def inputs_of(session, bag):
    kinds = {i.name: np.float64 if "double" in i.type else np.float32 for i in session.get_inputs()}
    values = np.array([np.nan if v is None else v for v in bag["columns"]], dtype=np.float64)
    feed = {"instances": values.reshape(bag["rows"], -1).astype(kinds["instances"])}
    for name, texts in bag["words"].items():
        feed[name] = np.array(texts, dtype=object)
    return feed


def difference(name, got, bag, what):
    got, want = np.asarray(got, np.float64).ravel(), np.array(bag["want"][name], np.float64)
    if got.shape != want.shape:
        sys.exit(f"{what}: output {name} has {got.size} values, want {want.size}")
    found = float(np.max(np.abs(got - want) / np.maximum(1, np.abs(want))))
    if not found <= bag["allowed"][name]:
        wrong.append(f"{what}: output {name} differs by {found:.2g}, allowed is {bag['allowed'][name]:.2g}")
    return found


def session_of(file):
    onnx.checker.check_model(str(file), full_check=True)
    return onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])


def alone(folder, bags):
    session, found = session_of(folder / "model.onnx"), 0.0
    names = [o.name for o in session.get_outputs()]
    needed = onnxruntime.RunOptions()
    needed.only_execute_path_to_fetches = True  # scores of the instances of a large bag take long
    for bag in bags:
        wanted = [n for n in names if n in bag["want"]]
        if set(wanted) != set(bag["want"]):
            sys.exit(f"{folder.name}: outputs {names}, want {sorted(bag['want'])}")
        for name, got in zip(wanted, session.run(wanted, inputs_of(session, bag), needed)):
            found = max(found, difference(name, got, bag, folder.name))
    return found


def together(folder, bags):
    session, found = session_of(folder / "batch.onnx"), 0.0
    bags = [b for b in bags if b["rows"] <= 200]
    feeds, most = [inputs_of(session, b) for b in bags], max(b["rows"] for b in bags) + 2
    rng = np.random.default_rng(1)
    mask = np.zeros((len(bags), most), bool)
    feed = {}
    for name, first in feeds[0].items():
        shape = (len(bags), most) + first.shape[1:]
        feed[name] = np.full(shape, "", object) if first.dtype == object else rng.normal(size=shape).astype(first.dtype)
    where = []
    for k, bag in enumerate(bags):
        at = np.sort(rng.choice(most, bag["rows"], replace=False))
        where.append(at)
        mask[k, at] = True
        for name in feed:
            feed[name][k, at] = feeds[k][name]
    names = [o.name for o in session.get_outputs()]
    for name, got in zip(names, session.run(names, {**feed, "mask": mask})):
        for k, bag in enumerate(bags):
            if name not in bag["want"]:
                continue
            one = got[k]
            if name in ("weights", "instance_score", "class_instance_score"):
                if np.any(one[..., ~mask[k]] != 0):
                    sys.exit(f"{folder.name}: output {name} is not 0 at padding")
                one = one[..., where[k]]
            found = max(found, difference(name, one, bag, folder.name))
    return found


def main():
    cases, total = pathlib.Path(sys.argv[1]), 0
    for folder in sorted(p for p in cases.iterdir() if p.is_dir() and (not sys.argv[2:] or p.name in sys.argv[2:])):
        bags = json.loads((folder / "bags.json").read_text())
        found = [alone(folder, bags)]
        if (folder / "batch.onnx").exists():
            found.append(together(folder, bags))
        total += 1
        print(f"{folder.name:34}", *(f"{f:.2g}" for f in found), flush=True)
    print(*wrong, sep="\n")
    print(f"{total} models, {len(wrong)} outputs differ")
    sys.exit(1 if wrong or not total else 0)


if __name__ == "__main__":
    main()
