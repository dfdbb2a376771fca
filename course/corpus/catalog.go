package corpus

import (
	"errors"
	"fmt"
	"strings"

	"synpool/internal/fetch"
)

// Entry describes a named set. Its methods Paths and Verify say where its files are in [Dir] and whether they are as they
// should be (an error of missing ones matches [ErrNotFetched]); Fetch downloads those that are not.
type Entry struct {
	fetch.Set
	Title     string
	Texts     int    // number of tweets, reviews or pairs of sentences
	Source    string // who distributes the files
	Licence   string
	Citations []string
	Notes     string
}

// ErrUnknownSet says that there is no set with the name.
var ErrUnknownSet = errors.New("no text set")

// Find returns the entry of the named set, or an error that matches [ErrUnknownSet] and lists the existing names.
func Find(name string) (Entry, error) {
	var names []string
	for _, e := range Catalog() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf("%w %q; there are %s", ErrUnknownSet, name, strings.Join(names, ", "))
}

// The names of the sets.
const (
	tweetsName   = "tweets"
	reviewsName  = "reviews"
	multi30kName = "multi30k"
)

// Catalog returns the named sets: tweets ([LoadTweets]), reviews ([LoadReviews]) and multi30k ([LoadMulti30k]).
func Catalog() []Entry {
	const (
		davidson = "https://raw.githubusercontent.com/t-davidson/hate-speech-and-offensive-language/cb50f7e9eb855a99abc51423bf40df0e26d6fe30/data/"
		nltk     = "https://raw.githubusercontent.com/nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/packages/corpora/"
		multi30k = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
	)
	set := func(name string, files ...fetch.File) fetch.Set {
		return fetch.Set{Name: name, Files: files, Variables: variables, Command: command + " " + name}
	}
	file := func(name, url string, bytes int64, sum string) fetch.File {
		return fetch.File{Name: name, URL: url, Sums: fetch.Sums{Bytes: bytes, SHA256: sum}}
	}
	caption := func(name string, bytes int64, sum string) fetch.File {
		return file("multi30k_"+name, multi30k+name, bytes, sum)
	}
	return []Entry{
		{
			Set:   set(tweetsName, file("labeled_data.csv", davidson+"labeled_data.csv", 2546446, "fcb8bc7c68120ae4af04a5b9acd58585513ede11e1548ebf36a5c2040b6f6281")),
			Title: "Tweets: hate speech, offensive language or neither", Texts: 24783,
			Source: "github.com/t-davidson/hate-speech-and-offensive-language", Licence: "MIT",
			Citations: []string{"Davidson, T., Warmsley, D., Macy, M., Weber, I. (2017). Automated hate speech detection and the problem of offensive language. International AAAI Conference on Web and Social Media."},
			Notes:     "The text is offensive: print it masked. Each tweet was judged by at least three people; its class has the most votes.",
		},
		{
			Set:   set(reviewsName, file("movie_reviews.zip", nltk+"movie_reviews.zip", 4004848, "a41211ae685019137410268134db6a1a14428c89b671eb83056151a878539008")),
			Title: "Film reviews, positive or negative: documents of sentences of words", Texts: 2000,
			Source: "github.com/nltk/nltk_data", Licence: "CC BY 4.0",
			Citations: []string{"Pang, B., Lee, L. (2004). A sentimental education: sentiment analysis using subjectivity summarization based on minimum cuts. Annual Meeting of the Association for Computational Linguistics."},
			Notes:     "Polarity data set 2.0: lower case, words apart, one sentence a line.",
		},
		{
			Set: set(multi30kName,
				caption("train.en.gz", 568929, "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f"),
				caption("train.de.gz", 637044, "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6"),
				caption("val.en.gz", 21650, "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28"),
				caption("val.de.gz", 24681, "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a"),
				caption("test_2016_flickr.en.gz", 21077, "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9"),
				caption("test_2016_flickr.de.gz", 22890, "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8"),
			),
			Title: "Multi30k: captions of images, English and German", Texts: 29000 + 1014 + 1000,
			Source: "github.com/multi30k/dataset", Licence: "research use only; not to be passed on",
			Citations: []string{"Elliott, D., Frank, S., Sima'an, K., Specia, L. (2016). Multi30K: multilingual English-German image descriptions. Workshop on Vision and Language."},
			Notes:     "Task 1, raw text; the test part is that of 2016 (Flickr).",
		},
	}
}
