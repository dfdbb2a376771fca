package milbench

import (
	"io"

	"synpool/milbench/cv"
	"synpool/milbench/interop"
	"synpool/milbench/mil"
)

// Folds returns the folds of a protocol on a set, for models that are trained elsewhere. They are those of [Compare] with this
// seed.
func Folds(set *mil.Set, p cv.Protocol, seed uint64) (*interop.Parts, error) {
	return interop.Of(set, defaults(p).On(set), seed)
}

// Score adds the scores that a model from elsewhere gave the test bags of all folds to the results in a folder, under a name.
// file names the scores in errors. It returns how many results are new; all is their number.
func Score(folds *interop.Parts, scores io.Reader, file, name, dir string) (added, all int, err error) {
	list, err := folds.Results(scores, file, name)
	if err != nil {
		return 0, 0, err
	}
	added, err = interop.Add(dir, list)
	return added, len(list), err
}
