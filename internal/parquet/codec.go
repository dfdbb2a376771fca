package parquet

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// codecs decompresses pages, and reuses its buffers for all pages.
type codecs struct {
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

// inflate decompresses src to size bytes, in dst if they fit. It never produces more, whatever src claims.
func (c *codecs) inflate(codec format.CompressionCodec, dst, src []byte, size int) (out []byte, err error) {
	if size > usualPage && size/mostPage > len(src) {
		return nil, damagedf("a page of %d bytes that inflates to %d", len(src), size)
	}
	if size == 0 {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = damagedf("compressed data (%v): %v", codec, p)
		}
	}()
	whole := slices.Grow(dst[:0], size)[:size]
	dst = whole[:size:size] // nothing is written after it
	n := 0
	switch codec {
	case format.Snappy:
		if n, err = snappy.DecodedLen(src); err == nil && n == size {
			_, err = snappy.Decode(dst, src)
		}
	case format.Gzip:
		if c.gzip == nil {
			c.gzip = new(gzip.Reader)
		}
		if err = c.gzip.Reset(bytes.NewReader(src)); err == nil {
			n, err = readAll(c.gzip, dst)
		}
	case format.Brotli:
		if c.brotli == nil {
			c.brotli = brotli.NewReader(nil)
		}
		if err = c.brotli.Reset(bytes.NewReader(src)); err == nil {
			n, err = readAll(c.brotli, dst)
		}
	case format.Zstd:
		if c.zstd == nil {
			if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
				return nil, err
			}
		}
		var all []byte
		all, err = c.zstd.DecodeAll(src, dst[:0])
		n = len(all)
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	default:
		return nil, fmt.Errorf("compressed with %v, which is not read; save it with compression zstd", codec)
	}
	if err != nil || n != size {
		return nil, damagedf("compressed data (%v) of %d bytes instead of %d: %v", codec, n, size, err)
	}
	return whole, nil
}

// readAll fills dst from r, which must have no more data; a checksum, if any, is read and verified at its end.
func readAll(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	if _, err := io.ReadFull(r, make([]byte, 1)); err != io.EOF {
		return n, fmt.Errorf("more than that, or another checksum: %w", cmp.Or(err, errForm))
	}
	return n, nil
}
