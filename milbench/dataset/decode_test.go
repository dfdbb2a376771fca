package dataset

import (
	"encoding/binary"
	"testing"
)

// BenchmarkDecode reads numbers of files.
func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"f2", "f4", "f8", "i2"} {
		b.Run(name, func(b *testing.B) {
			d, dst := numpyTypes[name], make([]float32, 1<<16)
			bytes := make([]byte, d.width*len(dst))
			for i := range bytes {
				bytes[i] = byte(i * i)
				if i%d.width == d.width-1 {
					bytes[i] = 0x3b // a moderate exponent
				}
			}
			b.SetBytes(int64(len(bytes)))
			for b.Loop() {
				if _, err := d.float32s(binary.LittleEndian, bytes, dst, nil, 0, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
