package training

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"synpool/backend/backendtest"
	"synpool/course/capsule"
	"synpool/course/examples/fit/fittest"
	"synpool/internal/fetched"
	"synpool/internal/large"
)

// blocks returns images with noise and a bright block, whose place is the label.
func blocks(n int) Digits {
	rng := rand.New(rand.NewPCG(1, 2))
	var d Digits
	for range n {
		label := rng.IntN(10)
		image := make([]byte, side*side)
		for i := range image {
			image[i] = byte(rng.IntN(40))
		}
		for y := range 6 {
			for x := range 5 {
				image[(label/5*12+4+y)*side+label%5*5+2+x] = byte(180 + rng.IntN(70))
			}
		}
		d.Images, d.Labels = append(d.Images, image...), append(d.Labels, byte(label))
	}
	return d
}

// tiny are settings of a training of seconds.
func tiny() Settings {
	s := Full()
	s.Network.Channels, s.Network.Kernel, s.Network.Stride, s.Network.Primary.Types = 6, 8, 4, 2
	s.Network.Convolutional = []capsule.Convolutional{{Types: 3, Kernel: 2, Stride: 2, Routing: s.Network.Class.Routing}}
	s.Train, s.Epochs, s.Batch, s.LearningRate = 200, 2, 20, 1e-2
	return s
}

// learnt is a classifier that has learnt ten places, and images that it did not see.
var learnt struct {
	sync.Once
	*Classifier
	test Digits
	out  bytes.Buffer
	err  error
}

func learn(t *testing.T) (*Classifier, Digits) {
	learnt.Do(func() {
		s := tiny()
		s.Epochs = large.Number(9, 20)
		var train Digits
		if train, learnt.test, learnt.err = blocks(400).Split(200); learnt.err == nil {
			learnt.Classifier, learnt.err = Train(context.Background(), backendtest.Chosen(t), s, train, "", &learnt.out)
		}
	})
	if learnt.err != nil {
		t.Fatal(learnt.err)
	}
	return learnt.Classifier, learnt.test
}

// TestTrain learns ten places, far above chance on images that it did not see.
func TestTrain(t *testing.T) {
	c, test := learn(t)
	out := &learnt.out
	wrong := fittest.Must(c.Error(test))
	if wrong > 0.1 {
		t.Errorf("%.1f %% wrong\n%s", 100*wrong, out)
	}
	shares, weights, err := c.Compare(test.at([]int{0, 1, 2}))
	if err != nil || len(shares) != 3 || len(shares[2]) != 10 || len(weights[2]) != 10 {
		t.Fatalf("shares of %d digits: %v", len(shares), err)
	}
	sum, largest, weight := 0.0, 0.0, 0.0
	for _, class := range shares[2] {
		p := float64(class[5]) // of one child
		sum, largest = sum+p, max(largest, p)
	}
	for _, w := range weights[2][4] { // of one class
		weight += float64(w)
	}
	if math.Abs(sum-1) > 1e-5 || largest < 0.15 || math.Abs(weight-1) > 1e-5 {
		t.Errorf("a child is assigned %g times, %g to one of ten classes; a class takes %g", sum, largest, weight)
	}
	if _, _, err := c.Compare(Digits{}); err == nil {
		t.Error("compares no digits")
	}
	if lines := strings.Count(out.String(), "epoch "); lines != c.settings.Epochs {
		t.Errorf("%d lines of epochs:\n%s", lines, out)
	}
}

// TestWithRouting: the weights are those of the training, and one iteration assigns every child to all classes alike.
func TestWithRouting(t *testing.T) {
	c, test := learn(t)
	some := test.at([]int{0, 1, 2})
	want := activations(t, c, some)
	routing := c.settings.Network.Class.Routing
	same := fittest.Must(c.WithRouting(routing))
	if got := activations(t, same, some); !slices.Equal(got, want) {
		t.Errorf("by the same routing %v, want %v", got, want)
	}
	routing.Iterations = 1
	once := fittest.Must(c.WithRouting(routing))
	shares, _, err := once.Compare(some)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range slices.Concat(slices.Concat(shares...)...) {
		if math.Abs(float64(p)-0.1) > 1e-6 {
			t.Fatalf("after one iteration share %d is %g, want 0.1", i, p)
		}
	}
	if got := activations(t, once, some); slices.Equal(got, want) {
		t.Errorf("one iteration gives what %d give", c.settings.Network.Class.Routing.Iterations)
	}
}

// activations returns those of all classes of all digits.
func activations(t *testing.T, c *Classifier, digits Digits) (flat []float32) {
	t.Helper()
	classes, err := c.Classify(digits)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range classes {
		flat = append(flat, one.Activations...)
	}
	return flat
}

// TestTurn: nothing changes where nothing turns, and more changes after a larger turn.
func TestTurn(t *testing.T) {
	c, test := learn(t)
	turned := fittest.Must(c.Turn(test, 0, 5, -40))
	if still := (Turned{Wrong: fittest.Must(c.Error(test))}); turned[0] != still {
		t.Errorf("without a turn %+v, want %+v", turned[0], still)
	}
	small, wide := turned[1], turned[2]
	if !(0 < small.Activation && small.Activation < wide.Activation && 0 < small.Pose && small.Pose < wide.Pose && small.Wrong < wide.Wrong) {
		t.Errorf("after a turn by 5 degrees %+v, by -40 %+v", small, wide)
	}
	if _, err := c.Turn(test.at([]int{0}), 10); err == nil {
		t.Error("compares turns with one digit")
	}
}

// TestRotated: a quarter turn moves every pixel to its place, a turn and the turn back leave a smooth image as it was, and a
// turn leaves rings.
func TestRotated(t *testing.T) {
	var d, rings Digits
	for i := range 2 * side * side { // two images
		x, y := float64(i%side)-13.5, float64(i/side%side)-13.5
		d.Images = append(d.Images, byte(255*math.Exp(-((x-4)*(x-4)+y*y/3)/20)))
		rings.Images = append(rings.Images, byte(255*math.Exp(-(x*x+y*y)/30)))
	}
	d.Images[3*side+5], d.Labels = 200, []byte{1, 2}
	quarter := d.Rotated(90)
	for i, v := range d.Images {
		image, row, column := i/side/side, i/side%side, i%side
		if got := quarter.Images[image*side*side+(side-1-column)*side+row]; got != v {
			t.Fatalf("pixel %d, %d of image %d is %d after a quarter turn, want %d", row, column, image, got, v)
		}
	}
	if !slices.Equal(d.Rotated(0).Images, d.Images) || !slices.Equal(quarter.Labels, d.Labels) {
		t.Error("a turn by nothing changes pixels, or a turn labels")
	}
	d.Images[3*side+5] = 0
	for name, pair := range map[string][2]Digits{"back": {d, d.Rotated(25).Rotated(-25)}, "rings": {rings, rings.Rotated(25)}} {
		for i, v := range pair[0].Images {
			if off := math.Abs(float64(v) - float64(pair[1].Images[i])); off > 10 {
				t.Fatalf("%s: pixel %d is off by %g", name, i, off)
			}
		}
	}
	if far := d.Rotated(25); slices.Equal(far.Images, d.Images) {
		t.Error("a turn changes nothing")
	}
}

// stopAfter ends a context when a line has been written.
type stopAfter struct{ cancel context.CancelFunc }

func (w stopAfter) Write(p []byte) (int, error) {
	w.cancel()
	return len(p), nil
}

// TestResume stops a training after its first epoch and goes on: the result is that of a training without a break.
func TestResume(t *testing.T) {
	backend, digits, s := gobackend.GetBackend(), blocks(200), tiny()
	of := func(c *Classifier, err error) []float32 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return activations(t, c, digits)
	}
	want := of(Train(t.Context(), backend, s, digits, "", io.Discard))
	folder := filepath.Join(t.TempDir(), "checkpoints")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Train(ctx, backend, s, digits, folder, stopAfter{cancel}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped after step 10 of 20") {
		t.Fatalf("stopped: %v", err)
	}
	var out bytes.Buffer
	got := of(Train(t.Context(), backend, s, digits, folder, &out))
	if !strings.Contains(out.String(), "going on after step 10 of 20") {
		t.Errorf("says %q", &out)
	}
	again := of(Train(t.Context(), backend, s, digits, folder, io.Discard))
	for i := range want {
		// One graph is one program: only sums that threads share out may be rounded in another order.
		if d := got[i] - want[i]; d > 1e-5 || d < -1e-5 || again[i] != got[i] {
			t.Fatalf("activation %d is %g after a break and %g from the checkpoint, want %g", i, got[i], again[i], want[i])
		}
	}
	s.Seed++
	if _, err := Train(t.Context(), backend, s, digits, folder, io.Discard); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("other settings: %v", err)
	}
}

func TestTrainRefuses(t *testing.T) {
	for name, spoil := range map[string]func(s *Settings){
		"classes": func(s *Settings) { s.Network.Class.Classes = 3 },
		"epochs":  func(s *Settings) { s.Epochs = -1 },
		"batch":   func(s *Settings) { s.Batch = 201 },
		"rate":    func(s *Settings) { s.LearningRate = 0 },
		"digits":  func(s *Settings) { s.Train = 100 },
		"kernel":  func(s *Settings) { s.Network.Convolutional[0].Kernel = 99 },
	} {
		t.Run(name, func(t *testing.T) {
			s := tiny()
			spoil(&s)
			if _, err := Train(t.Context(), backendtest.Chosen(t), s, blocks(200), "", io.Discard); err == nil {
				t.Error("trains")
			}
		})
	}
}

// TestSettings checks the settings of the program: 2,000 of the 10,000 digits are left to test on, and every layer routes
// as it is told.
func TestSettings(t *testing.T) {
	for name, s := range map[string]Settings{"full": Full(), "quick": Quick()} {
		if err := s.check(); err != nil || s.Train != 8000 {
			t.Errorf("%s: %+v: %v", name, s, err)
		}
		own := s.Network.Class.Routing
		routing := capsule.EMRouting{Iterations: 7, Epsilon: 1}
		other := s.WithRouting(routing)
		for i, layer := range s.Network.Convolutional {
			if layer.Routing != own || other.Network.Convolutional[i].Routing != routing {
				t.Errorf("%s: layer %d routes as %+v, with another routing as %+v", name, i, layer.Routing, other.Network.Convolutional[i].Routing)
			}
		}
		if other.Network.Class.Routing != routing || other.Network.Channels != s.Network.Channels {
			t.Errorf("%s: with another routing %+v", name, other)
		}
	}
}

func TestSplit(t *testing.T) {
	d := Digits{Images: make([]byte, 10*side*side), Labels: []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for i := range d.Labels {
		d.Images[i*side*side] = byte(i)
	}
	first, others, err := d.Split(7)
	if err != nil || first.Len() != 7 || others.Len() != 3 {
		t.Fatalf("%d and %d: %v", first.Len(), others.Len(), err)
	}
	all := slices.Concat(first.Labels, others.Labels)
	for i, part := 0, slices.Concat(first.Images, others.Images); i < 10; i++ {
		if part[i*side*side] != all[i] {
			t.Errorf("image %d has label %d", part[i*side*side], all[i])
		}
	}
	if slices.Sort(all); !slices.Equal(all, d.Labels) {
		t.Errorf("labels %v", all)
	}
	for _, n := range []int{0, 10, 11, -1} {
		if _, _, err := d.Split(n); err == nil {
			t.Errorf("%d of 10 to train on", n)
		}
	}
	// Validation digits are split off those to train on.
	learn, validation, err := first.Split(5)
	if err != nil || !slices.Equal(slices.Sorted(slices.Values(slices.Concat(learn.Labels, validation.Labels))), slices.Sorted(slices.Values(first.Labels))) {
		t.Errorf("%v and %v of %v: %v", learn.Labels, validation.Labels, first.Labels, err)
	}
}

// TestMNIST counts the real digits.
func TestMNIST(t *testing.T) {
	d := fetched.Load(t, MNIST)
	var counts [10]int
	for _, label := range d.Labels {
		counts[label]++
	}
	if want := [10]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}; counts != want {
		t.Errorf("digits %v, want %v", counts, want)
	}
}
