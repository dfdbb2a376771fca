package neural

import (
	"context"
	"math"
	"slices"
	"testing"

	"synpool/backend/backendtest"
	many "synpool/internal/large"
	"synpool/milbench/mil"
)

// TestContributions checks poolings whose logit is linear in the pooled vector: the contributions of the instances sum
// to the bag's logit minus that of no instance. A sum of n float32 logits from batches of different shapes has an error
// of n·2⁻²⁴ of their size: 1e-4 of the largest sum of absolute values. This also holds for a large bag, which is read
// in chunks, and for a sparse one. For other poolings, each class and instance has a finite number, and a single
// instance with weight 1 has the whole difference.
func TestContributions(t *testing.T) {
	linear := []string{"mean", "sum", "attention", gated, clam}
	bags, _ := unequal(10)
	large := &mil.Dense{Rows: largeBag + 10, Cols: 5}
	for i := range large.Rows * large.Cols {
		large.Values = append(large.Values, float32(math.Sin(float64(i))))
	}
	for name, b := range backendtest.All(t) {
		poolings := slices.Concat(linear, []string{"syn", "max", dsmil, "acmil", setFormer})
		if loops(b) {
			poolings = many.Part(poolings, 3)
		}
		for _, pooling := range poolings {
			set := kindedSet(t, mil.ClassTarget, bags)
			c := setting(t, pooling)
			c.Epochs = 2
			m := must(Trainer{Backend: b, Workers: 1}.Train(context.Background(), c, set, 1, nil))
			thin := must(mil.ToSparse(bags[4]))
			asked := append(slices.Clone(bags[:5]), thin)
			if pooling == gated {
				asked = append(asked, large)
			}
			predictions, err := m.Predict(context.Background(), asked, true)
			if err != nil || len(predictions) != len(asked) {
				t.Fatalf("%s, %s: %d of %d bags, %v", name, pooling, len(predictions), len(asked), err)
			}
			none := must(m.alone(context.Background(), []mil.Instances{&mil.Dense{Cols: 5}}))
			for i, bag := range asked {
				if len(predictions[i].ClassInstances) != 3 {
					t.Fatalf("%s, %s: bag %d has contributions to %d classes", name, pooling, i, len(predictions[i].ClassInstances))
				}
				for class, values := range predictions[i].ClassInstances {
					total, size := 0.0, 1.0
					for _, v := range values {
						total += v
						size += math.Abs(v)
					}
					if len(values) != bag.Len() || total-total != 0 {
						t.Errorf("%s, %s: bag %d, class %d: %d contributions, in all %v", name, pooling, i, class, len(values), total)
					}
					want := predictions[i].Scores[class] - none[0].Scores[class]
					if slices.Contains(linear, pooling) && math.Abs(total-want) > 1e-4*size {
						t.Errorf("%s, %s: bag %d, class %d: contributions of %v, the logit is %v above that of none", name, pooling, i, class, total, want)
					}
				}
			}
			for at, v := range predictions[4].ClassInstances[0] {
				if math.Abs(v-predictions[5].ClassInstances[0][at]) > 1e-5*max(1, math.Abs(v)) {
					t.Errorf("%s, %s: instance %d has %v, in a sparse bag %v", name, pooling, at, v, predictions[5].ClassInstances[0][at])
				}
			}
		}
	}
}
