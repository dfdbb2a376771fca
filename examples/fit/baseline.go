package fit

import "synpool/corpus"

// Baseline fits a bag of words to the texts that a network trains on and evaluates it on those that test the network. Labels
// are from 0 to classes-1.
func Baseline(bag corpus.BagOfWords, train [][]string, labels []int, test [][]string, answers []int, classes int) (corpus.Report, error) {
	m, err := bag.Fit(train, labels, classes)
	if err != nil {
		return corpus.Report{}, err
	}
	scores := make([][]float64, len(test))
	for i, text := range test {
		if scores[i], err = m.Probabilities(text); err != nil {
			return corpus.Report{}, err
		}
	}
	return corpus.Evaluate(answers, scores)
}
