package sequence

// Score is how the decoder of a [Translator] compares its state s with the state H_j of the encoder. The softmax of the scores
// e_j is the alignment.
type Score int

const (
	// AdditiveScore is that of Bahdanau et al. 2015, a network with a hidden layer of [Translator].Align features:
	//
	//	e_j = v · tanh(H_j W_k + b_k + s W_q)
	AdditiveScore Score = iota
	// DotScore is that of Luong et al. 2015 (section 3.1) without weights. Both states need as many features:
	//
	//	e_j = s · H_j
	DotScore
	// GeneralScore is that of Luong et al. 2015 with a matrix:
	//
	//	e_j = s · (H_j W_k)
	GeneralScore
)

var scoreNames = []string{"additive", "dot", "general"}

func (s Score) String() string {
	if s < 0 || int(s) >= len(scoreNames) {
		return "unknown"
	}
	return scoreNames[s]
}
