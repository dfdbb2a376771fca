package batched

import (
	"hash/fnv"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// DropoutKey is the DropoutKey of package synlayer.
func DropoutKey(seed, step *Node) *Node {
	seed, step = ConvertDType(seed, dtypes.Uint32), ConvertDType(step, dtypes.Uint32)
	return mix(Add(mix(seed), Mul(step, Const(step.Graph(), uint32(0x9e3779b1)))))
}

// Dropout is the Dropout of package synlayer.
func Dropout(scope *model.Scope, x, rate, key *Node) *Node {
	checkRank(x)
	if key == nil {
		return x
	}
	dims := x.Shape().Dimensions
	entries := slices.Repeat([]int{1}, len(dims))
	copy(entries[len(dims)-2:], dims[len(dims)-2:])
	return drop(scope, x, IotaFull(x.Graph(), shapes.Make(dtypes.Uint32, entries...)), rate, key)
}

// paramFrom is the key of a graph's parameter that holds the arguments of [DropoutFrom].
const paramFrom = "/synlayer_dropout_from"

// DropoutFrom makes dropout, from now on in the graph of bag, treat its input as a part of a larger batch: its first bag has
// the number bag in that batch, and its first instance the number row in that bag. Both are scalars of uint32; nil means 0.
func DropoutFrom(bag, row *Node) {
	model.SetGraphParam(bag.Graph(), paramFrom, [2]*Node{bag, row})
}

// from returns the arguments of DropoutFrom.
func from(g *Graph) (bag, row *Node) {
	if value, ok := model.GetGraphParam(g, paramFrom); ok {
		pair := value.([2]*Node)
		return pair[0], pair[1]
	}
	return nil, nil
}

// SparseDropout is [Dropout] for the instances of sparse bags, with the key of the bags. It drops the same entries as for
// dense bags.
func SparseDropout(scope *model.Scope, bags Sparse, rate *Node) *Node {
	checkRank(bags.X)
	if bags.DropoutKey == nil {
		return bags.X
	}
	bags.checkColumns()
	instances := slices.Repeat([]int{1}, bags.X.Rank())
	instances[len(instances)-2] = bags.X.Shape().Dim(-2)
	g := bags.X.Graph()
	features := bags.Numbered
	if features == nil {
		features = Const(g, uint32(bags.Features))
	}
	first := Mul(IotaFull(g, shapes.Make(dtypes.Uint32, instances...)), features)
	entry := Add(first, ExpandAxes(ConvertDType(bags.Columns, dtypes.Uint32), -2))
	return drop(scope, bags.X, entry, rate, bags.DropoutKey)
}

// drop is [Dropout] with explicit numbers of the entries in their bag; entry must broadcast to x.
func drop(scope *model.Scope, x, entry, rate, key *Node) *Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	rank := x.Rank()
	salt := fnv.New32a()
	salt.Write([]byte(scope.Scope()))
	key = mix(BitwiseXor(key, Const(g, salt.Sum32())))
	if !key.IsScalar() {
		key.AssertDims(dims[0])
		expanded := slices.Repeat([]int{1}, rank)
		expanded[0] = dims[0]
		key = Reshape(key, expanded...)
	}
	bagDims := slices.Repeat([]int{1}, rank)
	bagDims[rank-3] = dims[rank-3]
	bag := IotaFull(g, shapes.Make(dtypes.Uint32, bagDims...))
	firstBag, firstRow := from(g)
	if firstBag != nil {
		bag = Add(bag, firstBag)
	}
	if firstRow != nil {
		entry = Add(entry, Mul(firstRow, Const(g, uint32(dims[rank-1]))))
	}
	// Two words of key per bag: with one, the patterns of all bags would be windows of a single sequence.
	start := mix(Add(bag, key))
	bits := mix(BitwiseXor(Add(start, entry), mix(BitwiseXor(start, Const(g, uint32(0x9e3779b9))))))
	// The upper 24 bits are exact in float32, whatever x is: both types drop the same entries.
	uniform := MulScalar(ConvertDType(BitwiseShiftRightLogicalScalar(bits, uint32(8)), dtypes.Float32), 1./(1<<24))
	keep := BroadcastToDims(GreaterOrEqual(uniform, Along(rate, uniform)), dims...)
	return Where(keep, Mul(x, Along(Reciprocal(OneMinus(rate)), x)), ZerosLike(x))
}

// mix is a bijective hash of 32 bits with good avalanche (Wellons' lowbias32). Unlike the backend's random numbers, XLA can
// fuse it into its consumer.
func mix(x *Node) *Node {
	g := x.Graph()
	x = BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, uint32(16)))
	x = Mul(x, Const(g, uint32(0x7feb352d)))
	x = BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, uint32(15)))
	x = Mul(x, Const(g, uint32(0x846ca68b)))
	return BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, uint32(16)))
}
