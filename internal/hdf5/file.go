package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Signature is the start of an HDF5 file. It may also be at offset 512 bytes, 1 KB, 2 KB and so on.
const Signature = "\x89HDF\r\n\x1a\n"

// undefined is the undefined address.
const undefined = ^uint64(0)

// Limits of a walk through a file, besides the file itself.
const (
	maxHeader   = 1 << 20 // bytes of an object's messages
	maxBlocks   = 1 << 10 // blocks of messages
	maxNodes    = 1 << 16 // nodes of a tree
	maxChildren = 1 << 20 // children of a group
	maxRank     = 32
)

// File is an HDF5 file. Its methods may be called by several goroutines, if the reader can.
type File struct {
	in   io.ReaderAt
	size uint64 // size after base
	base uint64 // base of all addresses
	root uint64 // address of the root group's header
}

// Open reads the superblock of a file of size bytes.
func Open(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, size: uint64(max(size, 0))}
	for at := uint64(0); ; at = max(512, 2*at) {
		if at+uint64(len(Signature)) > f.size {
			return nil, damagedf("no HDF5 file")
		}
		b, err := f.bytes(at, uint64(len(Signature)))
		if err != nil {
			return nil, err
		}
		if string(b) == Signature {
			return f, f.superblock(at + uint64(len(Signature)))
		}
	}
}

// superblock reads the part after the signature.
func (f *File) superblock(at uint64) error {
	start := at - uint64(len(Signature))
	b, err := f.bytes(at, min(104, f.size-at))
	if err != nil {
		return err
	}
	c := cursor{b: b}
	var base, end uint64
	switch version := c.byte(); version {
	case 0, 1:
		c.skip(4)
		if err := c.sizes(); err != nil {
			return err
		}
		c.skip(1 + 2 + 2 + 4)
		if version == 1 {
			c.skip(4)
		}
		base = c.uint64()
		c.skip(8)
		end = c.uint64()
		c.skip(8 + 8)
		f.root = c.uint64()
	case 2, 3:
		if err := c.sizes(); err != nil {
			return err
		}
		c.skip(1)
		base = c.uint64()
		c.skip(8)
		end = c.uint64()
		f.root = c.uint64()
	default:
		return unsupportedf("version %d of the superblock", version)
	}
	if c.short {
		return damagedf("ends early")
	}
	if base != start && base != 0 || base > f.size {
		return damagedf("addresses relative to %d", base)
	}
	if end != undefined && end > f.size {
		return damagedf("ends early: %d of %d bytes", f.size, end)
	}
	f.base, f.size = base, f.size-base
	return nil
}

// sizes reads the sizes of addresses and lengths, which are 8 bytes in today's files.
func (c *cursor) sizes() error {
	if a, l := c.byte(), c.byte(); !c.short && (a != 8 || l != 8) {
		return unsupportedf("addresses of %d and lengths of %d bytes", a, l)
	}
	return nil
}

// bytes reads n bytes at an address. It never allocates more than the size of the file.
func (f *File) bytes(at, n uint64) ([]byte, error) {
	if at > f.size || n > f.size-at {
		return nil, damagedf("%d bytes at %d of a file of %d", n, at, f.size)
	}
	b := make([]byte, n)
	if read, err := f.in.ReadAt(b, int64(f.base+at)); read < len(b) {
		if err == io.EOF {
			return nil, damagedf("ends early")
		}
		return nil, err
	}
	return b, nil
}

// cursor reads little-endian numbers from bytes. Beyond their end it reads zeros and notes that they were too short.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) next(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.short, c.b = true, nil
		return make([]byte, min(n, 8))
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) skip(n uint64) {
	if n > uint64(len(c.b)) {
		c.short, c.b = true, nil
		return
	}
	c.b = c.b[n:]
}

func (c *cursor) byte() byte     { return c.next(1)[0] }
func (c *cursor) uint16() uint16 { return binary.LittleEndian.Uint16(c.next(2)) }
func (c *cursor) uint32() uint32 { return binary.LittleEndian.Uint32(c.next(4)) }
func (c *cursor) uint64() uint64 { return binary.LittleEndian.Uint64(c.next(8)) }

// sized reads a number of n bytes, 1, 2, 4 or 8 of them.
func (c *cursor) sized(n int) uint64 {
	var b [8]byte
	copy(b[:], c.next(uint64(n)))
	return binary.LittleEndian.Uint64(b[:])
}

// Types of messages in headers of objects.
const (
	spaceMessage        = 0x01
	linkInfoMessage     = 0x02
	typeMessage         = 0x03
	linkMessage         = 0x06
	externalMessage     = 0x07
	layoutMessage       = 0x08
	filterMessage       = 0x0b
	attributeMessage    = 0x0c
	continuationMessage = 0x10
	tableMessage        = 0x11
)

// message is a message of the header of an object.
type message struct {
	kind   uint16
	shared bool
	body   []byte
}

// header reads the messages of the object at an address.
func (f *File) header(at uint64) (list []message, err error) {
	first, err := f.bytes(at, min(16, f.size-min(at, f.size)))
	if err != nil {
		return nil, err
	}
	type block struct{ at, n uint64 }
	var blocks []block
	second := bytes.HasPrefix(first, []byte("OHDR"))
	order := false // messages have one
	c := cursor{b: first}
	if second {
		c.skip(4)
		if version := c.byte(); version != 2 {
			return nil, unsupportedf("version %d of an object", version)
		}
		flags := c.byte()
		from := at + 6
		if flags&0x20 != 0 {
			from += 16
		}
		if flags&0x10 != 0 {
			from += 4
		}
		width := 1 << (flags & 3)
		order = flags&4 != 0
		b, err := f.bytes(from, uint64(width))
		if err != nil {
			return nil, err
		}
		n := cursor{b: b}
		blocks = append(blocks, block{from + uint64(width), n.sized(width)})
	} else {
		if version := c.byte(); version != 1 {
			return nil, damagedf("an object of version %d", version)
		}
		c.skip(1 + 2 + 4)
		blocks = append(blocks, block{at + 16, uint64(c.uint32())})
	}
	if c.short {
		return nil, damagedf("ends early")
	}
	total := uint64(0)
	for i := 0; i < len(blocks); i++ {
		if total += blocks[i].n; blocks[i].n > maxHeader || total > maxHeader || len(blocks) > maxBlocks {
			return nil, damagedf("an object of more than %d bytes or %d blocks", maxHeader, maxBlocks)
		}
		b, err := f.bytes(blocks[i].at, blocks[i].n)
		if err != nil {
			return nil, err
		}
		if second && i > 0 {
			if !bytes.HasPrefix(b, []byte("OCHK")) || len(b) < 8 {
				return nil, damagedf("a block of an object")
			}
			b = b[4 : len(b)-4]
		}
		c := cursor{b: b}
		for least := 8; len(c.b) >= least; {
			var m message
			var n uint16
			if second {
				m.kind, n = uint16(c.byte()), c.uint16()
			} else {
				m.kind, n = c.uint16(), c.uint16()
			}
			m.shared = c.byte()&2 != 0
			if second {
				least = 4
				if order {
					least = 6
					c.skip(2)
				}
			} else {
				c.skip(3)
			}
			if m.body = c.next(uint64(n)); c.short {
				if second { // what is left is a gap
					break
				}
				return nil, damagedf("a message of %d bytes", n)
			}
			if m.kind == continuationMessage {
				to := cursor{b: m.body}
				blocks = append(blocks, block{to.uint64(), to.uint64()})
				if to.short {
					return nil, damagedf("a block of an object")
				}
				continue
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// find returns the first message of a kind.
func find(list []message, kind uint16) (message, bool) {
	i := slices.IndexFunc(list, func(m message) bool { return m.kind == kind })
	if i < 0 {
		return message{}, false
	}
	return list[i], true
}

// Names returns the names in the group at a path, "" or "/" for the root, in order.
func (f *File) Names(path string) ([]string, error) {
	at, err := f.lookup(path)
	if err != nil {
		return nil, err
	}
	links, err := f.links(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(path), err)
	}
	return slices.Sorted(maps.Keys(links)), nil
}

// shown returns a path for errors, on one line.
func shown(path string) string {
	path = "/" + strings.Trim(path, "/")
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

// lookup returns the address of the object at a path.
func (f *File) lookup(path string) (uint64, error) {
	at, done := f.root, ""
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" {
			continue
		}
		links, err := f.links(at)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", shown(done), err)
		}
		next, found := links[name]
		done += "/" + name
		switch {
		case !found:
			return 0, fmt.Errorf("%s: %w", shown(done), ErrNotFound)
		case next == undefined:
			return 0, fmt.Errorf("%s: %w", shown(done), unsupportedf("a link to another place"))
		}
		at = next
	}
	return at, nil
}

// links returns the objects of the group at an address by name; the address of soft and external links is [undefined]. An
// object that is not a group has no links.
func (f *File) links(at uint64) (map[string]uint64, error) {
	list, err := f.header(at)
	if err != nil {
		return nil, err
	}
	links := make(map[string]uint64)
	if m, found := find(list, tableMessage); found {
		c := cursor{b: m.body}
		tree, heap := c.uint64(), c.uint64()
		if c.short {
			return nil, damagedf("a group")
		}
		names, err := f.heap(heap)
		if err != nil {
			return nil, err
		}
		return links, f.symbols(tree, names, links, make(map[uint64]bool))
	}
	if m, found := find(list, linkInfoMessage); found {
		c := cursor{b: m.body}
		c.skip(1)
		if c.byte()&1 != 0 {
			c.skip(8)
		}
		if heap := c.uint64(); !c.short && heap != undefined {
			return nil, unsupportedf("a group of many links, written with libver='latest'; write the file with h5py's default")
		}
	}
	for _, m := range list {
		if m.kind != linkMessage {
			continue
		}
		c := cursor{b: m.body}
		c.skip(1)
		flags, kind := c.byte(), byte(0)
		if flags&8 != 0 {
			kind = c.byte()
		}
		if flags&4 != 0 {
			c.skip(8)
		}
		if flags&16 != 0 {
			c.skip(1)
		}
		name := string(c.next(c.sized(1 << (flags & 3))))
		to := undefined
		if kind == 0 {
			to = c.uint64()
		}
		if c.short {
			return nil, damagedf("a link")
		}
		links[name] = to
	}
	return links, nil
}

// heap returns the bytes of a local heap.
func (f *File) heap(at uint64) ([]byte, error) {
	b, err := f.bytes(at, 32)
	if err != nil {
		return nil, err
	}
	c := cursor{b: b}
	if string(c.next(4)) != "HEAP" {
		return nil, damagedf("the names of a group")
	}
	c.skip(4)
	n := c.uint64()
	c.skip(8)
	return f.bytes(c.uint64(), n)
}

// symbols adds the links below a node of the tree of a group. seen has the nodes already read.
func (f *File) symbols(at uint64, names []byte, links map[string]uint64, seen map[uint64]bool) error {
	if seen[at] || len(seen) > maxNodes || len(links) > maxChildren {
		return damagedf("a group with a circle, or of more than %d links", maxChildren)
	}
	seen[at] = true
	head, err := f.bytes(at, 8)
	if err != nil {
		return err
	}
	if string(head[:4]) == "TREE" {
		children, err := f.children(at, 0, 8)
		if err != nil {
			return err
		}
		for _, child := range children {
			if err := f.symbols(child.at, names, links, seen); err != nil {
				return err
			}
		}
		return nil
	}
	if string(head[:4]) != "SNOD" {
		return damagedf("a node of a group")
	}
	n := uint64(binary.LittleEndian.Uint16(head[6:]))
	b, err := f.bytes(at+8, 40*n)
	if err != nil {
		return err
	}
	c := cursor{b: b}
	for range n {
		name, to, cache := c.uint64(), c.uint64(), c.uint32()
		c.skip(20)
		if name > uint64(len(names)) {
			return damagedf("the name of a link")
		}
		text, _, _ := bytes.Cut(names[name:], []byte{0})
		if cache == 2 { // a soft link
			to = undefined
		}
		links[string(text)] = to
	}
	return nil
}

// child is an entry of a node of a version-1 B-tree.
type child struct {
	key []byte
	at  uint64
}

// children returns the entries of a node of a tree of a kind; its keys have key bytes.
func (f *File) children(at uint64, kind byte, key uint64) (list []child, err error) {
	head, err := f.bytes(at, 24)
	if err != nil {
		return nil, err
	}
	if string(head[:4]) != "TREE" || head[4] != kind {
		return nil, damagedf("a node of a tree")
	}
	n := uint64(binary.LittleEndian.Uint16(head[6:]))
	b, err := f.bytes(at+24, n*(key+8))
	if err != nil {
		return nil, err
	}
	c := cursor{b: b}
	for range n {
		list = append(list, child{c.next(key), c.uint64()})
	}
	return list, nil
}

// level returns the level of a node of a tree, 0 for a leaf.
func (f *File) level(at uint64) (byte, error) {
	b, err := f.bytes(at, 6)
	if err != nil {
		return 0, err
	}
	return b[5], nil
}
