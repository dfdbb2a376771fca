package corpus

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

const header = ",count,hate_speech,offensive_language,neither,class,tweet\n"

func readTweets(r io.Reader, name string) ([]Tweet, error) {
	return readTable(r, name, tweetHeader, parseTweet)
}

func readComments(r io.Reader, name string) ([]Comment, error) {
	return readTable(r, name, commentHeader, parseComment)
}

// requireOneLine wants an error of one line that holds every part.
func requireOneLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", parts)
		return
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want %q in it", err, p)
		}
	}
}

// must returns v, or panics with the error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zipped returns an archive of these names and texts, in turn.
func zipped(t testing.TB, namesAndTexts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(namesAndTexts); i += 2 {
		w := must(z.Create(namesAndTexts[i]))
		if _, err := io.WriteString(w, namesAndTexts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// resized returns an archive of one file that says that the file has so many bytes.
func resized(archive []byte, size uint32) []byte {
	changed := bytes.Clone(archive)
	binary.LittleEndian.PutUint32(changed[bytes.LastIndex(changed, []byte("PK\x01\x02"))+24:], size)
	return changed
}

// overlapping returns an archive of n entries, 1000 at most, that share the bytes of one review.
func overlapping(t testing.TB, n int, text string) []byte {
	t.Helper()
	one := zipped(t, "neg/cv000_1.txt", text)
	record, end := bytes.LastIndex(one, []byte("PK\x01\x02")), bytes.LastIndex(one, []byte("PK\x05\x06"))
	out := bytes.Clone(one[:record])
	for i := range n {
		out = append(out, bytes.Replace(one[record:end], []byte("cv000"), fmt.Appendf(nil, "cv%03d", i), 1)...)
	}
	last := bytes.Clone(one[end:])
	binary.LittleEndian.PutUint16(last[8:], uint16(n))
	binary.LittleEndian.PutUint16(last[10:], uint16(n))
	binary.LittleEndian.PutUint32(last[12:], uint32(len(out)-record))
	return append(out, last...)
}

func TestReadTweets(t *testing.T) {
	text := header + "0,3,0,0,3,2,\"RT @someone: what a \"\"lovely\"\" day, isn't it\nhttp://example.com/x\"\n7,6,4,2,0,0,plain text &amp; more\n9,4,2,2,0,1,tie\n"
	want := []Tweet{
		{0, [3]int{0, 0, 3}, 2, NewMasked("RT @someone: what a \"lovely\" day, isn't it\nhttp://example.com/x")},
		{7, [3]int{4, 2, 0}, 0, NewMasked("plain text &amp; more")},
		{9, [3]int{2, 2, 0}, 1, NewMasked("tie")},
	}
	for name, in := range map[string]string{
		"plain": text, "gzipped": string(gzipped(t, text)), "with a mark": "\ufeff" + text,
		"Windows": strings.ReplaceAll(text, "\n", "\r\n"), "no last line end": strings.TrimSuffix(text, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readTweets(strings.NewReader(in), "tweets.csv")
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestReadTweetsRefuses(t *testing.T) {
	good := "0,3,0,0,3,2,sunshine today\n"
	rows := header
	for i := range 50 {
		rows += fmt.Sprintf("%d,3,0,0,3,2,sunshine today\n", i)
	}
	cut := gzipped(t, rows)
	for name, c := range map[string]struct{ text, message string }{
		"nothing":              {"", "tweets.csv: no rows below the header"},
		"header alone":         {header, "tweets.csv: no rows below the header"},
		"no header":            {good, "line 1 is not the header"},
		"blank line first":     {"\nx\n", "line 2 is not the header"},
		"other header":         {"id,text\n", "line 1 is not the header"},
		"columns in header":    {"count,hate_speech,offensive_language,neither,class,tweet\n1,0,0,1,2,sunshine\n", "line 1 is not the header"},
		"too few columns":      {header + good + "1,3,0,0,3,2\n", "line 3 has 6 columns, not 7"},
		"too many columns":     {header + "1,3,0,0,3,2,sunshine,today\n", "line 2 has 8 columns, not 7"},
		"word for a number":    {header + "1,3,0,sunshine,3,2,today\n", "line 2: column 4 (offensive_language) is not a whole number"},
		"negative":             {header + "1,3,-1,1,3,2,sunshine\n", "column 3"},
		"votes do not add up":  {header + "1,4,0,0,3,2,sunshine\n", "line 2: the votes for the classes add up to 3, not to the count 4"},
		"votes overflow":       {header + fmt.Sprintf("1,5,%d,%[1]d,7,2,sunshine\n", math.MaxInt), "more than the count"},
		"class":                {header + "1,3,0,0,3,3,sunshine\n", "class 3"},
		"class of fewer votes": {header + "1,3,0,1,2,1,sunshine\n", "class 1 has fewer votes"},
		"same id":              {header + good + good, "line 3: the id of an earlier line"},
		"no text":              {header + "1,3,0,0,3,2,\"  \n \"\n", "line 2: the text is empty"},
		"bytes":                {header + "1,3,0,0,3,2,sun\xffshine\n", "line 2: the text is not UTF-8"},
		"open quote":           {header + good + "1,3,0,0,3,2,\"sunshine\n", "line 3: extraneous or missing"},
		"bare quote":           {header + "1,3,0,0,3,2,sun\"shine\n", "line 2: bare"},
		"truncated":            {string(cut[:len(cut)-12]), "it ends early: the file is damaged; fetch it again"},
		"truncated header":     {string(cut[:5]), "line 1: it ends early"},
		"changed":              {string(cut[:len(cut)-5]) + "12345", "the file is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readTweets(strings.NewReader(c.text), "tweets.csv")
			requireOneLine(t, err, "tweets.csv: ", c.message)
			if err != nil && strings.Contains(err.Error(), "sun") {
				t.Errorf("the error quotes the text: %v", err)
			}
		})
	}
	t.Run("line of the end", func(t *testing.T) {
		for _, end := range []string{"2,3", "", `"2`, `2,"`} {
			_, err := readTweets(io.MultiReader(strings.NewReader(header+good+"1,3,0,0,3,2,rain\n"+end), failing{}), "tweets.csv")
			requireOneLine(t, err, "tweets.csv: line 4: it ends early")
		}
	})
}

func TestReadComments(t *testing.T) {
	text := string(must(os.ReadFile("testdata/comments.csv")))
	want := []Comment{
		{"00000000000000a1", NewMasked("Thanks for the sources, I read them.\n\nShall we add the \"early years\" now?"), [6]bool{}},
		{"00000000000000b2", NewMasked("You silly goose, leave my page alone!"), [6]bool{0: true, 4: true}},
		{"00000000000000c3", NewMasked("See the talk page."), [6]bool{}},
	}
	for name, in := range map[string]string{
		"plain": text, "gzipped": string(gzipped(t, text)), "byte order mark": "\ufeff" + text, "Windows": strings.ReplaceAll(text, "\n", "\r\n"),
		"no last line end": strings.TrimSuffix(text, "\n"),
	} {
		if got, err := readComments(strings.NewReader(in), "train.csv"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestReadCommentsRefuses(t *testing.T) {
	top := strings.Join(commentHeader, ",") + "\n"
	good := "a1,\"sunshine\n\ntoday\",1,0,0,0,1,0\n" // lines 2 to 4
	for name, c := range map[string]struct{ text, message string }{
		"nothing":         {"", "train.csv: no rows below the header"},
		"test.csv":        {"id,comment_text\na1,sunshine\n", "train.csv: line 1 is not the header id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate"},
		"too few columns": {top + good + "b2,sunshine,0,0,0,0,0\n", "train.csv: line 5 has 7 columns, not 8"},
		"test_labels.csv": {top + good + "b2,sunshine,0,0,-1,0,0,0\n", "train.csv: line 5: column 5 (obscene) is neither 0 nor 1"},
		"probability":     {top + good + "b2,sunshine,0,0,0,0,0,0.5\n", "train.csv: line 5: column 8 (identity_hate) is neither 0 nor 1"},
		"same id":         {top + good + good, "train.csv: line 5: the id of an earlier line"},
		"no id":           {top + ",sunshine,0,0,0,0,0,0\n", "train.csv: line 2: the id is empty"},
		"bytes":           {top + good + "b2,sun\xffshine,0,0,0,0,0,0\n", "train.csv: line 5: the text is not UTF-8; save the file as UTF-8"},
		"open quote":      {top + good + "b2,\"sunshine\n\n", "train.csv: line 5: extraneous or missing"},
		"bare quote":      {top + good + "b2,sun\"shine,0,0,0,0,0,0\n", "train.csv: line 5: bare"},
		"truncated":       {string(gzipped(t, top+strings.Repeat(good, 9))[:60]), "it ends early: the file is damaged"},
	} {
		_, err := readComments(strings.NewReader(c.text), "train.csv")
		requireOneLine(t, err, c.message)
		if err != nil && strings.Contains(err.Error(), "sun") {
			t.Errorf("%s: the error quotes the text: %v", name, err)
		}
	}
	_, err := ReadComments("testdata/none.csv")
	requireOneLine(t, err, "testdata/none.csv")
}

// failing is a reader that ends early.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestReadReviews(t *testing.T) {
	data := zipped(t,
		"movie_reviews/README", "not a review",
		"movie_reviews/pos/cv123_4.txt", "a fine film . \nit\x12s \x13good\x14 \x16 really . \n",
		"movie_reviews/neg/", "",
		"movie_reviews/neg/cv900_17.txt", "\n  \nbad film\r\n\nno end",
	)
	got := must(readReviews(bytes.NewReader(data), int64(len(data)), "reviews.zip"))
	want := "[{neg/cv900_17 0 9 [[bad film] [no end]]} {pos/cv123_4 1 1 [[a fine film .] [it's good really .]]}]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestReadReviewsRefuses(t *testing.T) {
	good := zipped(t, "neg/cv000_1.txt", strings.Repeat("a bad film of many words .\n", 20))
	damaged := bytes.Clone(good)
	damaged[60] ^= 0xff
	long := strings.Repeat("word ", longestReview/5)
	var full, many []string
	for i := range 65 {
		full = append(full, fmt.Sprintf("neg/cv%03d_1.txt", i), long)
	}
	for i := range mostReviews + 1 {
		many = append(many, fmt.Sprintf("pos/cv000_%d.txt", i), "")
	}
	for name, c := range map[string]struct {
		data    []byte
		message string
	}{
		"nothing":         {nil, "the file is damaged; fetch it again"},
		"text":            {[]byte("a fine film"), "not a valid zip file"},
		"truncated":       {good[:len(good)-30], "the file is damaged"},
		"damaged":         {damaged, `"neg/cv000_1.txt": `},
		"no reviews":      {zipped(t, "README", "x"), "no reviews in folders neg and pos"},
		"name":            {zipped(t, "neg/review1.txt", "x"), `"neg/review1.txt": not a name of the form cvNNN_*.txt`},
		"tag":             {zipped(t, "pos/cv12x_1.txt", "x"), "not a name of the form"},
		"short tag":       {zipped(t, "pos/cv_1.txt", "x"), "not a name of the form"},
		"other extension": {zipped(t, "pos/cv123_1.html", "x"), "not a name of the form"},
		"empty":           {zipped(t, "pos/cv123_1.txt", ""), `"pos/cv123_1.txt": no words`},
		"blank":           {zipped(t, "pos/cv123_1.txt", " \n\x16\n"), "no words"},
		"twice":           {zipped(t, "a/pos/cv123_1.txt", "x", "b/pos/cv123_1.txt", "x"), "two reviews pos/cv123_1"},
		"bytes":           {zipped(t, "pos/cv123_1.txt", "fine\nf\xfflm"), "line 2 is not UTF-8"},
		"long":            {zipped(t, "pos/cv123_1.txt", strings.Repeat("word\n", longestReview/4)), "longer than 1048576 bytes"},
		"gzipped":         {zipped(t, "pos/cv123_1.txt", string(gzipped(t, strings.Repeat("word\n", 1<<16)))), "is not UTF-8"},
		"too much text":   {zipped(t, full...), "more than 67108864 bytes of reviews"},
		"too many":        {zipped(t, many...), "more than 65536 reviews"},
		"name first":      {zipped(t, "pos/cv123_1.txt", "\xff", "pos/x.txt", ""), "pos/x.txt"},
		"shared bytes":    {overlapping(t, 60, long), "two reviews share bytes: the file is damaged"},
		"smaller":         {resized(good, 1), "text: line 1: not a valid zip file: the file is damaged"},
		"larger":          {resized(good, longestReview), "it ends early: the file is damaged"},
		"huge":            {resized(good, 1<<31), "longer than 1048576 bytes"},
		"one long line":   {zipped(t, "pos/cv123_1.txt", strings.Repeat("word ", longestReview/4)), "longer than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readReviews(bytes.NewReader(c.data), int64(len(c.data)), "reviews.zip")
			requireOneLine(t, err, "reviews.zip: ", c.message)
		})
	}
}

func TestReadPairs(t *testing.T) {
	en, de := "A dog runs.\n Two cats sleep. \n", "Ein Hund läuft.\r\nZwei Katzen schlafen."
	want := []Pair{{"A dog runs.", "Ein Hund läuft."}, {"Two cats sleep.", "Zwei Katzen schlafen."}}
	for name, c := range map[string][2]string{
		"plain": {en, de}, "gzipped": {string(gzipped(t, en)), string(gzipped(t, de))}, "one gzipped, one marked": {"\ufeff" + en, string(gzipped(t, "\ufeff"+de))},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readPairs(strings.NewReader(c[0]), strings.NewReader(c[1]), "a.en", "a.de")
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestReadPairsRefuses(t *testing.T) {
	whole := gzipped(t, strings.Repeat("Ein Hund läuft.\n", 200))
	for name, c := range map[string]struct{ source, target, message string }{
		"more sources":     {"a\nb\nc\n", "x\n", "a.en has 3 lines and a.de has 1; line 2 is the first without a translation"},
		"more targets":     {"a\n", "x\ny\n", "a.en has 1 lines and a.de has 2; line 2"},
		"empty source":     {"", "x\n", "a.en: no lines"},
		"empty target":     {"a\n", "", "a.de: no lines"},
		"empty sentence":   {"a\n\nc\n", "x\ny\nz\n", "a.en: line 2 is empty"},
		"blank sentence":   {"a\nb\nc\n", "x\ny\n \t\n", "a.de: line 3 is empty"},
		"bytes":            {"a\nb\xff\n", "x\ny\n", "a.en: line 2 is not UTF-8"},
		"long line":        {"a\n" + strings.Repeat("b", longestLine+1), "x\ny\n", "a.en: line 2 is longer than 1048576 bytes"},
		"truncated":        {strings.Repeat("a\n", 200), string(whole[:len(whole)-9]), "a.de: line "},
		"truncated header": {"a\n", string(whole[:6]), "a.de: line 1: it ends early"},
		"bad header":       {"a\n", "\x1f\x8b\x09" + string(whole[3:]), "a.de: line 1: invalid header: the file is damaged"},
		"bad sum":          {strings.Repeat("a\n", 200), string(whole[:len(whole)-8]) + "abcd" + string(whole[len(whole)-4:]), "a.de: line 201: invalid checksum: the file is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readPairs(strings.NewReader(c.source), strings.NewReader(c.target), "a.en", "a.de")
			requireOneLine(t, err, c.message)
		})
	}
}
