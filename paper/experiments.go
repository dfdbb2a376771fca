package paper

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/classic"
	"synpool/milbench/learners/neural"
)

var (
	images    = []string{"elephant", "fox", "tiger"}
	molecules = []string{"musk1", "musk2"}
	web       = []string{"web1", "web2", "web3", "web4", "web5", "web6", "web7", "web8", "web9"}
	paperSets = slices.Concat(images, molecules, []string{"ucsb"}, web)
	fewSets   = []string{"elephant", "fox", "musk1", "web1", "web4", "web7"} // for ablations and noise

	smallSets = []string{"mutagenesis2", "newsgroups1", "newsgroups2", "newsgroups3"}
	largeSets = []string{"mutagenesis1", "brown-creeper", "winter-wren", "corel-african", "corel-beach", "protein"} // with more than 7,500 instances
)

// protocol returns a protocol with the given folds (0: the usual number for each set) and repeats.
func protocol(name string, folds, repeats int) cv.Protocol {
	return cv.Protocol{Name: name, Folds: folds, Repeats: repeats}
}

var (
	nested = protocol(cv.NestedProtocol, 0, 1)
	short  = protocol(cv.HonestProtocol, 5, 1) // for quick forms
)

// narrow is the smaller width of the grid, for the experiments that need many fits of one network.
var narrow = neural.Values(64)

// instanceSettings are settings of support vector machines on instances, with a linear and a radial kernel.
var instanceSettings = must(classic.InstanceEntry().Settings())

// archivedAuto is the portfolio auto of the archive learners, which knows nothing of the slope of a logit beforehand, tries one
// class weight, and has forests of 500 trees.
var archivedAuto = func() json.RawMessage {
	p := learners.DefaultPortfolio()
	p.Prior, p.Unweighted = 0, false
	for i, c := range p.Candidates {
		if learner.Name(c) == "statistics-trees" {
			p.Candidates[i] = must(cv.Replace(c, map[string]any{"trees": 500}))
		}
	}
	return must(p.Setting())
}()

// classicSettings are the settings of the portfolio auto and of all classical learners but those that came after the archives, the linear
// models of means.
var classicSettings = func() (list []json.RawMessage) {
	for _, name := range learners.Names() {
		switch name {
		case learners.AutoName:
			list = append(list, archivedAuto)
		case "linear-probe", "nearest-mean":
		default:
			list = append(list, must(learners.Settings(true, name))...)
		}
	}
	return list
}()

// classicBut returns the settings of all classical learners and of auto, except the named ones.
func classicBut(names ...string) []json.RawMessage {
	return slices.DeleteFunc(slices.Clone(classicSettings), func(s json.RawMessage) bool { return slices.Contains(names, learner.Name(s)) })
}

// inside returns the nested protocol with inner folds.
func inside(folds, repeats int) cv.Protocol {
	p := protocol(cv.NestedProtocol, folds, repeats)
	p.Inner = cv.InnerFolds
	return p
}

// steps are the numbers of Syn steps of the paper's experiments: distraction, none, concentration.
var steps = neural.Values(-20, -10, -5, -3, -2, -1, 0, 1, 2, 3, 5, 10, 20)

// sweepGrid is Syn with every number of steps, and with the hyperparameters that the paper chooses for each set.
var sweepGrid = neural.Grid{"pooling": {"syn"}, "iterations": steps, "scale": {1, 10}, "width": {32, 64}}

// comparedPoolings are poolings with the hyperparameters among which the validation part chooses.
var comparedPoolings = slices.Concat(
	both(neural.Grid{"pooling": {"syn"}, "iterations": {-5, -1, 1, 5}, "scale": {1, 10}, "width": {32, 64}}),
	both(neural.Grid{"pooling": {"softmax"}, "scale": {1, 10}, "width": {32, 64}}),
	settings(neural.Grid{"pooling": {"hopfield", "attention", "gated", "mean", "max"}, "width": {32, 64}}),
	instanceSettings,
)

// both returns the settings of a grid with Syn as the paper has it (γ = 1, no layer norm), and as the released program has it (γ = 0.5,
// layer norm).
func both(g neural.Grid) (list []json.RawMessage) {
	for _, preset := range []string{neural.PaperPreset, neural.ReleasedPreset} {
		g = maps.Clone(g)
		g["preset"] = neural.Values(preset)
		list = append(list, settings(g)...)
	}
	return list
}

// Experiments lists the experiments of the Syn paper (Tables 1 to 6, Figures 4 and 6) and our own.
var Experiments = []Experiment{
	{
		Name:     "poolings",
		Question: "Which pooling is best when nothing is chosen by the test part?",
		Paper:    "Table 1",
		Figures:  []string{"auc", "ranks"},
		Full: Form{
			Arms:  []Arm{{Sets: paperSets, Protocol: nested, Settings: comparedPoolings}},
			Time:  109 * time.Minute,
			Scope: "nested protocol: 10 folds (UCSB 4) of 1 repeat, Web the official split; Syn and softmax in both settings; width 32 and 64; the validation part chooses epoch and setting of every pooling",
		},
		Quick: Form{
			Arms: []Arm{{Sets: []string{"musk1"}, Protocol: protocol(cv.NestedProtocol, 5, 1), Settings: slices.Concat(
				settings(
					neural.Grid{"pooling": {"syn"}, "iterations": {-5, 5}, "width": {64}},
					neural.Grid{"pooling": {"softmax", "hopfield", "attention", "gated", "mean", "max"}, "width": {64}},
				),
				instanceSettings[:1],
			)}},
			Time:  time.Minute,
			Scope: "Musk 1, 5 folds, 1 repeat, width 64",
		},
	},
	{
		Name:     "published",
		Question: "How much of the published gain is the leak, the best test epoch, the one fold and the loop that never ran?",
		Figures:  []string{"steps", "control"},
		Full: Form{Arms: publishedArms(fewSets, []string{"web1", "web4", "web7"}, 5, publishedSettings), Time: 71 * time.Minute,
			Scope: "4 folds as published (Web: official split), 5 repeats; the leaked column on Web alone; 5 permutations of the labels"},
		Quick: Form{Arms: publishedArms([]string{"musk1"}, []string{"musk1"}, 5, settings(neural.Grid{"pooling": {"softmax"}, "width": {64}, "batch": {8}})), Time: time.Minute,
			Scope: "Musk 1, softmax alone, width 64, 8 bags a step, 5 repeats; as if it leaked, too; 5 permutations of the labels"},
	},
	{
		Name:     "ablation",
		Question: "What does each part of SynPooling and of its network contribute?",
		Paper:    "Table 3",
		Figures:  []string{"changes"},
		Full:     Form{Arms: []Arm{{Sets: fewSets, Protocol: protocol(cv.HonestProtocol, 0, 3), Settings: ablations()}}, Time: 35 * time.Minute, Scope: "width 64; 10 folds (Web: official split), 3 repeats"},
		Quick:    Form{Arms: []Arm{{Sets: []string{"musk1"}, Protocol: short, Settings: ablations()}}, Time: time.Minute, Scope: "Musk 1, width 64, 5 folds, 1 repeat"},
	},
	{
		Name:     "iterations",
		Question: "Concentration or distraction: which number of steps I is best?",
		Paper:    "Tables 4 and 5",
		Figures:  []string{"sweep", "ranks"},
		Full: Form{
			Arms:  []Arm{{Sets: paperSets, Protocol: nested, Settings: both(sweepGrid)}},
			Time:  100 * time.Minute,
			Scope: "nested protocol: 10 folds (UCSB 4) of 1 repeat, Web the official split; 13 values of I in both settings, each with S 1 and 10 and width 32 and 64",
		},
		Quick: Form{
			Arms: []Arm{{Sets: []string{"musk1"}, Protocol: protocol(cv.NestedProtocol, 5, 1),
				Settings: both(neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": {-20, -3, 0, 3, 20}, "scale": {1, 10}})}},
			Time:  time.Minute,
			Scope: "Musk 1, width 64, 5 folds, 1 repeat, 5 values of I in both settings, each with S 1 and 10",
		},
	},
	{
		Name:     "winners",
		Question: "Does the winning instance change more often under distraction?",
		Paper:    "Figure 6",
		Figures:  []string{"steps", "sets"},
		Full: Form{
			Arms: []Arm{
				{Sets: slices.Concat(images, molecules, []string{"ucsb"}), Protocol: protocol(cv.HonestProtocol, 0, 1), Curves: true,
					Settings: both(neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": steps})},
				{Sets: web, Protocol: protocol(cv.HonestProtocol, 0, 2), Curves: true, Settings: both(neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": steps})},
			},
			Time:  98 * time.Minute,
			Scope: "width 64, S = 10; 10 folds (UCSB 4) of 1 repeat, Web the official split with 2 seeds; 13 values of I in both settings; winners of all bags after each of 50 epochs",
		},
		Quick: Form{
			Arms:  []Arm{{Sets: []string{"musk1"}, Protocol: short, Curves: true, Settings: both(neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": {-20, -3, 0, 3, 20}})}},
			Time:  time.Minute,
			Scope: "Musk 1, width 64, 5 folds, 1 repeat, 5 values of I in both settings",
		},
	},
	{
		Name:     "noise",
		Question: "Does concentration make a network robust to noise?",
		Paper:    "Table 6",
		Figures:  []string{"noise", "lead"},
		Full: Form{Arms: noiseArms([]string{"elephant", "fox", "musk1"}, []string{"web1", "web4", "web7"}, 0,
			neural.Grid{"pooling": {"syn"}, "iterations": {-10, -3, 0, 3, 10}, "scale": {1, 10}, "width": {32, 64}}), Time: 134 * time.Minute,
			Scope: "10 folds, 1 repeat (Web: official split, 2 seeds); 5 values of I in both settings, each with S 1 and 10 and width 32 and 64"},
		Quick: Form{Arms: noiseArms([]string{"musk1"}, nil, 5, neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": {-3, 0, 3}, "scale": {1, 10}}), Time: 2 * time.Minute,
			Scope: "Musk 1, 5 folds, width 64; 3 values of I in both settings, each with S 1 and 10"},
	},
	{
		Name:     "assumption",
		Question: "Which poolings learn that the absence of something makes a bag positive, which the MIL assumption forbids?",
		Figures:  []string{"assumption"},
		Full: Form{Arms: redrawn([]string{"raffholt1", "raffholt2", "raffholt3"}, 10, everyPooling()),
			Time: 15 * time.Minute, Scope: "the three generators of Raff and Holt, 10 draws"},
		Quick: Form{Arms: redrawn([]string{"raffholt1", "raffholt2", "raffholt3"}, 1, slices.Concat(instanceSettings[:1], settings(
			neural.Grid{"pooling": {"syn"}, "iterations": {-3, 3}}, neural.Grid{"pooling": {"softmax", "mean", "sum"}}))),
			Time: 90 * time.Second, Scope: "1 draw, without attention, gated, hopfield, max and lse, whose graphs take long to compile"},
	},
	{
		Name:     "features",
		Question: "Does pooling set the classes apart, also those bags that it was not trained on?",
		Paper:    "Figure 4",
		Figures:  []string{"spaces", "silhouettes"},
		Full: Form{Arms: []Arm{{Sets: []string{"elephant", "musk1", "web1", "web4"}, Protocol: protocol(cv.HonestProtocol, 0, 1), Settings: spaceSettings}},
			Time: 10 * time.Minute, Scope: "four sets, the first of 10 folds (Web: official split)", Spaces: true},
		Quick: Form{Arms: []Arm{{Sets: []string{"musk1"}, Protocol: short, Settings: spaceSettings}}, Time: time.Minute, Scope: "Musk 1, the first of 5 folds", Spaces: true},
	},
	{
		Name:     "learners",
		Question: "Which learner is best when inner folds choose its settings?",
		Figures:  []string{"auc", "ranks"},
		Full: Form{Arms: learnerArms(), Time: 200 * time.Minute,
			Scope: "nested protocol with 5 inner folds: 10 folds (5 of sets of more than 7,500 instances, Web the official split), 5 repeats of Musk 1, Elephant, Fox and Tiger and of auto on Musk 2, otherwise 1; every classical learner with all its settings (Web without Fisher vectors; birds, Corel and Protein without mi-SVM), five networks with small settings; Musk 1 with 10 permutations of its labels"},
		Quick: Form{Arms: []Arm{{Sets: []string{"musk1"}, Protocol: inside(5, 1), Settings: classicSettings}}, Time: time.Minute,
			Scope: "Musk 1, nested protocol with 5 inner folds, 5 folds, 1 repeat"},
	},
	{
		Name:     "networks",
		Question: "How good are networks with searched settings, and does their ensemble reach the published HopfieldPooling?",
		Figures:  []string{"auc"},
		Full: Form{Arms: networkArms(), Time: 2 * time.Hour,
			Scope: "nested protocol with 3 inner folds, 10 folds, 1 repeat; every pooling with small settings; 16 settings of each of four, drawn at random; 16 of the grid of Ramsauer et al. 2021, also chosen by a fifth of the training part and by the best test epoch"},
		Quick: Form{Arms: []Arm{{Sets: []string{"musk1"}, Protocol: searching(5), Settings: withJoined(sampled(neural.SearchGrid("mean"))[:4])}}, Time: time.Minute,
			Scope: "Musk 1, nested protocol with 3 inner folds, 5 folds, 1 repeat; 4 settings of the mean"},
	},
}

// smallNetworks are networks with settings for a few hundred bags.
var smallNetworks = settings(neural.Grid{"preset": {neural.SmallPreset}, "pooling": {"syn", "gated", "hopfield", "mean", "max"}, "iterations": {-3}})

// learnerArms runs all learners on all sets with few features, and on a set whose labels are shuffled. It leaves out
// what takes hours: Fisher vectors of Web, which has 6000 features, and the kernel of all instances of every large set
// except the first.
func learnerArms() []Arm {
	arms := []Arm{
		{Sets: slices.Concat([]string{"musk1"}, images), Protocol: inside(0, 5), Settings: classicSettings},
		{Sets: []string{"musk2"}, Protocol: inside(0, 1), Settings: classicBut(learners.AutoName)},
		{Sets: []string{"musk2"}, Protocol: inside(0, 5), Settings: []json.RawMessage{archivedAuto}},
		{Sets: web, Protocol: inside(0, 1), Settings: classicBut(classic.FisherVectorsEntry().Name)},
		{Sets: smallSets, Protocol: inside(0, 1), Settings: classicSettings},
		{Sets: largeSets[:1], Protocol: inside(5, 1), Settings: classicSettings},
		{Sets: largeSets[1:], Protocol: inside(5, 1), Settings: classicBut(classic.InstanceMISVMEntry().Name)},
		{Sets: slices.Concat(molecules, images, web, smallSets), Protocol: inside(0, 1), Settings: smallNetworks},
		{Sets: largeSets, Protocol: inside(5, 1), Settings: smallNetworks},
	}
	for draw := range 10 {
		arms = append(arms, Arm{Sets: []string{"musk1"}, Change: Change{Kind: Shuffled, Draw: draw}, Protocol: inside(0, 1), Settings: classicSettings})
	}
	return arms
}

// searched are poolings whose settings are drawn at random, also for ensembles.
var searched = []string{"mean", "gated", "hopfield", "syn"}

// hopfieldGrid is the grid of Ramsauer et al. 2021 for HopfieldPooling, with widths up to 128 instead of 2048. The
// steps of a batch are ours.
var hopfieldGrid = neural.Grid{
	"pooling": {"hopfield"}, "epochs": {160}, "batch": {4}, "weight_decay": {0.01},
	"lr": {1e-3, 1e-5}, "lr_decay": {0.02, 0.04, 0.06}, "layers": {1, 2}, "width": {32, 64, 128},
	"heads": {8, 12}, "embed": {128, 192, 256, 384}, "beta": {0.1, 1, 10}, "dropout": {0, 0.75},
}

// sampled returns randomly drawn settings of a grid.
func sampled(g neural.Grid) []json.RawMessage { return texts(must(g.Sample(perPooling, 1))) }

// perPooling is the number of settings drawn for each pooling.
const perPooling = 16

// searchInner is the number of inner folds of networks whose settings are drawn.
const searchInner = 3

// searching returns the protocol of networks whose settings are drawn.
func searching(folds int) cv.Protocol {
	p := inside(folds, 1)
	p.Inner = searchInner
	return p
}

// withJoined returns the settings followed by their portfolio.
func withJoined(list []json.RawMessage) []json.RawMessage {
	return append(slices.Clone(list), must(learners.Portfolio{Inner: searchInner, Candidates: list}.Setting()))
}

// networkArms runs networks with randomly drawn settings, which inner folds choose and join, and every pooling with the
// settings for a few hundred bags. It also runs the published HopfieldPooling, with the setting chosen by inner folds,
// by a fifth of the training part, and by the best test epoch.
func networkArms() []Arm {
	list := settings(neural.Grid{"preset": {neural.SmallPreset}, "pooling": neural.Values(neural.Poolings...), "iterations": {-3}})
	var all []json.RawMessage
	for _, pooling := range searched {
		some := sampled(neural.SearchGrid(pooling))
		list, all = append(list, withJoined(some)...), append(all, some...)
	}
	list = append(list, withJoined(all)[len(all)])
	theirs := sampled(hopfieldGrid)
	return []Arm{
		{Sets: slices.Concat([]string{"musk1"}, images), Protocol: searching(0), Settings: list},
		{Sets: images, Protocol: searching(0), Settings: withJoined(theirs)},
		{Sets: images, Protocol: nested, Settings: theirs},
		{Sets: images, Protocol: protocol(cv.BestEpochProtocol, 0, 1), Settings: theirs},
	}
}

// spaceSettings are poolings whose features are compared.
var spaceSettings = slices.Concat(both(neural.Grid{"pooling": {"softmax"}}), both(neural.Grid{"pooling": {"syn"}, "iterations": {-3, 3}}))

// publishedSettings are what the published program was said to run, what it really ran, and other poolings.
var publishedSettings = settings(
	neural.Grid{"pooling": {"syn"}, "iterations": {-20}},
	neural.Grid{"pooling": {"softmax", "attention", "gated", "hopfield", "mean", "max"}},
)

// publishedArms goes from the honest protocol to the published one step by step, on some sets with the leaked column,
// too. As a control, it does the same on permutations of the labels, where an honest AUC is 0.5.
func publishedArms(sets, leaked []string, repeats int, list []json.RawMessage) (arms []Arm) {
	const folds, permutations = 4, 5
	add := func(sets []string, change Change, repeats int, names ...string) {
		for _, name := range names {
			arms = append(arms, Arm{Sets: sets, Change: change, Protocol: protocol(name, folds, repeats), Settings: list})
		}
	}
	steps := []string{cv.HonestProtocol, cv.BestEpochProtocol, cv.PublishedProtocol}
	add(sets, Change{}, repeats, steps...)
	for draw := range permutations {
		add(sets, Change{Kind: Shuffled, Draw: draw}, 1, steps...)
	}
	add(leaked, Change{Kind: Leaked}, repeats, cv.HonestProtocol, cv.PublishedProtocol)
	return arms
}

// redrawn learns on several draws of generated sets, with one fit of every setting on each.
func redrawn(sets []string, draws int, list []json.RawMessage) (arms []Arm) {
	for draw := range draws {
		arms = append(arms, Arm{Sets: sets, Change: Change{Kind: Redrawn, Draw: draw}, Protocol: protocol(cv.HonestProtocol, 0, 1), Settings: list})
	}
	return arms
}

// ablations changes one detail of distraction and of concentration at a time, in both settings of Syn.
func ablations() []json.RawMessage {
	list := settings(
		neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": {-3, 3}, "norm": {false, true}, "gamma": {0.5, 1}},
		neural.Grid{"pooling": {"softmax"}, "width": narrow, "norm": {false, true}},
		neural.Grid{"pooling": {"mean"}, "width": narrow},
	)
	for _, change := range []neural.Grid{{"renormalise": {true}}, {"true_gradient": {true}}, {"scale": {1}}, {"heads": {1}}, {"dropout": {0, 0.5}}} {
		maps.Copy(change, neural.Grid{"pooling": {"syn"}, "width": narrow, "iterations": {-3, 3}})
		list = append(list, both(change)...)
	}
	return list
}

// everyPooling returns the default settings of the poolings around Syn, and Syn with concentration and with
// distraction. The list is fixed as in the committed results: new poolings of package neural do not change the
// experiment.
func everyPooling() []json.RawMessage {
	poolings := neural.Values("syn", "softmax", "hopfield", "attention", "gated", "mean", "max", "sum", "lse")
	return slices.Concat(
		settings(neural.Grid{"pooling": poolings, "iterations": {-3, 3}}),
		instanceSettings[:1],
	)
}

// noiseArms puts Gaussian noise of several levels, by variance and by power, on dense sets. On sparse sets, it disturbs the terms. Settings
// with several hyperparameters beside I let one choose those that favour distraction.
func noiseArms(dense, sparse []string, folds int, g neural.Grid) (arms []Arm) {
	list := both(g)
	add := func(sets []string, repeats int, kind generate.NoiseKind, levels ...float64) {
		for _, level := range levels {
			arms = append(arms, Arm{Sets: sets, Change: Change{Kind: string(kind), Level: level}, Protocol: protocol(cv.HonestProtocol, folds, repeats), Settings: list})
		}
	}
	add(dense, 1, "", 0)
	add(dense, 1, generate.GaussianNoise, 20, 10, 0)
	add(dense, 1, generate.PowerNoise, 20, 10, 0)
	if len(sparse) > 0 {
		add(sparse, 2, "", 0)
		for _, kind := range []generate.NoiseKind{generate.Deletion, generate.Replacement, generate.Swap} {
			add(sparse, 2, kind, 0.1, 0.2, 0.4)
		}
	}
	return arms
}
