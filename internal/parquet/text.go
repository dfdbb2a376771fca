package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"synpool/internal/float16"
)

// newText returns a function that appends a value of a column as text, or says what the values are if they are neither
// numbers nor texts.
func newText(e *format.SchemaElement) (text func(dst, value []byte) []byte, refused string) {
	unsigned, scale, decimal := false, 0, false
	switch t := e.LogicalType.Value.(type) {
	case nil:
		if !e.ConvertedType.Valid {
			break
		}
		switch c := e.ConvertedType.V; c {
		case deprecated.UTF8, deprecated.Enum, deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
			unsigned = true
		case deprecated.Decimal:
			decimal, scale = true, int(e.Scale.V)
		case deprecated.Date, deprecated.TimeMillis, deprecated.TimeMicros, deprecated.TimestampMillis, deprecated.TimestampMicros, deprecated.Interval:
			return nil, "times"
		default:
			return nil, fmt.Sprintf("values of the converted type %d", c)
		}
	case *format.StringType, *format.EnumType, *format.NullType:
	case *format.IntType:
		unsigned = !t.IsSigned
	case *format.DecimalType:
		decimal, scale = true, int(t.Scale)
	case *format.Float16Type:
		if e.Type.V != format.FixedLenByteArray || e.TypeLength.V != 2 {
			return nil, fmt.Sprintf("values of type float16 in %v", e.Type.V)
		}
		return func(dst, v []byte) []byte {
			return appendFloat(dst, float64(float16.Float32(binary.LittleEndian.Uint16(v))), 32)
		}, ""
	case *format.DateType, *format.TimeType, *format.TimestampType:
		return nil, "times"
	default:
		return nil, fmt.Sprintf("values of type %v", t)
	}
	if e.Type.V == format.Int96 {
		return nil, "times (INT96)"
	}
	if scale < 0 || scale > 1000 {
		return nil, fmt.Sprintf("decimals of %d places", scale)
	}
	switch e.Type.V {
	case format.Boolean:
		return func(dst, v []byte) []byte { return append(dst, '0'+v[0]) }, ""
	case format.Float:
		return func(dst, v []byte) []byte {
			return appendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(v))), 32)
		}, ""
	case format.Double:
		return func(dst, v []byte) []byte {
			return appendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(v)), 64)
		}, ""
	case format.Int32, format.Int64:
		return func(dst, v []byte) []byte {
			var n int64
			switch {
			case len(v) == 8:
				n = int64(binary.LittleEndian.Uint64(v))
			case unsigned:
				n = int64(binary.LittleEndian.Uint32(v))
			default:
				n = int64(int32(binary.LittleEndian.Uint32(v)))
			}
			switch {
			case decimal:
				return appendDecimal(dst, big.NewInt(n), scale)
			case unsigned:
				return strconv.AppendUint(dst, uint64(n), 10)
			}
			return strconv.AppendInt(dst, n, 10)
		}, ""
	case format.ByteArray, format.FixedLenByteArray:
		switch {
		case e.Type.V == format.FixedLenByteArray && e.TypeLength.V <= 0:
			return nil, "texts of no length"
		case decimal:
			return appendBigDecimal(scale), ""
		}
		return func(dst, v []byte) []byte { return append(dst, v...) }, ""
	}
	return nil, fmt.Sprintf("values of type %v", e.Type.V)
}

// appendFloat appends a number in the fewest digits that read back as the same float of the given bits. Integers have no
// exponent: pandas stores integer ids as float64 if one is missing.
func appendFloat(dst []byte, v float64, bits int) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}

// mostDecimal is the maximum size of a decimal in bytes: 38 digits take 16, 76 take 32.
const mostDecimal = 64

// appendBigDecimal appends decimals that are stored as big-endian numbers in two's complement.
func appendBigDecimal(scale int) func(dst, v []byte) []byte {
	return func(dst, v []byte) []byte {
		if len(v) > mostDecimal {
			return append(dst, "a decimal of too many digits"...)
		}
		n := new(big.Int).SetBytes(v)
		if len(v) > 0 && v[0] > 127 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
		}
		return appendDecimal(dst, n, scale)
	}
}

// appendDecimal appends n / 10^scale.
func appendDecimal(dst []byte, n *big.Int, scale int) []byte {
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	digits := new(big.Int).Abs(n).Append(nil, 10)
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = append(slices.Repeat([]byte{'0'}, missing), digits...)
	}
	point := len(digits) - scale
	dst = append(dst, digits[:point]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[point:]...)
	}
	return dst
}
