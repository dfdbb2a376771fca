package dataset

import (
	"errors"
	"fmt"
	"strings"

	"synpool/milbench"
	"synpool/milbench/dataset/generate"
)

// File is one file of a named set. A checksum that is empty is not known.
type File struct {
	Name           string `json:"name"` // in [Dir]
	URL            string `json:"url"`
	Bytes          int64  `json:"bytes,omitempty"`
	SHA256         string `json:"sha256,omitempty"`
	GitBlob        string `json:"git_blob,omitempty"` // git's blob id: SHA-1 of a header with the size, and the bytes
	InflatedBytes  int64  `json:"inflated_bytes,omitempty"`
	InflatedSHA256 string `json:"inflated_sha256,omitempty"` // of the bytes after gzip decompression
}

// Entry describes a named set.
type Entry struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Source    string   `json:"source"` // who distributes what is fetched
	Licence   string   `json:"licence"`
	Citations []string `json:"citations"`
	Notes     string   `json:"notes,omitempty"`
	Files     []File   `json:"files,omitempty"` // none: embedded or generated

	Bags      int `json:"bags"`
	Positive  int `json:"positive"`
	Instances int `json:"instances"`
	Features  int `json:"features"` // without the label column

	InstanceLabels Column `json:"instance_label_column,omitempty"` // the stored column that holds instance labels
	TrainBags      int    `json:"train_bags,omitempty"`            // official split: so many bags train, the rest test
	Folds          int    `json:"folds"`                           // the customary number of folds
	Generated      bool   `json:"generated,omitempty"`             // drawn when it is opened: nothing to fetch

	read func(paths []string) (*milbench.Set, error) // nil: ReadFile of the only file
	draw func(seed uint64) (*milbench.Set, error)    // of a generated set
}

// ErrUnknownSet says that no set has the name.
var ErrUnknownSet = errors.New("no named set")

// Find returns the entry of the named set, or an error that matches [ErrUnknownSet] and names the nearest.
func Find(name string) (Entry, error) {
	var names []string
	for _, e := range Catalog() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if near := milbench.Nearest(strings.ToLower(name), names); near != "" {
		return Entry{}, fmt.Errorf("%w %q; did you mean %s?", ErrUnknownSet, name, near)
	}
	return Entry{}, fmt.Errorf("%w %q; `milbench data list` shows all", ErrUnknownSet, name)
}

const (
	rgmil   = "https://raw.githubusercontent.com/LMBDA-design/RGMIL/65651d4a7ce53730c7c2107121bbf170050e1d71/"
	magics  = "https://raw.githubusercontent.com/MAGICS-LAB/NonparametricHopfield/13ce6a8d9bec319beb8cb7f21ce42fc5eae32489/datasets/mil_datasets/"
	mnist   = "https://storage.googleapis.com/cvdf-datasets/mnist/"
	unknown = "none stated"

	fromRGMIL  = "cell-array file of github.com/LMBDA-design/RGMIL"
	fromMAGICS = "Columbia file, as kept by github.com/MAGICS-LAB/NonparametricHopfield"
)

const (
	dietterich = "Dietterich, T. G., Lathrop, R. H., Lozano-Pérez, T. (1997). Solving the multiple instance problem with axis-parallel rectangles. Artificial Intelligence 89, 31-71."
	andrews    = "Andrews, S., Tsochantaridis, I., Hofmann, T. (2002). Support vector machines for multiple-instance learning. Advances in Neural Information Processing Systems 15."
	zhou       = "Zhou, Z.-H., Jiang, K., Li, M. (2005). Multi-instance learning based web mining. Applied Intelligence 22, 135-147."
	gelasca    = "Gelasca, E. D., Byun, J., Obara, B., Manjunath, B. S. (2008). Evaluation and benchmark for biological image segmentation. IEEE International Conference on Image Processing."
	kandemir   = "Kandemir, M., Zhang, C., Hamprecht, F. A. (2014). Empowering multiple instance histopathology cancer diagnosis by cell graphs. Medical Image Computing and Computer-Assisted Intervention."
	lecun      = "LeCun, Y., Bottou, L., Bengio, Y., Haffner, P. (1998). Gradient-based learning applied to document recognition. Proceedings of the IEEE 86, 2278-2324."
	ilse       = "Ilse, M., Tomczak, J. M., Welling, M. (2018). Attention-based deep multiple instance learning. International Conference on Machine Learning."
	chapman    = "Chapman, D., Jain, A. (1994). Musk (Version 1). UCI Machine Learning Repository, doi.org/10.24432/C5ZK5B."
	chapman2   = "Chapman, D., Jain, A. (1994). Musk (Version 2). UCI Machine Learning Repository, data set 75."
)

// Catalog returns the named sets: Musk 1-2, Elephant, Fox, Tiger, UCSB breast cancer, the Web index pages 1-9, bags of
// MNIST digits, the Columbia files of Elephant and Musk 1, and sets that are generated: the algorithmic unit tests of Raff
// and Holt ([generate.DrawRaffHolt]) and bags of known witness rates ([generate.DrawNeedle]), with the default settings.
//
// In every cell-array file that can be audited the last column of the instance matrix is a label, not a feature; the
// entries declare it. It repeats the bag label on every instance, but for two bags of Elephant, and is no ground truth
// of instances.
func Catalog() []Entry {
	all := []Entry{
		{
			Name: "musk1", Title: "Musk 1: conformations of molecules", Source: "embedded, from UCI data set 74", Licence: "CC BY 4.0",
			Citations: []string{chapman, dietterich},
			Bags:      92, Positive: 47, Instances: 476, Features: 166, Folds: 10,
			read: func([]string) (*milbench.Set, error) { return Musk1() },
		},
		{
			Name: "musk2", Title: "Musk 2: conformations of molecules", Source: fromRGMIL, Licence: "CC BY 4.0 (UCI data set 75)",
			Citations: []string{chapman2, dietterich},
			Notes:     "UCI's own archive holds an LZW-compressed file, which is not fetched.",
			Files:     []File{{Name: "musk2.mat", URL: rgmil + "musk2.mat", Bytes: 1469839, SHA256: "b0a981032d09bc9f18eeea74b116b0c88028f76c8a1f480bc570ef9c0f9ead83"}},
			Bags:      102, Positive: 39, Instances: 6598, Features: 166, InstanceLabels: LastColumn, Folds: 10,
		},
		{
			Name: "elephant", Title: "Elephant: segments of images", Source: fromRGMIL, Licence: unknown,
			Citations: []string{andrews},
			Notes:     "The label column of two positive bags differs from the bag label: all of bag 100 is 0, and the last instance of bag 99.",
			Files:     []File{{Name: "elephant.mat", URL: rgmil + "elephant.mat", Bytes: 576279, SHA256: "6b73c04154a8bae99916c65e031fd8f231b96715262eb52be2408ca9966d4844"}},
			Bags:      200, Positive: 100, Instances: 1391, Features: 230, InstanceLabels: LastColumn, Folds: 10,
		},
		{
			Name: "fox", Title: "Fox: segments of images", Source: fromRGMIL, Licence: unknown,
			Citations: []string{andrews},
			Files:     []File{{Name: "fox.mat", URL: rgmil + "fox.mat", Bytes: 549390, SHA256: "6106aba00ca9a9f38fc03bfc003078113a034e57c1e9ec5118062545b8b06bb8"}},
			Bags:      200, Positive: 100, Instances: 1320, Features: 230, InstanceLabels: LastColumn, Folds: 10,
		},
		{
			Name: "tiger", Title: "Tiger: segments of images", Source: fromRGMIL, Licence: unknown,
			Citations: []string{andrews},
			Files:     []File{{Name: "tiger.mat", URL: rgmil + "tiger.mat", Bytes: 544808, SHA256: "a7c8c2deac4e4d202e70eda7135aa0d2a0748dd07747ca237b17bb0b47f2ad14"}},
			Bags:      200, Positive: 100, Instances: 1220, Features: 230, InstanceLabels: LastColumn, Folds: 10,
		},
		{
			Name: "ucsb", Title: "UCSB breast cancer: patches of tissue images", Source: fromRGMIL, Licence: unknown,
			Citations: []string{gelasca, kandemir},
			Notes:     "The customary protocol has 4 folds.",
			Files:     []File{{Name: "ucsb_breast.mat", URL: rgmil + "ucsb_breast.mat", GitBlob: "10fc758658dfab184a6d55120362fc47dfbd19e9"}},
			Bags:      58, Positive: 26, Instances: 2002, Features: 708, InstanceLabels: LastColumn, Folds: 4,
		},
	}
	for i, w := range web {
		name := fmt.Sprintf("web%d", i+1)
		all = append(all, Entry{
			Name: name, Title: fmt.Sprintf("Web index pages, user %d: terms of linked pages", i+1), Source: fromRGMIL, Licence: unknown,
			Citations: []string{zhou}, Notes: w.notes,
			Files: []File{{Name: name + ".mat", URL: rgmil + name + ".mat", Bytes: w.bytes, SHA256: w.sha256}},
			Bags:  113, Positive: w.positive, Instances: 3423, Features: w.features, InstanceLabels: LastColumn, TrainBags: 75, Folds: 10,
		})
	}
	all = append(all,
		Entry{
			Name: "mnist", Title: "MNIST bags: positive if a bag of about 10 digits holds a 9", Source: "test images of MNIST, mirror of the Common Visual Data Foundation", Licence: "CC BY-SA 3.0",
			Citations: []string{lecun, ilse},
			Notes:     "100 bags drawn with seed 1; bag size normal, mean 10, standard deviation 2.",
			Files: []File{
				{Name: "t10k-images-idx3-ubyte.gz", URL: mnist + "t10k-images-idx3-ubyte.gz", InflatedBytes: 7840016, InflatedSHA256: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
				{Name: "t10k-labels-idx1-ubyte.gz", URL: mnist + "t10k-labels-idx1-ubyte.gz", InflatedBytes: 10008, InflatedSHA256: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
			},
			Bags: 100, Positive: 61, Instances: 997, Features: 784, Folds: 10,
			read: func(paths []string) (*milbench.Set, error) {
				all, err := ReadImages(paths[0], paths[1])
				if err != nil {
					return nil, err
				}
				return generate.DefaultDigits().Draw(all)
			},
		},
		Entry{
			Name: "elephant-columbia", Title: "Elephant, Columbia file", Source: fromMAGICS, Licence: unknown,
			Citations: []string{andrews},
			Files:     []File{{Name: "elephant_100x100_matlab.mat", URL: magics + "elephant_100x100_matlab.mat", Bytes: 2412040, SHA256: "b871820b5df11ef9050e0c0ec73e3d4d95b3e59b64bac237ec115548a5024a13"}},
			Bags:      200, Positive: 100, Instances: 1391, Features: 230, Folds: 10,
		},
		Entry{
			Name: "musk1-columbia", Title: "Musk 1, Columbia file, features normalised", Source: fromMAGICS, Licence: unknown,
			Citations: []string{dietterich, andrews},
			Files:     []File{{Name: "musk1norm_matlab.mat", URL: magics + "musk1norm_matlab.mat", Bytes: 957688, SHA256: "18de13dee710c0a7cbcaf2a5b6ab66dd74145c6b8bc5980d7d14c18cb19e7ea0"}},
			Bags:      92, Positive: 47, Instances: 476, Features: 166, Folds: 10,
		},
	)
	return append(all, generated()...)
}

// web lists what differs between the nine users of the Web index pages. The official list is LAMDA's.
var web = [9]struct {
	positive, features int
	bytes              int64
	sha256, notes      string
}{
	{21, 5863, 1011489, "2106ecf145f040e4b093d2c5008fdf9fb3be55bef44dfb4e20103c27e7fcfca4", ""},
	{21, 6519, 1062228, "5ea1be31831bb7f75987bea049e326071d859879b00a37bd628b5b273729cb73", ""},
	{21, 6306, 1040699, "067d20aa5101cd9178abf13872d77d4c27ac89b389390d2af1dfddb61af48c97", ""},
	{88, 6059, 1018933, "9ef22f4c631b26ebbcf133cdb8c46f604282d4629916a839fb2e90e1ee69f0d2",
		"55 + 33 positive bags (train + test) where the official list has 56 + 33."},
	{87, 6407, 1057678, "7a4f82b37c3f87da73cfb540cde349b5ffe2c87c1cea31c7eefda4c4fb94f63f",
		"61 + 26 positive bags (train + test) where the official list has 62 + 27."},
	{88, 6417, 1077481, "29ab2eb8c44c9dd26b4351ca367c41af90f379bdea3f7290924fe787c2f0ccf2",
		"59 + 29 positive bags (train + test) where the official list has 60 + 29."},
	{54, 6450, 1065112, "ff67d7cb5f683dd5be6b49166f9b5d9821e31fc10e48237cae52ed1e0a9fcbdf",
		"39 + 15 positive bags (train + test) where the official list has 39 + 16."},
	{55, 5999, 990598, "4915430b5e2944c927e374fc7bdf401b3f1fe7b2641b52b896f7782598e34ad6", ""},
	{55, 6279, 1037188, "1bbf2698079fd2ba29457e315b5199e25c2ddf2a2f783c4b8c9374ef8c0ad564", ""},
}
