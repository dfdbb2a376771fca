package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"synpool/internal/alloctest"
)

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// draft is a file of one column x, whose sizes and counts a test sets to false values.
type draft struct {
	header format.PageHeader
	page   []byte
	meta   format.FileMetaData
}

// newDraft returns a file of the int32 values, in one page.
func newDraft(values ...int32) *draft {
	d := &draft{}
	for _, v := range values {
		d.page = binary.LittleEndian.AppendUint32(d.page, uint32(v))
	}
	n := int32(len(values))
	d.header = format.PageHeader{Type: format.DataPage}
	d.header.DataPageHeader.Set(format.DataPageHeader{NumValues: n, Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})
	d.meta = format.FileMetaData{
		Schema:    []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](1)}, {Name: "x", Type: thrift.New(format.Int32)}},
		RowGroups: []format.RowGroup{{NumRows: int64(n), Columns: []format.ColumnChunk{{}}}},
	}
	d.chunk().MetaData = format.ColumnMetaData{Type: format.Int32, NumValues: int64(n), DataPageOffset: 4}
	return d
}

func (d *draft) chunk() *format.ColumnChunk { return &d.meta.RowGroups[0].Columns[0] }

// file returns the bytes; sizes that are 0 are set as they are.
func (d *draft) file(t *testing.T) []byte {
	t.Helper()
	if d.header.CompressedPageSize == 0 {
		d.header.CompressedPageSize = int32(len(d.page))
	}
	if d.header.UncompressedPageSize == 0 {
		d.header.UncompressedPageSize = int32(len(d.page))
	}
	b := append([]byte(Magic), marshal(t, d.header)...)
	b = append(b, d.page...)
	if d.chunk().MetaData.TotalCompressedSize == 0 {
		d.chunk().MetaData.TotalCompressedSize = int64(len(b) - 4)
	}
	footer := marshal(t, d.meta)
	return append(binary.LittleEndian.AppendUint32(append(b, footer...), uint32(len(footer))), Magic...)
}

// read returns the rows of a file of one column. A row has no more than one value.
func read(data []byte) (all []string, err error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	err = f.Rows([]int{0}, func(row int, cells [][]string) error {
		if row != len(all)+1 {
			return fmt.Errorf("row %d after %d", row, len(all))
		}
		all = append(all, cells[0]...)
		return nil
	})
	return all, err
}

func TestDraft(t *testing.T) {
	d := newDraft(3, -4, -4)
	d.header.CRC = int32(crc32.ChecksumIEEE(d.page))
	all, err := read(d.file(t))
	if err != nil || !slices.Equal(all, []string{"3", "-4", "-4"}) {
		t.Errorf("%q, %v", all, err)
	}
}

// TestLies: whatever a file claims, reading takes no more time and memory than its real contents need.
func TestLies(t *testing.T) {
	data := func(d *draft) *format.DataPageHeader { return &d.header.DataPageHeader.V }
	claim := func(d *draft, n int64) {
		d.meta.RowGroups[0].NumRows, d.chunk().MetaData.NumValues, data(d).NumValues = n, n, int32(n)
	}
	dictionary := func(d *draft, page ...byte) {
		d.page = page
		data(d).Encoding = format.RLEDictionary
	}
	compressed := func(d *draft, codec format.CompressionCodec, size int32, page ...byte) {
		d.chunk().MetaData.Codec, d.page, d.header.UncompressedPageSize = codec, page, size
	}
	for want, lie := range map[string]func(d *draft){
		"1099511627776 values in 1099511627776 rows": func(d *draft) { claim(d, 1<<40) },
		"fewer values than it claims":                func(d *draft) { claim(d, 1000) },
		"values and rows are not as many": func(d *draft) {
			d.meta.Schema[1].RepetitionType = thrift.New(format.Repeated)
			d.page = []byte{2, 0, 0, 0, 6, 1, 2, 0, 0, 0, 6, 1} // every value goes on with a row
		},
		"more values than rows":                func(d *draft) { d.meta.RowGroups[0].NumRows = 1 },
		"a page of 7 values, where 3 are left": func(d *draft) { data(d).NumValues = 7 },
		"a page of -1 values":                  func(d *draft) { data(d).NumValues = -1 },
		"a page of 2147483647 bytes":           func(d *draft) { d.header.CompressedPageSize = math.MaxInt32 },
		"a page of -5 bytes":                   func(d *draft) { d.header.CompressedPageSize = -5 },
		"99999 bytes of values at byte 4":      func(d *draft) { d.chunk().MetaData.TotalCompressedSize = 99999 },
		"at byte 9223372036854775807":          func(d *draft) { d.chunk().MetaData.DataPageOffset = math.MaxInt64 },
		"a group of rows has 0 columns of 1": func(d *draft) {
			d.meta.RowGroups = append(d.meta.RowGroups, format.RowGroup{Columns: []format.ColumnChunk{}})
		},
		"schema of 2 elements": func(d *draft) { d.meta.Schema[1] = format.SchemaElement{NumChildren: thrift.New[int32](math.MaxInt32)} },
		"no columns":           func(d *draft) { d.meta.Schema = d.meta.Schema[:1] },
		"other files":          func(d *draft) { d.chunk().FilePath = "x" },
		"encrypted":            func(d *draft) { d.meta.EncryptionAlgorithm.Value = &format.AesGcmV1{} },
		"values of type DOUBLE in a column of INT32": func(d *draft) { d.chunk().MetaData.Type = format.Double },
		"a page with a wrong checksum":               func(d *draft) { d.header.CRC = 5 },
		"value 0 of a dictionary of 0":               func(d *draft) { dictionary(d, 1, 6, 0) },
		"indices of 33 bits":                         func(d *draft) { dictionary(d, 33, 6, 0) },
		"a dictionary of -2 values": func(d *draft) {
			d.header.Type = format.DictionaryPage
			d.header.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: -2})
		},
		"dictionary: a page of fewer": func(d *draft) {
			d.header.Type = format.DictionaryPage
			d.header.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: math.MaxInt32})
		},
		"differences in blocks of 128, in 0 parts":      func(d *draft) { d.page = []byte{128, 1, 0, 9, 0}; data(d).Encoding = format.DeltaBinaryPacked },
		"values of type INT32 with encoding DELTA_BYTE": func(d *draft) { data(d).Encoding = format.DeltaByteArray },
		"levels with encoding BIT_PACKED": func(d *draft) {
			d.meta.Schema[1].RepetitionType = thrift.New(format.Optional)
			data(d).DefinitionLevelEncoding = format.BitPacked
		},
		"compressed with LZO, which is not read; save it": func(d *draft) { compressed(d, format.LZO, 12, 1, 2, 3) },
		"compressed with LZ4, which is not read; save it": func(d *draft) { compressed(d, format.Lz4, 12, 1, 2, 3) },
		"CompressionCodec(?), which is not":               func(d *draft) { compressed(d, 99, 12, 1, 2, 3) },
		"a page of 3 bytes that inflates to 2147483647":   func(d *draft) { compressed(d, format.Zstd, math.MaxInt32, 1, 2, 3) },
		"data (SNAPPY) of 268435455 bytes instead of 12":  func(d *draft) { compressed(d, format.Snappy, 12, 255, 255, 255, 127, 0) },
		"data (LZ4_RAW) of 0 bytes instead of 12":         func(d *draft) { compressed(d, format.Lz4Raw, 12, 0xf0, 1, 1) },
		"data (ZSTD) of 0 bytes instead of 12": func(d *draft) {
			compressed(d, format.Zstd, 12, 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
		}, // 4 GB claimed
		"data (GZIP) of 0 bytes instead of 12":   func(d *draft) { compressed(d, format.Gzip, 12, 0x1f, 0x8b, 8) },
		"data (BROTLI) of 0 bytes instead of 12": func(d *draft) { compressed(d, format.Brotli, 12, 0xff, 0xff, 0xff) },
	} {
		d := newDraft(1, 2, 3)
		lie(d)
		b := d.file(t)
		alloctest.Bounded(t, b, 0, func() {
			_, err := read(b)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v\nwant %s", err, want)
			}
			other := regexp.MustCompile("is not read|encrypted|other files") // nothing is wrong with the file
			if err != nil && errors.Is(err, ErrDamaged) == other.MatchString(err.Error()) {
				t.Errorf("%v: damaged or not?", err)
			}
		})
	}
}

// TestLongRun: a run is as long as the rows, however few bytes it has, and 1032 for each byte of the file at most.
func TestLongRun(t *testing.T) {
	run := func(n int64) []byte {
		d := newDraft(0)
		d.meta.Schema[1].RepetitionType = thrift.New(format.Optional)
		run := binary.AppendUvarint(nil, uint64(n)<<1) // of level 0: nulls
		d.page = append(binary.LittleEndian.AppendUint32(nil, uint32(len(run)+1)), append(run, 0)...)
		d.meta.RowGroups[0].NumRows, d.chunk().MetaData.NumValues, d.header.DataPageHeader.V.NumValues = n, n, int32(n)
		return d.file(t)
	}
	if all, err := read(run(100_000)); err != nil || len(all) != 100_000 || all[99_999] != "" {
		t.Errorf("%d rows, %v", len(all), err)
	}
	if _, err := read(run(1 << 30)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file of 2^30 rows: %v", err)
	}
}

// TestList: no list of a struct of Thrift is longer than the bytes behind it, at any depth.
func TestList(t *testing.T) {
	for name, b := range map[string][]byte{
		"list":   {0x29, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0},
		"set":    {0x2a, 0xf3, 0xff, 0xff, 0xff, 0x7f, 0},
		"map":    {0x2b, 0xff, 0xff, 0xff, 0x7f, 0x55, 0},
		"text":   {0x28, 0xff, 0xff, 0xff, 0x7f, 0},
		"deep":   bytes.Repeat([]byte{0x1c}, 1<<20),
		"lists":  append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...),
		"double": {0x17, 0, 0},
		"number": append([]byte{0x16}, bytes.Repeat([]byte{0xff}, 20)...),
		"kind":   {0x1f, 0},
		"end":    {0x15, 2},
	} {
		alloctest.Bounded(t, nil, 0, func() {
			if n, err := decode(b, new(format.FileMetaData)); err == nil {
				t.Errorf("%s: %d bytes read", name, n)
			}
		})
	}
	header := marshal(t, newDraft(1).header)
	if n, err := decode(append(header, 1, 2, 3), new(format.PageHeader)); err != nil || n != len(header) {
		t.Errorf("%d of %d bytes, %v", n, len(header), err)
	}
}

// TestEncodings decodes what parquet-go encodes.
func TestEncodings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 7, 8, 31, 32, 33, 127, 128, 129, 130, 1000} {
		for width := range 33 {
			small := make([]int32, n)
			large := make([]int64, n)
			for i := range n {
				if random.IntN(3) > 0 && i > 0 {
					small[i], large[i] = small[i-1], large[i-1] // runs
					continue
				}
				small[i] = int32(random.Uint64() & (1<<width - 1))
				large[i] = int64(random.Uint64()) >> (2 * min(width, 31))
			}
			encoded, err := (&rle.Encoding{BitWidth: width}).EncodeInt32(nil, small)
			if err != nil {
				t.Fatal(err)
			}
			l := &levels{data: encoded, width: width}
			for i, want := range small {
				if v, err := l.next(); err != nil || int32(v) != want {
					t.Fatalf("width %d, value %d of %d: %d, want %d, %v", width, i, n, v, want, err)
				}
			}
			for size := 4; size <= 8; size += 4 {
				e := &format.SchemaElement{Type: thrift.New(format.Int64)}
				encoded, err = new(delta.BinaryPackedEncoding).EncodeInt64(nil, large)
				if size == 4 {
					e.Type.V = format.Int32
					encoded, err = new(delta.BinaryPackedEncoding).EncodeInt32(nil, small)
				}
				if err != nil {
					t.Fatal(err)
				}
				values, err := newValues(format.DeltaBinaryPacked, e, encoded, n)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					want := binary.LittleEndian.AppendUint64(nil, uint64(large[i]))
					if size == 4 {
						want = binary.LittleEndian.AppendUint32(nil, uint32(small[i]))
					}
					if v, err := values.next(); err != nil || !bytes.Equal(v, want) {
						t.Fatalf("%d bytes, width %d, value %d of %d: %d, want %d, %v", size, width, i, n, v, want, err)
					}
				}
				if _, err := values.next(); err == nil {
					t.Error("a value more than there are")
				}
			}
		}
	}
}

// TestChecksum: gzip's checksum of the decompressed bytes is verified, and nothing may follow them.
func TestChecksum(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := zipped.Bytes()
	var c codecs
	if out, err := c.inflate(format.Gzip, nil, whole, 100); err != nil || len(out) != 100 {
		t.Fatalf("%d bytes, %v", len(out), err)
	}
	if _, err := c.inflate(format.Gzip, nil, whole, 99); !errors.Is(err, ErrDamaged) {
		t.Errorf("more than is wanted: %v", err)
	}
	whole[len(whole)-6] ^= 1
	if _, err := c.inflate(format.Gzip, nil, whole, 100); !errors.Is(err, ErrDamaged) {
		t.Errorf("another checksum: %v", err)
	}
}
