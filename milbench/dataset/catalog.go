package dataset

import (
	"errors"
	"fmt"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

// File is one file of a named set. An empty checksum is unknown.
type File struct {
	Name           string `json:"name"` // file name in the folder of [Entry.Paths]
	URL            string `json:"url"`
	Bytes          int64  `json:"bytes,omitempty"`
	SHA256         string `json:"sha256,omitempty"`
	InflatedBytes  int64  `json:"inflated_bytes,omitempty"`
	InflatedSHA256 string `json:"inflated_sha256,omitempty"` // hash of the bytes after gzip decompression
}

// Entry describes a named set.
type Entry struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Source    string   `json:"source"` // who distributes the files
	Licence   string   `json:"licence"`
	Citations []string `json:"citations"`
	Notes     string   `json:"notes,omitempty"`
	Files     []File   `json:"files,omitempty"` // empty for embedded and generated sets

	Bags      int `json:"bags"`
	Positive  int `json:"positive"`
	Instances int `json:"instances"`
	Features  int `json:"features"` // not counting the label column

	InstanceLabels Column `json:"instance_label_column,omitempty"` // stored column with instance labels
	TrainBags      int    `json:"train_bags,omitempty"`            // official split: this many bags for training, the rest for testing
	Folds          int    `json:"folds"`                           // customary number of folds
	Generated      bool   `json:"generated,omitempty"`             // generated on opening, nothing to fetch

	read func(paths []string) (*mil.Set, error) // nil means ReadFile of the only file
	draw func(seed uint64) (*mil.Set, error)    // for a generated set
}

// ErrUnknownSet is wrapped by the error returned if no set has the name.
var ErrUnknownSet = errors.New("no named set")

// Find returns the entry of the named set. For an unknown name it returns an error that matches [ErrUnknownSet] and
// suggests the nearest name.
func Find(name string) (Entry, error) {
	var names []string
	for _, e := range Catalog() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if near := spelling.Nearest(strings.ToLower(name), names); near != "" {
		return Entry{}, fmt.Errorf("%w %q; did you mean %s?", ErrUnknownSet, name, near)
	}
	return Entry{}, fmt.Errorf("%w %q; `milbench data list` shows all", ErrUnknownSet, name)
}

// Named reports whether a published set has the name. Others are files.
func Named(nameOrFile string) bool {
	_, err := Find(nameOrFile)
	return err == nil
}

const (
	rgmil        = "https://raw.githubusercontent.com/LMBDA-design/RGMIL/65651d4a7ce53730c7c2107121bbf170050e1d71/"
	magics       = "https://raw.githubusercontent.com/MAGICS-LAB/NonparametricHopfield/13ce6a8d9bec319beb8cb7f21ce42fc5eae32489/datasets/mil_datasets/"
	pevnak       = "https://raw.githubusercontent.com/pevnak/MIProblems/11621590cc4ad6090daa607b699bf18fa0ee310b/"
	rosasalberto = "https://raw.githubusercontent.com/rosasalberto/mil/a2c6414122da38dbfeea94d5a660e7306e2408aa/mil/data/datasets/csv/"
	mnist        = "https://storage.googleapis.com/cvdf-datasets/mnist/"
	unknown      = "none stated"

	fromRGMIL  = "cell-array file of github.com/LMBDA-design/RGMIL"
	fromPevny  = "text files of github.com/pevnak/MIProblems"
	fromMAGICS = "Columbia file, as kept by github.com/MAGICS-LAB/NonparametricHopfield"
)

const (
	dietterich = "Dietterich, T. G., Lathrop, R. H., Lozano-Pérez, T. (1997). Solving the multiple instance problem with axis-parallel rectangles. Artificial Intelligence 89, 31-71."
	andrews    = "Andrews, S., Tsochantaridis, I., Hofmann, T. (2002). Support vector machines for multiple-instance learning. Advances in Neural Information Processing Systems 15."
	zhou       = "Zhou, Z.-H., Jiang, K., Li, M. (2005). Multi-instance learning based web mining. Applied Intelligence 22, 135-147."
	gelasca    = "Gelasca, E. D., Byun, J., Obara, B., Manjunath, B. S. (2008). Evaluation and benchmark for biological image segmentation. IEEE International Conference on Image Processing."
	kandemir   = "Kandemir, M., Zhang, C., Hamprecht, F. A. (2014). Empowering multiple instance histopathology cancer diagnosis by cell graphs. Medical Image Computing and Computer-Assisted Intervention."
	briggs     = "Briggs, F., Fern, X. Z., Raich, R. (2012). Rank-loss support instance machines for MIML instance annotation. ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 534-542."
	chen       = "Chen, Y., Bi, J., Wang, J. Z. (2006). MILES: Multiple-instance learning via embedded instance selection. IEEE Transactions on Pattern Analysis and Machine Intelligence 28, 1931-1947."
	srinivasan = "Srinivasan, A., Muggleton, S., King, R. D. (1995). Comparing the use of background knowledge by inductive logic programming systems. International Workshop on Inductive Logic Programming, 199-230."
	zhouSunLi  = "Zhou, Z.-H., Sun, Y.-Y., Li, Y.-F. (2009). Multi-instance learning by treating instances as non-i.i.d. samples. International Conference on Machine Learning, 1249-1256."
	wangScott  = "Wang, C., Scott, S. D., Zhang, J., Tao, Q., Fomenko, D. E., Gladyshev, V. N. (2004). A study in modeling low-conservation protein superfamilies. Technical report TR-UNL-CSE-2004-3, University of Nebraska."
	cheplygina = "Cheplygina, V., Tax, D. M. J. (2015). Characterizing multiple instance datasets. Similarity-Based Pattern Recognition, 15-27."
	newsNote   = "The source does not name the newsgroup that positive bags have posts of, about 3 % of their posts."
	ambiguous  = "Some molecules have the same bonds, and a few of these have different labels. Such bags are never split between training and test."
	lecun      = "LeCun, Y., Bottou, L., Bengio, Y., Haffner, P. (1998). Gradient-based learning applied to document recognition. Proceedings of the IEEE 86, 2278-2324."
	ilse       = "Ilse, M., Tomczak, J. M., Welling, M. (2018). Attention-based deep multiple instance learning. International Conference on Machine Learning."
	chapman    = "Chapman, D., Jain, A. (1994). Musk (Version 1). UCI Machine Learning Repository, doi.org/10.24432/C5ZK5B."
	chapman2   = "Chapman, D., Jain, A. (1994). Musk (Version 2). UCI Machine Learning Repository, data set 75."
)

// Catalog returns the named sets: Musk 1-2, Elephant, Fox, Tiger, UCSB breast cancer, the Web index pages 1-9, bags
// of MNIST digits, the Columbia files of Elephant, Musk 1 and seven categories of TREC9, and ten sets from Pevny's
// MIProblems (birds, Corel, Mutagenesis, Newsgroups and Protein). It also has generated sets with default settings:
// the algorithmic unit tests of Raff and Holt ([generate.DrawRaffHolt]) and bags with known witness rates
// ([generate.DrawNeedle]).
//
// In every cell-array file that can be audited, the last column of the instance matrix is a label, not a feature; the
// entries declare it. The column repeats the bag label on every instance, except in two bags of Elephant, and is not
// ground truth for instances.
func Catalog() []Entry {
	all := []Entry{
		{
			Name: "musk1", Title: "Musk 1: conformations of molecules", Source: "embedded, from UCI data set 74", Licence: "CC BY 4.0",
			Citations: []string{chapman, dietterich},
			Bags:      92, Positive: 47, Instances: 476, Features: 166, Folds: 10,
			read: func([]string) (*mil.Set, error) { return Musk1() },
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
			Name: "ucsb", Title: "UCSB breast cancer: patches of tissue images", Source: "table of github.com/rosasalberto/mil", Licence: unknown,
			Citations: []string{gelasca, kandemir},
			Notes:     "The customary protocol has 4 folds. The Python package mil 1.0.5 has the same file.",
			Files:     []File{{Name: "ucsb_breast_cancer.csv", URL: rosasalberto + "ucsb_breast_cancer.csv", Bytes: 15001039, SHA256: "9e48d4d5d44ae2728c940e8d79b3e59ffcec3e515017f70d3feb0063148dbd96"}},
			Bags:      58, Positive: 26, Instances: 2002, Features: 708, Folds: 4,
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
			read: func(paths []string) (*mil.Set, error) {
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
	for _, t := range transposedSets {
		e := Entry{
			Name: t.name, Title: t.title, Source: fromPevny, Licence: unknown,
			Citations: []string{t.citation, cheplygina}, Notes: t.notes,
			Bags: t.bags, Positive: t.positive, Instances: t.instances, Features: t.features, Folds: 10,
			read: func(paths []string) (*mil.Set, error) { return ReadTransposed(paths[0], paths[1], paths[2]) },
		}
		for i, file := range []string{"data.csv", "bagids.csv", "labels.csv"} {
			f := t.files[i]
			e.Files = append(e.Files, File{Name: t.folder + "-" + file, URL: pevnak + t.folder + "/" + file, Bytes: f.bytes, SHA256: f.sha256})
		}
		all = append(all, e)
	}
	for _, t := range trec {
		file := fmt.Sprintf("trec_%d_200x200_matlab.mat", t.number)
		all = append(all, Entry{
			Name: fmt.Sprintf("trec%d", t.number), Title: fmt.Sprintf("TREC9, category %d: passages of medical abstracts", t.number), Source: fromMAGICS, Licence: unknown,
			Citations: []string{andrews},
			Files:     []File{{Name: file, URL: magics + file, Bytes: t.file.bytes, SHA256: t.file.sha256}},
			Bags:      400, Positive: 200, Instances: t.instances, Features: t.features, Folds: 10,
		})
	}
	return append(all, generated()...)
}

// web lists the differences between the nine users of the Web index pages. LAMDA publishes the official list.
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

// sum has the known checksum and size of a file.
type sum struct {
	bytes  int64
	sha256 string
}

// transposedSets lists the sets for [ReadTransposed], each a folder with three files.
var transposedSets = [...]struct {
	name, folder, title, citation, notes string
	bags, positive, instances, features  int
	files                                [3]sum // data.csv, bagids.csv, labels.csv
}{
	{"brown-creeper", "BrownCreeper", "Brown creeper: segments of recordings in which birds sing", briggs, "The recordings are those of winter-wren.", 548, 197, 10232, 38, [3]sum{
		{3017828, "b8b02b514304a7be9f25c3d0516c35e6fb781ad472408d4d71ea8d0412ab95aa"},
		{37868, "3244f75a82f7989b258495cdb33586bddfc318d20fc1cf59dfac498908f57700"},
		{20464, "9addef149fe7ecc46e19fc5a8f8d0e2b48c6cee259ced9ae516916ccc07eda25"},
	}},
	{"winter-wren", "WinterWren", "Winter wren: segments of recordings in which birds sing", briggs, "The recordings are those of brown-creeper.", 548, 109, 10232, 38, [3]sum{
		{3017828, "bc206d93a7b559648b294ea7397fb8ca7a12b9e37da5bc77dbd2888a701b1917"},
		{39047, "1e23dfa900eb570bd9777b65f79436504d945eaf0fa3b5118601caf670dd20b9"},
		{20464, "27e3e8f0adc550d2b67bc628d7574eaf3b8bbe78896610d2262caef98cd14179"},
	}},
	{"corel-african", "CorelAfrican", "Corel, African people: segments of images", chen, "The images are those of corel-beach.", 2000, 100, 7947, 9, [3]sum{
		{742324, "eea86b8163b3ae2dd5bd896277e4386ac145045453cf9cbd633a13d5d47bfde6"},
		{34908, "5ac0a38e2611780adf2d71e2dfa830879e257456ef47c9df6183dd5a73c3cccc"},
		{15894, "d305968cfd25805d419927ca5377056bb8c96eaef4191512e2e64d8ec296f846"},
	}},
	{"corel-beach", "CorelBeach", "Corel, beaches: segments of images", chen, "The images are those of corel-african.", 2000, 100, 7947, 9, [3]sum{
		{742324, "7b785f8121ded20e61ebcd93ae2e611ee786c1f15cefc6f9007431b31ed10c7f"},
		{34620, "98fc4f9b5d76a3d22d869ccdb2afce29a7b47d237a4cb822669d43326f9672cc"},
		{15894, "f699fde4f7399b5fe67297ee3e7783482ef8f525c524245f627cc556e5881072"},
	}},
	{"mutagenesis1", "Mutagenesis1", "Mutagenesis, easy: bonds of molecules", srinivasan, ambiguous, 188, 125, 10486, 7, [3]sum{
		{248876, "eb68dee20ac2667831c25dadb8e222333bd25691c7162e033dc21c3150e4b92e"},
		{35220, "edbbd5617eb77304ca72a0493bc510e429e199df262912080eba04e50425a881"},
		{20972, "15faf44a4842315fd8cc7cae5db37b4e768c5187293994604fd14e5fc821da49"},
	}},
	{"mutagenesis2", "Mutagenesis2", "Mutagenesis, hard: bonds of molecules", srinivasan, ambiguous, 42, 13, 2132, 7, [3]sum{
		{50106, "48bf3bec3ce496dac6f3c35f5cfde07746d2c77d7657d13f14af153d2d1adbde"},
		{5918, "c8e89182fe52a77dfa78ede94934c91ed948486bcf820611cd34a685be23886b"},
		{4264, "9ca52a558e8ace487b17ecb33361312719e64b918af8f31de62bc564ddb0a8f8"},
	}},
	{"newsgroups1", "Newsgroups1", "Newsgroups 1: posts of twenty newsgroups", zhouSunLi, newsNote, 100, 50, 5443, 200, [3]sum{
		{2316151, "aea242fe904236e863bd0b28d893f2b2c64b394bda96263a98cc13d7706feee0"},
		{15949, "f0c71e068bdfdbffd27b6b4f46185df1d29a25eba2911f6b9576e53c0b8933bf"},
		{10886, "e698964e9e5d19096a20bf81b6e80262eba7bfce604d4e143b64422c64181ad1"},
	}},
	{"newsgroups2", "Newsgroups2", "Newsgroups 2: posts of twenty newsgroups", zhouSunLi, newsNote, 100, 50, 3094, 200, [3]sum{
		{1276677, "a22392dbfaf0e9e055167ee48792cada794da3628821beea61296c9a4c92c25d"},
		{9079, "03d9d9a650bb80aec0f88fda27588fe4dacf13618869e16a59edb577bc2251aa"},
		{6188, "f56c262421567568c861efd4f582c53e9f4b838637194963e34552689cccf848"},
	}},
	{"newsgroups3", "Newsgroups3", "Newsgroups 3: posts of twenty newsgroups", zhouSunLi, newsNote, 100, 50, 5175, 200, [3]sum{
		{2166008, "b32ebe14f8c86ee38b9b6eab08d70df984c5d5e78ad4323608a9050ab9d8edb2"},
		{15087, "1b929447753446600e4973986b313abc137b0d1d9d6b73b6edad8ed4a8b3b739"},
		{10350, "41947f5df72d33580ac42e3510ad582d353cc2476b02f13a5c82946bc3cb736c"},
	}},
	{"protein", "Protein", "Protein: thioredoxin fold, windows of sequences", wangScott, "", 193, 25, 26611, 9, [3]sum{
		{2084975, "89729a7b522718c998a1253cf89e5128a8d70e8ca22b956a2a43e7892fe06bb3"},
		{91988, "c7edcb673f814c20dd50956a46a63dab5049d15304c16817c42e7991caf7dba8"},
		{53222, "c36b5b9e2fdc11039b9a9f711431a40dbdc7fb7661a47fe652b389bf7391d161"},
	}},
}

// trec lists the TREC9 text sets. Each has 200 positive and 200 negative bags.
var trec = [...]struct {
	number, instances, features int
	file                        sum
}{
	{1, 3224, 66552, sum{996464, "af8fcfdc98a6dd628648226908358f09f47a9bc3aea66d73c130536f023fe6f3"}},
	{2, 3344, 66153, sum{1012136, "7b4b5b327496585dc1e054e5d97d07733b76469fe3c50fdf141ea3ecb9e5ae92"}},
	{3, 3246, 66144, sum{987920, "0475191c653c38e6be0993d5d97e7f3312280c2ff51e44994a589e79e7a239d3"}},
	{4, 3391, 67085, sum{1027368, "fa2c86ac552c674106f3659f35a7e7d60d8339cfc405eb7a410c2c517c6f934c"}},
	{7, 3367, 66823, sum{1018464, "c42a31a61daa9d7d34b590799d3ae3e10616bb68926a984d0ea0110cce527d73"}},
	{9, 3300, 66627, sum{1001144, "43dce05dd3d6db577ed4ce2102274353cae8a68e8ce0fd5d799a6e14f504e89e"}},
	{10, 3453, 66082, sum{1045056, "fc5fdb10db780499265898c4bbb3592b53e746cf5c69b1c1b8fa2d4e006527c5"}},
}
