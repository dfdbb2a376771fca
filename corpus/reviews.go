package corpus

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Review is a film review of Pang and Lee 2004.
type Review struct {
	Name      string // "neg/cv000_29416"
	Class     int    // 0 negative, 1 positive
	Fold      int    // 0 to 9, of the authors' ten folds: the first digit of the tag cvNNN
	Sentences [][]string
}

// longestReview bounds the text of a review, in bytes.
const longestReview = 1 << 20

// LoadReviews reads the named set reviews, whose file must have been fetched ([ErrNotFetched]).
func LoadReviews() ([]Review, error) {
	paths, err := verified(reviewsName)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(paths[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reviewsName, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reviewsName, err)
	}
	return ReadReviews(f, info.Size(), paths[0])
}

// ReadReviews reads a zip archive of size bytes, called name in errors, with the files neg/cvNNN_*.txt and
// pos/cvNNN_*.txt in any folder, one sentence a line; other folders and files are passed over. Reviews stand in the
// order of their names.
//
// The words of a sentence are what spaces and control characters part, except for the character 0x12, which stands for
// an apostrophe in some of the files. Lines without words are left out; a review without any is an error.
func ReadReviews(r io.ReaderAt, size int64, name string) ([]Review, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, strings.TrimPrefix(err.Error(), "zip: "), errDamaged)
	}
	var reviews []Review
	for _, f := range archive.File {
		folder := path.Base(path.Dir(f.Name))
		if f.Mode().IsDir() || folder != "neg" && folder != "pos" {
			continue
		}
		review, err := readReview(f, folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, f.Name, err)
		}
		reviews = append(reviews, review)
	}
	if len(reviews) == 0 {
		return nil, fmt.Errorf("%s: no reviews in folders neg and pos", name)
	}
	slices.SortStableFunc(reviews, func(a, b Review) int { return cmp.Compare(a.Name, b.Name) })
	for i := range reviews[1:] {
		if reviews[i].Name == reviews[i+1].Name {
			return nil, fmt.Errorf("%s: two reviews %s", name, reviews[i].Name)
		}
	}
	return reviews, nil
}

func readReview(f *zip.File, folder string) (Review, error) {
	base, ok := strings.CutSuffix(path.Base(f.Name), ".txt")
	if tag, _, cut := strings.Cut(base, "_"); !ok || !cut || len(tag) != 5 || tag[:2] != "cv" || strings.Trim(tag[2:], "0123456789") != "" {
		return Review{}, fmt.Errorf("not a name of the form cvNNN_*.txt")
	}
	review := Review{Name: folder + "/" + base, Fold: int(base[2] - '0')}
	if folder == "pos" {
		review.Class = 1
	}
	text, err := f.Open()
	if err != nil {
		return Review{}, fmt.Errorf("%s: %w", strings.TrimPrefix(err.Error(), "zip: "), errDamaged)
	}
	defer text.Close()
	bounded := &io.LimitedReader{R: text, N: longestReview + 1}
	lines, err := readLines(bounded, "text")
	switch {
	case bounded.N == 0:
		return Review{}, fmt.Errorf("longer than %d bytes", longestReview)
	case err != nil:
		return Review{}, err
	}
	for _, line := range lines {
		words := strings.FieldsFunc(strings.ReplaceAll(line, "\x12", "'"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
		if len(words) > 0 {
			review.Sentences = append(review.Sentences, words)
		}
	}
	if len(review.Sentences) == 0 {
		return Review{}, fmt.Errorf("no words")
	}
	return review, nil
}
