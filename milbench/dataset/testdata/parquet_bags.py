"""Writes parquet/, tables of instances as pyarrow and pandas write them, and the same as CSV files, and parquet-refused/, tables that cannot
be read. A file NAME-more.parquet has the content of NAME.csv. Run: python parquet_bags.py (needs pandas and pyarrow).
"""

import datetime
import decimal
import pathlib
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

here = pathlib.Path(__file__).parent
folder, refused = here / "parquet", here / "parquet-refused"
for f in (folder, refused):
    shutil.rmtree(f, ignore_errors=True)
    f.mkdir()

# The rows of a bag are not adjacent; one bag is of no group.
N = 23
rows = np.arange(N)
bag = rows % 5
table = pd.DataFrame({
    "slide_id": [f"slide {b}" for b in bag],
    "grade": [["benign", "tumor", "größer"][b % 3] for b in bag],
    "case_id": [None if b == 4 else f"p{b // 2}" for b in bag],
    "split": ["val" if b == 4 else "test" if b == 3 else "train" for b in bag],
    "instance_label": (rows % 3 == 0).astype("i8"),
    "count": (rows * 7 % 11 - 5).astype("i4"),
    "area": rows / 8 - 1,
    "weight": (rows * 0.1).astype("f4"),
    "round": rows % 2 == 1,
})


def csv(name, frame):
    frame = frame.copy()
    for c in frame:
        if frame[c].dtype == bool:
            frame[c] = frame[c].astype(int)
    frame.to_csv(folder / f"{name}.csv", index=False)


def write(name, what, where=folder, **options):
    if isinstance(what, pd.DataFrame):
        what = pa.Table.from_pandas(what, preserve_index=False)
    pq.write_table(what, where / f"{name}.parquet", **options)


csv("bags", table)
for codec in ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]:
    for version in ["1.0", "2.0"]:
        for dictionary in [True, False]:
            write(f"bags-{codec}-{version}-{'dictionary' if dictionary else 'plain'}", table,
                  compression=codec, data_page_version=version, use_dictionary=dictionary)
write("bags-groups", table, row_group_size=4)
for version in ["1.0", "2.0"]:
    write(f"bags-pages-{version}", table, data_page_size=16, write_batch_size=3, data_page_version=version, use_dictionary=["grade"], write_page_checksum=True)
write("bags-split", table, use_dictionary=False, use_byte_stream_split=["count", "area", "weight", "instance_label"], data_page_size=32, write_batch_size=5)
write("bags-delta", table, use_dictionary=False, column_encoding={
    "slide_id": "DELTA_BYTE_ARRAY", "grade": "DELTA_LENGTH_BYTE_ARRAY", "case_id": "DELTA_BYTE_ARRAY", "split": "DELTA_LENGTH_BYTE_ARRAY",
    "instance_label": "DELTA_BINARY_PACKED", "count": "DELTA_BINARY_PACKED", "area": "BYTE_STREAM_SPLIT", "weight": "PLAIN", "round": "RLE"})
write("bags-required", pa.Table.from_pandas(table, preserve_index=False).cast(pa.schema(
    [pa.field(c, t, nullable=c == "case_id") for c, t in zip(table, [pa.string()] * 4 + [pa.int64(), pa.int32(), pa.float64(), pa.float32(), pa.bool_()])])))
table.set_axis(rows[::-1] * 2).to_parquet(folder / "bags-index.parquet")  # with the column __index_level_0__
table.astype({"slide_id": "category", "grade": "category", "case_id": "string", "count": "Int16", "area": "Float64", "round": "boolean"}).to_parquet(folder / "bags-pandas.parquet")
whole = pa.Table.from_pandas(table, preserve_index=False)
for name, kind in {"large": pa.large_string(), "view": pa.string_view(), "binary": pa.binary()}.items():
    write(f"bags-{name}", pa.table({c: whole[c].cast(kind) if i < 4 else whole[c] for i, c in enumerate(table)}))

# Numbers of every type, to their limits.
types = {"bag": pa.array(list("aaabbb"), pa.large_string()), "label": pa.array([0, 0, 0, 1, 1, 1], pa.uint8())}
for bits in (8, 16, 32, 64):
    types[f"int{bits}"] = pa.array([-2**(bits - 1), 2**(bits - 1) - 1, 0, 1, -1, 7], f"int{bits}")
    types[f"uint{bits}"] = pa.array([2**bits - 1, 2**(bits - 1), 0, 1, 2, 7], f"uint{bits}")
for kind, most, least in (("float16", 65504, 2**-24), ("float32", 3.4028235e38, 1e-45), ("float64", 3.4e38, 1 / 3)):
    types[kind] = pa.array(np.array([most, -most, least, -0.0, 0.1, -2.5], kind))
places = [decimal.Decimal(t) for t in ("-0.05", "123.45", "0", "-99.99", "0.01", "7")]
for kind in (pa.decimal32(7, 2), pa.decimal64(12, 2), pa.decimal128(5, 2), pa.decimal128(38, 2), pa.decimal256(76, 2)):
    types[f"{kind}".replace(", ", "_")] = pa.array(places, kind)
types["decimal128_0"] = pa.array([decimal.Decimal(t) for t in (1, -1, 255, -256, 0, 10**9)], pa.decimal128(10, 0))
types["bool"] = pa.array([True, False, False, True, True, False])
types["number in text"] = pa.array(["1", "2.5", "-3", "4e2", "5", "6"])
types["fixed text"] = pa.array([b"01", b"02", b"10", b"20", b"30", b"04"], pa.binary(2))
types["duration"] = pa.array([1, 2, 3, 4, 5, 6], pa.duration("s"))
types = pa.table(types)
with open(folder / "types.csv", "w") as f:
    print(*(f'"{c}"' for c in types.column_names), sep=",", file=f)
    for row in zip(*(c.cast("int64").to_pylist() if pa.types.is_duration(c.type) else c.to_pylist() for c in types.columns)):
        print(*(v.decode() if isinstance(v, bytes) else int(v) if isinstance(v, bool) else v for v in row), sep=",", file=f)
for version in ["1.0", "2.0"]:
    write(f"types-plain-{version}", types, use_dictionary=False, data_page_version=version)
    write(f"types-dictionary-{version}", types, data_page_version=version)
write("types-integers", types, store_decimal_as_integer=True)
flat = [c for c in types.column_names if types[c].type not in (pa.bool_(), pa.large_string(), pa.string())]
write("types-split", types, use_dictionary=False, use_byte_stream_split=flat)
delta = {c: "DELTA_BINARY_PACKED" for c in types.column_names if pa.types.is_integer(types[c].type)}
write("types-delta", types, use_dictionary=False, column_encoding=delta | {"fixed text": "DELTA_BYTE_ARRAY", "float16": "DELTA_BYTE_ARRAY"})

# A column of embeddings.
x = (np.arange(4 * N).reshape(N, 4) * 5 % 17 / 4 - 2)
labels = (bag > 1).astype(int)
csv("lists", pd.DataFrame({"bag": bag, "label": labels, **{f"embedding{k + 1}": x[:, k] for k in range(4)}, "last": rows}))


def lists(kind):
    return pa.table({"bag": bag, "label": labels, "embedding": pa.array(list(x.astype("f2") if "halffloat" in str(kind) else x), kind), "last": rows})


write("lists-float", lists(pa.list_(pa.float32())))
write("lists-fixed", lists(pa.list_(pa.float32(), 4)), use_dictionary=False)
write("lists-half", lists(pa.list_(pa.float16())))
write("lists-large", lists(pa.large_list(pa.float64())), use_dictionary=False, use_byte_stream_split=True)
write("lists-required", lists(pa.list_(pa.field("item", pa.float32(), nullable=False))), row_group_size=5)
write("lists-legacy", lists(pa.list_(pa.float32())), use_compliant_nested_type=False)
for version in ["1.0", "2.0"]:
    write(f"lists-pages-{version}", lists(pa.list_(pa.float64())), data_page_size=16, write_batch_size=3, row_group_size=10, data_page_version=version)
pd.DataFrame({"bag": bag, "label": labels, "embedding": list(x), "last": rows}, index=rows + 3).to_parquet(folder / "lists-pandas.parquet")

# A file of no rows, and columns that are refused.
write("empty", table[:0], where=refused)
for name, column in {
    "ragged": pa.array([[1.0, 2.0], [1.0, 2.0], [1.0]]),
    "lack": pa.array([[1.0, 2.0], None, [1.0, 2.0]]),
    "nothing": pa.array([[], [], []], pa.list_(pa.float32())),
    "hole": pa.array([[1.0, 2.0], [1.0, None], [1.0, 2.0]]),
    "null": pa.array([1.0, 2.0, None]),
    "infinite": pa.array([1.0, 2.0, float("inf")]),
    "words": pa.array(["x", "y", "z"]),
    "lists": pa.array([[[1.0]], [[1.0]], [[1.0]]]),
    "struct": pa.array([{"x": 1, "y": 2}] * 3),
    "one": pa.array([{"x": 1}] * 3),
    "structs": pa.array([[{"x": 1}]] * 3),
    "map": pa.array([[("x", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
    "timestamp": pa.array([datetime.datetime(2020, 1, 1)] * 3),
    "date": pa.array([datetime.date(2020, 1, 1)] * 3),
    "time": pa.array([datetime.time(1)] * 3),
    "uuid": pa.array([b"0123456789abcdef"] * 3, pa.uuid()),
}.items():
    write(name, pa.table({"bag": ["a", "b", "b"], "label": [0, 1, 1], "x": column}), where=refused)
write("int96", pa.table({"bag": ["a", "b"], "label": [0, 1], "x": [datetime.datetime(2020, 1, 1)] * 2}), where=refused, use_deprecated_int96_timestamps=True)
write("nobag", pa.table({"0": [1, 2], "1": [0, 1], "2": [0, 1]}), where=refused)
write("disagrees", pa.table({"bag": ["a", "a"], "label": [0, 1], "x": [0, 1]}), where=refused)
write("unused", pa.table({"bag": ["a", "b"], "label": [0, 1], "x": [0.5, 1.5], "day": [datetime.date(2020, 1, 1)] * 2, "tags": [["t"], []], "z": [1.0, None]}), where=refused)
print("wrote parquet and parquet-refused")
