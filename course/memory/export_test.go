package memory

// LearnTargets is Sequence.Learn with the matrix P that sets the hidden targets. It returns U and V in units of the rate.
func LearnTargets(s *Sequence, sequence, p [][]float64) (u, v [][]float64, err error) {
	if err := s.learn(sequence, dense(p)); err != nil {
		return nil, nil, err
	}
	return rows(s.u), rows(s.v), nil
}
