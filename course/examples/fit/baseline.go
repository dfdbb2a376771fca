package fit

import "synpool/course/corpus"

// Baseline fits a bag-of-words model to the training texts of a network and evaluates it on the network's test texts. Labels
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
