package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"synpool/internal/large"
	"synpool/milbench"
	"synpool/milbench/cluster"
)

// TestDivide: whatever the groups, every fit has a shard, trainings stay whole, no shard takes much longer than the
// best possible, and groups are not cut without a gain.
func TestDivide(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for range large.Number(60, 300) {
		p := &cluster.Plan{}
		groups := 1 + random.IntN(12)
		for g := range groups {
			p.Groups = append(p.Groups, cluster.Group{Members: 1 + random.IntN(25), Compile: 12 * random.Float64(), Block: 60 * random.Float64(), Memory: uint64(g)})
			for training := range 1 + random.IntN(300) {
				networks := 1 + 9*random.IntN(2)
				for range 1 + random.IntN(3) {
					p.Fits = append(p.Fits, cluster.Fit{Group: g, Training: training, Networks: networks, Shard: -1})
				}
			}
		}
		random.Shuffle(len(p.Fits), func(i, j int) { p.Fits[i], p.Fits[j] = p.Fits[j], p.Fits[i] })
		shards := 1 + random.IntN(40)
		p.Divide(shards)
		shardOf := make(map[[2]int]int)
		for _, f := range p.Fits {
			if f.Shard < 0 || f.Shard >= shards {
				t.Fatalf("shard %d of %d", f.Shard, shards)
			}
			key := [2]int{f.Group, f.Training}
			if shard, found := shardOf[key]; found && shard != f.Shard {
				t.Fatal("a training is in two shards")
			}
			shardOf[key] = f.Shard
		}
		fits, longest := 0, 0.0
		pieces := make([]int, groups)
		for _, c := range p.Costs() {
			fits += c.Fits
			longest = max(longest, c.Seconds())
			for _, s := range c.Groups {
				pieces[s.Group]++
			}
		}
		if fits != len(p.Fits) {
			t.Fatalf("%d of %d fits", fits, len(p.Fits))
		}
		whole := *p
		whole.Fits = append([]cluster.Fit{}, p.Fits...)
		whole.Divide(1)
		alone := whole.Costs()[0]
		for i, s := range alone.Groups {
			if s.Blocks < pieces[i]-1 && p.Groups[i].Members >= 10 {
				t.Errorf("%d blocks in %d pieces", s.Blocks, pieces[i])
			}
		}
		// Graham: with pieces of any length the longest shard takes at most the mean plus the longest piece. 10 % are
		// allowed for fewer pieces.
		bound := math.Inf(1)
		for length := alone.Seconds(); length > 0.1*alone.Seconds()/float64(shards); length *= 0.95 {
			total, largest := 0.0, 0.0
			for i, s := range alone.Groups {
				g := p.Groups[i]
				most := max(1, math.Floor((length-g.Compile)/g.Block))
				cut := math.Ceil(float64(s.Blocks) / most)
				over := 0.0 // extra blocks of a piece: an ensemble is not cut, and the last block may be partly empty
				if cut > 1 {
					over = 1 + math.Ceil(10/float64(g.Members))
				}
				total += cut*(g.Compile+over*g.Block) + float64(s.Blocks)*g.Block
				largest = max(largest, g.Compile+(min(most, float64(s.Blocks))+over)*g.Block)
			}
			bound = min(bound, 1.1*(total/float64(shards)+largest))
		}
		if longest > bound {
			t.Errorf("%d shards: the longest takes %.0f s, promised are %.0f s", shards, longest, bound)
		}
		if shards == 1 && longest != alone.Seconds() {
			t.Errorf("one shard takes %v s, all fits %v s", longest, alone.Seconds())
		}
	}
}

// TestDivideEven: if compiling costs nothing, shards are even whatever the groups.
func TestDivideEven(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	for groups := 1; groups < 8; groups++ {
		for shards := 1; shards < 40; shards++ {
			p := &cluster.Plan{}
			for g := range groups {
				p.Groups = append(p.Groups, cluster.Group{Members: 1, Block: 1 + random.Float64()})
				for training := range 20 * (1 + shards/groups) {
					p.Fits = append(p.Fits, cluster.Fit{Group: g, Training: training, Networks: 1})
				}
			}
			p.Divide(shards)
			total, longest := 0.0, 0.0
			for _, c := range p.Costs() {
				total, longest = total+c.Seconds(), max(longest, c.Seconds())
			}
			if mean := total / float64(shards); longest > 1.15*mean+2 {
				t.Errorf("%d groups, %d shards: the longest takes %.1f s, the mean is %.1f s", groups, shards, longest, mean)
			}
		}
	}
}

// TestDivideFew: groups are not cut without need, and more shards than blocks leave some empty.
func TestDivideFew(t *testing.T) {
	p := twoGroups(5) // two blocks per group, which take 26 s and 46 s
	p.Divide(2)
	for i, c := range p.Costs() {
		if len(c.Groups) != 1 {
			t.Errorf("shard %d has the groups %v", i, c.Groups)
		}
	}
	p.Divide(12)
	if p.Blocks() != 4 {
		t.Errorf("%d blocks", p.Blocks())
	}
	empty := 0
	for _, c := range p.Costs() {
		if c.Fits == 0 {
			empty++
		}
	}
	if empty != 9 { // the two blocks of one group take as long as the single block of the other
		t.Errorf("%d of 12 shards are empty, want 9", empty)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

func written(t *testing.T, p *cluster.Plan) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadWrite(t *testing.T) {
	p := twoGroups(3)
	p.Request = cluster.Request{Experiment: "poolings", Quick: true, Spaces: true}
	p.Divide(3)
	text := written(t, p)
	got, err := cluster.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, p) {
		t.Errorf("read\n%+v, written\n%+v", got, p)
	}
	if !bytes.Equal(written(t, got), text) {
		t.Error("what was read is written otherwise")
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	if got, err := cluster.Read(&indented); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("indented: %v", err)
	}
	if bytes.Count(text, []byte("\n")) != len(p.Fits)+2 {
		t.Errorf("%d lines for %d fits", bytes.Count(text, []byte("\n")), len(p.Fits))
	}

	path := filepath.Join(t.TempDir(), "plan.json")
	if _, err := cluster.ReadFile(path); err == nil {
		t.Error("a missing plan")
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.ReadFile(path); err == nil || !strings.HasPrefix(err.Error(), path+": a plan that cannot be read: ") || !strings.HasSuffix(err.Error(), "make a new plan (milbench plan)") {
		t.Errorf("half a plan: %v", err)
	}
}

// TestReadRefuses changes one thing at a time in the JSON of a plan.
func TestReadRefuses(t *testing.T) {
	text := string(written(t, twoGroups(1)))
	for _, c := range []struct{ old, new, want string }{
		{`"format":1`, `"format":2`, "format 2; this version reads format 1"},
		{`"format":1`, `"formats":1`, "unknown field"},
		{`"version":"v0.1.0"`, `"version":""`, "no version"},
		{`"shards":1,`, `"shards":0,`, "0 shards"},
		{`"shards":1,`, `"shards":1000000000,`, "1000000000 shards"},
		{`"seed":1,`, `"seed":2,`, "not that of repeat 0, fold 0 of a study of seed 2"},
		{`"checksum":"d4"`, `"checksum":"d5"`, "the id of its content is "},
		{`"checksum":"d4"`, `"checksum":""`, "without name, checksum or source"},
		{`{"pooling":"max"}`, `{"pooling":"mean"}`, "occurs twice"},
		{`{"pooling":"max"}`, `{"pooling":"sum"}`, "the id of its content is "},
		{`{"pooling":"max"}`, `7`, "no JSON object"},
		{`"arms":[{"set":0`, `"arms":[{"set":1`, "set 1 of 1"},
		{`"arms":[{"set":0`, `"arms":[{"set":-1`, "set -1 of 1"},
		{`"name":"honest"`, `"name":"onest"`, `did you mean "honest"?`},
		{`"folds_run":10`, `"folds_run":11`, "runs 11 folds of 10"},
		{`"folds":10,"repeats":1},"folds":10,"folds_run":10`, `"folds":1000,"repeats":1000},"folds":1000,"folds_run":1000`, "2 settings x 1000 folds x 1000 repeats: at most 100000 fits of a set are possible"},
		{`"settings":[0,1]`, `"settings":[0,2]`, "setting 2 of 2"},
		{`"settings":[0,1]`, `"settings":[0,0]`, "or has it twice"},
		{`"settings":[0,1]`, `"settings":[0]`, "setting 1 is not of arm 0"},
		{`"members":25`, `"members":0`, "blocks of 0 networks"},
		{`"block_seconds":10`, `"block_seconds":-10`, "-10 s of training"},
		{`"fold":3`, `"fold":13`, "fold 13 of 10"},
		{`"fold":3`, `"fold":4`, "is not that of repeat 0, fold 4"},
		{`"repeat":0`, `"repeat":1`, "repeat 1 of 1"},
		{`"group":0`, `"group":2`, "group 2 of 2"},
		{`"training":0`, `"training":-1`, "training -1"},
		{`"networks":1`, `"networks":0`, "0 networks"},
		{`"shard":0`, `"shard":1`, "shard 1 of 1; shards count from 0"},
		{"\n]}\n", "\n],\"fits\":[]}\n", "fits occur twice"},
		{"\n]}\n", ",\n]}\n", "no fit after a comma"},
		{`"training":1`, `"training":01`, "a plan that cannot be read"},
		{"\n]}\n", "\n]} {}", "there is something after the plan"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("no %s in %s", c.old, text)
		}
		if _, err := cluster.Read(strings.NewReader(changed)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in it", c.new, err, c.want)
		}
	}
	lines := strings.Split(text, "\n")
	doubled := strings.Join(append(lines[:2:2], lines[1:]...), "\n")
	if _, err := cluster.Read(strings.NewReader(doubled)); err == nil || !strings.Contains(err.Error(), "occurs twice") {
		t.Errorf("a fit twice: %v", err)
	}
	none := lines[0] + "]}"
	if _, err := cluster.Read(strings.NewReader(none)); err == nil || err.Error() != "no fits" {
		t.Errorf("no fits: %v", err)
	}
	shared := twoGroups(1)
	shared.Divide(2)
	shared.Fits[1].Training, shared.Fits[1].Shard = shared.Fits[0].Training, 1-shared.Fits[0].Shard
	if err := shared.Validate(); err == nil || !strings.Contains(err.Error(), "share a training, but not shard") {
		t.Errorf("a training in two shards: %v", err)
	}
}

// TestSameStudy: plans of one study differ only in shards and in the remaining work.
func TestSameStudy(t *testing.T) {
	whole := twoGroups(2)
	whole.Divide(3)
	part := whole.Keep(func(id string) bool { return id[0] < '8' })
	part.Divide(7)
	part.Cores = 5
	part.Sets = []cluster.Set{{Name: "musk1", Checksum: "d4", Source: "/another/node/musk1.csv"}}
	if err := whole.SameStudy(part); err != nil {
		t.Errorf("a part: %v", err)
	}
	for want, change := range map[string]func(p *cluster.Plan){
		"one is of version v0.1.0, the other of v0.2.0":            func(p *cluster.Plan) { p.Version = "v0.2.0" },
		"one is for backend xla:cpu, the other for go":             func(p *cluster.Plan) { p.Backend = "go" },
		"one is of milbench run, the other of noise":               func(p *cluster.Plan) { p.Request.Experiment = "noise" },
		"one has seed 1, the other 3":                              func(p *cluster.Plan) { p.Seed = 3 },
		"one asks for nothing more, the other for curves":          func(p *cluster.Plan) { p.Request.Curves = true },
		"set musk1 has the checksum d4 in one and e5 in the other": func(p *cluster.Plan) { p.Sets = []cluster.Set{{Name: "musk1", Checksum: "e5", Source: "musk1"}} },
		"set 2 is missing in one and fox in the other":             func(p *cluster.Plan) { p.Sets = append(p.Sets[:1:1], cluster.Set{Name: "fox", Source: "fox"}) },
		`setting 2 is {"pooling":"mean"} in one and missing`:       func(p *cluster.Plan) { p.Settings = p.Settings[:1] },
		"protocol 1 is honest with 10 of 10 folds, 2 repeats":      func(p *cluster.Plan) { p.Arms = []cluster.Arm{{Protocol: milbench.Honest()}} },
	} {
		other := *whole
		change(&other)
		if err := whole.SameStudy(&other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// FuzzRead: no file causes a panic in Read, and any plan that it accepts can be written and read again unchanged.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := twoGroups(1).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":1,"version":"v","backend":"go","cores":1,"shards":1,"fits":[{}]}`))
	f.Add(append(bytes.TrimSuffix(b.Bytes(), []byte("\n]}\n")), ",\n]}\n"...))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := cluster.Read(bytes.NewReader(text))
		// In an indented file no line has the form that Write uses, so package json reads everything.
		var indented bytes.Buffer
		if bad := json.Indent(&indented, text, "", " "); bad != nil {
			if err == nil {
				t.Errorf("read %s, which is no JSON: %v", text, bad)
			}
			return
		}
		if other, otherErr := cluster.Read(&indented); (err == nil) != (otherErr == nil) || err == nil && fmt.Sprint(other) != fmt.Sprint(p) {
			t.Errorf("%+v, %v; indented %+v, %v", p, err, other, otherErr)
		}
		if err != nil {
			return
		}
		again, err := cluster.Read(bytes.NewReader(written(t, p)))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(p) {
			t.Errorf("%v: %+v, was %+v", err, again, p)
		}
	})
}
