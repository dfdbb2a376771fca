package corpus

import (
	"archive/zip"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"synpool/internal/disk"
)

// Review is a film review of Pang and Lee 2004.
type Review struct {
	Name      string // "neg/cv000_29416"
	Class     int    // 0 negative, 1 positive
	Fold      int    // 0 to 9, of the authors' ten folds: the first digit of the tag cvNNN
	Sentences [][]string
}

// Limits of an archive of reviews.
const (
	longestReview = 1 << 20 // bytes of text
	mostText      = 1 << 26 // bytes of text in total
	mostReviews   = 1 << 16
)

// LoadReviews reads the named set reviews. Its file must have been fetched ([ErrNotFetched]).
func LoadReviews() ([]Review, error) {
	paths, err := verified(reviewsName)
	if err != nil {
		return nil, err
	}
	f, err := disk.Open(paths[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reviewsName, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reviewsName, err)
	}
	return readReviews(f, info.Size(), paths[0])
}

// readReviews reads reviews from a zip archive of size bytes, sorted by name. Errors call the archive name. It reads the
// files neg/cvNNN_*.txt and pos/cvNNN_*.txt in any folder, with one sentence per line, and ignores other folders and files.
//
// Spaces and control characters separate words, except for the character 0x12, which stands for an apostrophe in some of the
// files. Lines without words are left out. These are errors: a review without words, a review of more than 1 MiB, more than
// 64 MiB or 65,536 reviews in total, and reviews that share bytes of the archive.
func readReviews(r io.ReaderAt, size int64, name string) ([]Review, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, strings.TrimPrefix(err.Error(), "zip: "), errDamaged)
	}
	files, reviews, err := listReviews(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, f := range files {
		if reviews[i].Sentences, err = readReview(f); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, f.Name, err)
		}
	}
	slices.SortFunc(reviews, func(a, b Review) int { return cmp.Compare(a.Name, b.Name) })
	return reviews, nil
}

// listReviews returns the files of reviews and the information in their names, and checks everything that can be checked
// before decompression. A text whose size differs from the archive's entry is an error later, so never more is decompressed
// than allowed.
func listReviews(archive *zip.Reader) ([]*zip.File, []Review, error) {
	var files []*zip.File
	var reviews []Review
	names := make(map[string]bool)
	total := uint64(0)
	for _, f := range archive.File {
		folder := path.Base(path.Dir(f.Name))
		if f.Mode().IsDir() || folder != "neg" && folder != "pos" {
			continue
		}
		review, err := nameReview(folder, path.Base(f.Name))
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("%q: %w", f.Name, err)
		case names[review.Name]:
			return nil, nil, fmt.Errorf("two reviews %s", review.Name)
		case f.UncompressedSize64 > longestReview:
			return nil, nil, fmt.Errorf("%q: longer than %d bytes", f.Name, longestReview)
		case len(files) == mostReviews:
			return nil, nil, fmt.Errorf("more than %d reviews", mostReviews)
		}
		if total += f.UncompressedSize64; total > mostText {
			return nil, nil, fmt.Errorf("more than %d bytes of reviews", mostText)
		}
		names[review.Name] = true
		files, reviews = append(files, f), append(reviews, review)
	}
	if len(reviews) == 0 {
		return nil, nil, errors.New("no reviews in folders neg and pos")
	}
	return files, reviews, checkApart(files)
}

// checkApart checks that no byte belongs to two files.
func checkApart(files []*zip.File) error {
	spans := make([][2]int64, len(files))
	for i, f := range files {
		from, err := f.DataOffset()
		if err != nil {
			return fmt.Errorf("%q: %s: %w", f.Name, strings.TrimPrefix(err.Error(), "zip: "), errDamaged)
		}
		spans[i] = [2]int64{from, from + int64(f.CompressedSize64)}
	}
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for i, s := range spans {
		if s[1] < s[0] || i > 0 && s[0] < spans[i-1][1] {
			return fmt.Errorf("two reviews share bytes: %w", errDamaged)
		}
	}
	return nil
}

// nameReview returns the review of a file, without the text.
func nameReview(folder, file string) (Review, error) {
	base, ok := strings.CutSuffix(file, ".txt")
	if tag, _, cut := strings.Cut(base, "_"); !ok || !cut || len(tag) != 5 || tag[:2] != "cv" || strings.Trim(tag[2:], "0123456789") != "" {
		return Review{}, errors.New("not a name of the form cvNNN_*.txt")
	}
	review := Review{Name: folder + "/" + base, Fold: int(base[2] - '0')}
	if folder == "pos" {
		review.Class = 1
	}
	return review, nil
}

// readReview returns the sentences of a review.
func readReview(f *zip.File) ([][]string, error) {
	text, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimPrefix(err.Error(), "zip: "), errDamaged)
	}
	defer text.Close()
	bounded := &io.LimitedReader{R: text, N: longestReview + 1}
	lines, err := scanLines(unmarked(bufio.NewReader(bounded)), "text")
	switch {
	case bounded.N == 0:
		return nil, fmt.Errorf("longer than %d bytes", longestReview)
	case err != nil:
		return nil, err
	}
	var sentences [][]string
	for _, line := range lines {
		words := strings.FieldsFunc(strings.ReplaceAll(line, "\x12", "'"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
		if len(words) > 0 {
			sentences = append(sentences, words)
		}
	}
	if len(sentences) == 0 {
		return nil, errors.New("no words")
	}
	return sentences, nil
}
