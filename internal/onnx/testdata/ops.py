"""Writes ops.json: one model of ONNX for each operator that package onnx evaluates, with inputs and what onnxruntime computes.

    python3 internal/onnx/testdata/ops.py internal/onnx/testdata/ops.json

Needs numpy, onnx and onnxruntime (written with onnx 1.23.2, onnxruntime 1.32.0).
"""

import base64
import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(20261129)
cases = []
TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64, "int32": TensorProto.INT32, "bool": TensorProto.BOOL, "object": TensorProto.STRING}


def plain(array):
    values = [None if isinstance(v, float) and np.isnan(v) else str(v) if isinstance(v, float) and np.isinf(v) else v for v in array.ravel().tolist()]
    return {"type": TYPES[array.dtype.name], "dims": list(array.shape), "values": values}


def case(op, inputs, outputs=1, domain="", constant=(), **attributes):
    names = [f"x{k}" if x is not None else "" for k, x in enumerate(inputs)]
    node = helper.make_node(op, names, [f"y{k}" for k in range(outputs)], domain=domain, **attributes)
    infos = [helper.make_tensor_value_info(n, TYPES[x.dtype.name], x.shape) for k, (n, x) in enumerate(zip(names, inputs)) if x is not None and k not in constant]
    initial = [numpy_helper.from_array(inputs[k], names[k]) for k in constant]
    graph = helper.make_graph([node], op, infos, [onnx.ValueInfoProto(name=f"y{k}") for k in range(outputs)], initial)
    add(op, graph, {n: x for k, (n, x) in enumerate(zip(names, inputs)) if x is not None and k not in constant})


def add(op, graph, feed):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    got = session.run(None, feed)
    cases.append({"op": op, "model": base64.b64encode(model.SerializeToString()).decode(),
                  "inputs": {n: plain(x) for n, x in feed.items()},
                  "outputs": {o.name: plain(np.asarray(y)) for o, y in zip(session.get_outputs(), got)}})


def real(*shape, kind=np.float32):
    return rng.normal(size=shape).astype(kind)


def whole(*values, kind=np.int64):
    return np.array(values, kind)


for op in ["Add", "Sub", "Mul", "Div"]:
    case(op, [real(2, 3), real(2, 3)])
    case(op, [real(2, 1, 3, kind=np.float64), real(4, 1, kind=np.float64)])
    case(op, [whole(7, -8, 9), whole(2, 3, -4)])
case("Pow", [np.abs(real(2, 3)), real(3)])
for op in ["Max", "Min"]:
    case(op, [real(2, 3), real(1), real(2, 1)])
    case(op, [whole(1, 5), whole(3, 2)])
for op in ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]:
    case(op, [np.array([1, 2, 3, np.nan], np.float64), np.array([1, 3, 2, np.nan], np.float64)])
    case(op, [whole(1, 2, 3), whole(2)])
for op in ["And", "Or", "Xor"]:
    case(op, [np.array([True, False]), np.array([[True], [False]])])
case("Not", [np.array([True, False])])
for op in ["Neg", "Abs", "Exp", "Sqrt", "Reciprocal", "Tanh", "Erf", "Sin", "Cos", "Floor", "Ceil", "Round", "Sigmoid", "Sign", "Identity"]:
    x = np.abs(real(3, 2)) if op == "Sqrt" else 3 * real(3, 2)
    case(op, [x])
case("Log", [np.abs(real(3))])
for op in ["Neg", "Abs", "Exp", "Sqrt", "Log", "Sign", "Tanh", "Sigmoid"]:
    case(op, [np.abs(real(3, kind=np.float64)) + 0.1])
case("IsNaN", [np.array([1, np.nan, np.inf], np.float32)])
case("IsInf", [np.array([1, np.nan, np.inf, -np.inf], np.float32)])
for to in [TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL]:
    case("Cast", [np.array([1.5, -2.5, 0], np.float32)], to=to)
case("Cast", [whole(1, 0)], to=TensorProto.FLOAT)
case("Cast", [np.array([True, False])], to=TensorProto.DOUBLE)
case("Where", [np.array([[True], [False]]), real(1, 3), real(2, 1)])
case("Where", [np.array([True, False]), whole(1, 2), whole(3, 4)])
case("MatMul", [real(2, 3), real(3, 4)])
case("MatMul", [real(5, 1, 2, 3), real(4, 3, 2)])
case("MatMul", [real(3), real(3, 2)])
case("MatMul", [real(2, 3, kind=np.float64), real(3, kind=np.float64)])
case("Shape", [real(2, 3)])
case("Transpose", [real(2, 3, 4)])
case("Transpose", [real(2, 3, 4)], perm=[1, 0, 2])
case("Reshape", [real(2, 6), whole(0, -1, 3)], constant=[1])
case("Unsqueeze", [real(2, 3), whole(0, -1)], constant=[1])
case("Squeeze", [real(1, 3, 1), whole(0)], constant=[1])
case("Squeeze", [real(1, 3, 1)])
case("Expand", [real(3, 1), whole(2, 1, 4)], constant=[1])
case("Range", [np.array(1, np.int64), np.array(9, np.int64), np.array(3, np.int64)])
case("Range", [np.array(1, np.float32), np.array(2, np.float32), np.array(0.3, np.float32)])
case("Concat", [real(2, 1), real(2, 3)], axis=-1)
case("Concat", [np.array(["a"], object), np.array(["b", "c"], object)], axis=0)
case("Slice", [real(5, 4), whole(1, -3), whole(2**62, -1), whole(0, 1), whole(2, 1)], constant=[1, 2, 3, 4])
case("Gather", [real(3, 4), whole(2, -1)], axis=1)
case("Gather", [real(3, 4), np.array(1, np.int64)])
case("Compress", [real(3, 2), np.array([True, False, True])], axis=0)
case("TopK", [np.array([[3, 1, 2, 3], [0, 5, 4, 5]], np.float32), whole(3)], outputs=2, constant=[1])
case("TopK", [np.array([[3, 1, 2], [0, 5, 4]], np.float64), whole(2)], outputs=2, constant=[1], axis=0, largest=0)
for op in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"]:
    case(op, [real(2, 3, 4), whole(0, -1)], constant=[1], keepdims=0)
    case(op, [real(2, 3, kind=np.float64), whole(1)], constant=[1])
    case(op, [real(2, 3)])
case("ReduceMax", [whole(1, 7, 3), whole(0)], constant=[1])
for op in ["ArgMax", "ArgMin"]:
    case(op, [np.array([[1, 3, 3], [2, 2, 0]], np.float32)], axis=1)
    case(op, [real(3, 4)], axis=0, keepdims=0)
for op in ["Softmax"]:
    case(op, [5 * real(2, 3, 4)])
    case(op, [5 * real(2, 3, 4)], axis=1)
case("CumSum", [real(2, 3), np.array(1, np.int64)])
case("OneHotEncoder", [np.array([["red", "blue"], ["green", ""]], object)], domain="ai.onnx.ml", cats_strings=["red", "green", "blue"], zeros=1)
case("TreeEnsembleRegressor", [3 * real(20, 2)], domain="ai.onnx.ml", n_targets=2,
     nodes_treeids=[0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids=[0, 0, 0, 1, 0, 0, 0, 0],
     nodes_values=[0.5, 0, 0, -0.25, 1.5, 0, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"],
     nodes_truenodeids=[1, 0, 0, 1, 2, 0, 0, 0], nodes_falsenodeids=[2, 0, 0, 4, 3, 0, 0, 0],
     target_treeids=[0, 0, 0, 1, 1, 1], target_nodeids=[1, 2, 2, 2, 3, 4], target_ids=[0, 0, 1, 1, 0, 1], target_weights=[1, 2, 3, 4, 5, 6.5])

# A loop: the carried value doubles, each iteration also gives a row of its own.
i, more, state = (helper.make_tensor_value_info(n, t, s) for n, t, s in [("i", TensorProto.INT64, []), ("more", TensorProto.BOOL, []), ("state", TensorProto.FLOAT, [2])])
body = helper.make_graph(
    [helper.make_node("Identity", ["more"], ["on"]), helper.make_node("Add", ["state", "state"], ["twice"]),
     helper.make_node("Gather", ["outer", "i"], ["row"], axis=0)], "body", [i, more, state],
    [helper.make_tensor_value_info("on", TensorProto.BOOL, []), helper.make_tensor_value_info("twice", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("row", TensorProto.FLOAT, [3])])
loop = helper.make_node("Loop", ["count", "", "x0"], ["y0", "y1"], body=body)
graph = helper.make_graph([loop], "Loop", [helper.make_tensor_value_info("count", TensorProto.INT64, []), helper.make_tensor_value_info("x0", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("outer", TensorProto.FLOAT, [4, 3])],
                          [helper.make_tensor_value_info("y0", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("y1", TensorProto.FLOAT, [None, 3])])
add("Loop", graph, {"count": np.array(3, np.int64), "x0": real(2), "outer": real(4, 3)})

with open(sys.argv[1], "w") as file:
    json.dump(cases, file, separators=(",", ":"))
print(len(cases), "cases of", len({c["op"] for c in cases}), "operators")
