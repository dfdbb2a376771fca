package classic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"synpool/internal/mixture"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// BagOfWords is a support vector machine with a radial kernel on histograms of words. A word is one of the Words
// centres that k-means finds among the standardised instances. The vector of a bag A has one value per word w,
//
//	sqrt(|{a in A: w is the centre nearest to a}| / |A|),
//
// standardised over the training bags. The kernel of vectors x and z of d words is exp(-Gamma / d |x-z|^2). The square
// root makes distances between vectors Hellinger distances.
//
// The codebook is built from the instances of all bags of the training part, including those that an inner fold holds
// out, and never from targets. All fits on a training part share it: the seed of k-means++ depends only on the number
// of words, not on the seed of the fit. It is built from an evenly spaced sample if there are more than 20,000
// instances, or 40 million values. There are at most as many words as instances.
//
// Source: G. Csurka, C. R. Dance, L. Fan, J. Willamowski and C. Bray, "Visual categorization with bags of keypoints",
// ECCV workshop on statistical learning in computer vision (2004); as a bag learner, the "histogram" embedding of J.
// Amores, "Multiple instance classification: review, taxonomy and comparative study", Artificial Intelligence 201
// (2013).
type BagOfWords struct {
	Words int     `json:"words"`
	Gamma float64 `json:"gamma"`
	SVM

	start []float64 // initial centres of k-means, [words, features]; nil to draw them
}

// BagOfWordsEntry returns the entry of [BagOfWords] in the list of learners.
func BagOfWordsEntry() learner.Entry {
	var grid []learner.Estimator
	for _, words := range []int{20, 100} {
		for _, c := range []float64{1, 10} {
			grid = append(grid, &BagOfWords{Words: words, Gamma: 1, SVM: SVM{C: c, Balanced: true}})
		}
	}
	return learner.Entry{
		Name: "bag-of-words", Summary: "an SVM on histograms of the nearest words of a k-means codebook",
		Default: func() learner.Estimator { return &BagOfWords{Words: 50, Gamma: 1, SVM: SVM{C: 3, Balanced: true}} }, Grid: grid,
		Model: func() learner.Model { return new(bagOfWordsModel) },
	}
}

const (
	mostWords        = 10_000
	mostWordFeatures = 10_000 // limit for instances, because centres are dense
)

// Validate reports the first invalid hyperparameter.
func (s BagOfWords) Validate() error {
	if s.Words < 2 || s.Words > mostWords {
		return fmt.Errorf("words %d: from 2 to %d are needed", s.Words, mostWords)
	}
	return cmp.Or(above0("gamma", s.Gamma), s.SVM.validate())
}

// Takes implements an optional method of [learner.Estimator].
func (s BagOfWords) Takes() learner.Takes {
	return learner.Takes{Kinds: kinds, Dense: true, Sparse: true, MaxFeatures: mostWordFeatures}
}

// Shares implements an optional method of [learner.Estimator].
func (s BagOfWords) Shares() string { return fmt.Sprintf("words %d", s.Words) }

// wordPasses is how many times k-means reads the sample in an estimate of time, including seeding.
const wordPasses = 25

// Cost implements an optional method of [learner.Estimator].
func (s BagOfWords) Cost(bags []mil.Instances) learner.Cost {
	rows, n, d := 0, float64(len(bags)), 0
	for _, b := range bags {
		rows, d = rows+b.Len(), b.Features()
	}
	some, words := float64(sampled(rows, d)), float64(min(s.Words, rows))
	return learner.Cost{
		Seconds: n * n * 1e-7,
		Shared:  ((some*wordPasses+float64(rows))*words*float64(d) + n*n*words/2) / comparedPerSecond,
		Memory:  uint64(some*float64(4*d+24)+8*(words*float64(2*d)+n*words+3*min(n, mostGram)*n)) + mil.MomentsBytes(bags) + 1<<20,
	}
}

// codebook is shared by fits with the same number of words.
type codebook struct {
	scale   scale
	centres *mixture.Centres
	vectors *vectors // histograms of the bags
}

// codebookOf returns the codebook of the shared bags.
func (s BagOfWords) codebookOf(ctx context.Context, shared *learner.Shared) (*codebook, error) {
	return learner.Once(shared, s.Shares(), func() (*codebook, error) {
		scale, x, err := sharedSample(shared)
		if err != nil {
			return nil, err
		}
		c, k := &codebook{scale: scale}, mixture.DefaultKMeans(min(s.Words, x.n))
		k.Iterations = 100
		if s.start != nil {
			c.centres, err = k.From(ctx, x.rows(), s.start)
		} else {
			c.centres, err = k.Fit(ctx, x.rows(), rand.New(rand.NewPCG(uint64(s.Words), 1)))
		}
		if err != nil {
			return nil, err
		}
		words := c.centres.Clusters()
		values, err := eachBag(ctx, shared.Bags, func(b mil.Instances) ([]float64, error) {
			list, err := wordsOf(b, scale, c.centres)
			return histogram(list, words, -1), err
		})
		if err != nil {
			return nil, err
		}
		c.vectors = standardiseVectors(values, len(shared.Bags), words)
		return c, nil
	})
}

// wordsOf returns the word of each instance of a bag.
func wordsOf(bag mil.Instances, s scale, centres *mixture.Centres) ([]int, error) {
	list := make([]int, 0, bag.Len())
	var err error
	for row := range s.rows(bag, &err) {
		word, _ := centres.Nearest(row)
		list = append(list, word)
	}
	return list, err
}

// histogram returns the square roots of the shares of the words in a list. If without is not negative, one instance of
// that word is left out.
func histogram(list []int, words, without int) []float64 {
	shares, n := make([]float64, words), len(list)
	for _, word := range list {
		shares[word]++
	}
	if without >= 0 {
		shares[without]--
		n--
	}
	for word, count := range shares {
		shares[word] = math.Sqrt(count / float64(n))
	}
	return shares
}

// Fit implements [learner.Estimator].
func (s BagOfWords) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(s, t, kinds)
	if err != nil {
		return nil, err
	}
	c, err := s.codebookOf(ctx, shared)
	if err != nil {
		return nil, err
	}
	machine, err := c.vectors.fitRadial(ctx, t, shared, s.Shares(), rows, s.Gamma, s.SVM)
	if err != nil {
		return nil, err
	}
	return &bagOfWordsModel{Scale: c.scale, Centres: c.centres.Values, Machine: machine}, nil
}

// bagOfWordsModel is a fitted [BagOfWords].
type bagOfWordsModel struct {
	Scale   scale          `json:"scale"`
	Centres numbers        `json:"centres"` // [words, features], in units of standardised instances
	Machine *radialMachine `json:"machine"`
}

func (m *bagOfWordsModel) centres() *mixture.Centres {
	return &mixture.Centres{Features: len(m.Scale.Factor), Values: m.Centres}
}

// Validate reports parts of a decoded model that do not fit together.
func (m *bagOfWordsModel) Validate() error {
	if err := cmp.Or(m.Scale.validate(nil), m.centres().Validate()); err != nil {
		return err
	}
	return m.Machine.validate(m.centres().Clusters())
}

// words returns the word of each instance of a bag, and the bag's prediction.
func (m *bagOfWordsModel) words(bag mil.Instances) ([]int, mil.Prediction, error) {
	list, err := wordsOf(bag, m.Scale, m.centres())
	if err != nil {
		return nil, mil.Prediction{}, err
	}
	p, err := m.without(list, -1)
	return list, p, err
}

// without returns the prediction for a list of words. If word is not negative, one instance of it is left out.
func (m *bagOfWordsModel) without(list []int, word int) (mil.Prediction, error) {
	return m.Machine.predict(histogram(list, m.centres().Clusters(), word))
}

// Predict implements [learner.Model].
func (m *bagOfWordsModel) Predict(bag mil.Instances) (mil.Prediction, error) {
	_, p, err := m.words(bag)
	return p, err
}

// InstanceScores implements [learner.InstanceScorer]. The score is the drop of the bag's score without the instance,
// so instances of the same word have the same score. A single instance has the bag's score.
func (m *bagOfWordsModel) InstanceScores(bag mil.Instances) ([][]float64, error) {
	list, whole, err := m.words(bag)
	if err != nil {
		return nil, err
	}
	rests := make(map[int]mil.Prediction) // without one instance of a word
	return falls(whole, len(list), func(i int) (mil.Prediction, error) {
		rest, known := rests[list[i]]
		if !known {
			var err error
			if rest, err = m.without(list, list[i]); err != nil {
				return rest, err
			}
			rests[list[i]] = rest
		}
		return rest, nil
	})
}
