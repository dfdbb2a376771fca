"""Writes torch/, a tensor of every type and layout that torch.save writes, and torch.json: what each holds, or null where it is to be refused.
Run: python torch_bags.py (needs torch and numpy).
"""

import json
import pathlib
import shutil

import torch

here = pathlib.Path(__file__).parent
folder = here / "torch"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir()
good = {}


def save(name, x, tensor=None, **how):
    torch.save(x, folder / f"{name}.pt", **how)
    good[name] = None if tensor is None else tensor.to(torch.float32).tolist()


base = torch.arange(12).reshape(4, 3)
for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    x = base.to(kind) if kind == torch.uint8 else (base - 5).to(kind)
    save(str(kind).removeprefix("torch."), x, x)
save("bool", base.to(torch.bool), base.to(torch.bool))
for kind in (torch.complex64, torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn):
    save(str(kind).removeprefix("torch."), base.to(kind))
x = (base - 5).to(torch.float32) / 4
save("one slide", x[None], x)
save("requires grad", x.clone().requires_grad_(), x)
save("parameter", torch.nn.Parameter(x), x)
save("transposed", x.T.contiguous().T, x)
save("part", torch.cat([x, x])[4:], x)
save("one row", x[:1], x[:1])
save("one column", x[:, :1].clone(), x[:, :1])
save("dictionary", {"features": x, "other": x * 2, "n": 3, "names": ["a"]}, x)
save("alone", {"x": x, "n": 3}, x)
save("module", torch.nn.Linear(3, 4, bias=False).state_dict() | {"features": x}, x)
save("columns", x[:, ::2])
save("repeated", x[:1].expand(4, 3))
save("several", {"x": x, "y": x})
save("list", [x, x])
save("none", {"n": 3})
save("flat", x.reshape(-1))
save("cube", torch.stack([x, x]))
save("empty", x[:0])
save("not finite", x / 0)
save("sparse", x.to_sparse())
save("legacy", x, _use_new_zipfile_serialization=False)
save("object", torch.nn.Linear(3, 4))
(here / "torch.json").write_text(json.dumps(good, indent=0).replace("\n", " ") + "\n")
print(len(good), "files")
