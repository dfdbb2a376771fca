package cv

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/mil"
)

// Names of the protocols.
const (
	// HonestProtocol looks at the test part only at the end. It is repeated stratified k-fold cross-validation and
	// uses the last epoch.
	HonestProtocol = "honest"
	// NestedProtocol chooses the epoch and the setting inside each training part. With inner folds, the model is then
	// trained on the whole training part. With Inner 0, a fifth of the training part is held out for the choice.
	NestedProtocol = "nested"
	// PublishedProtocol is the protocol of the released Syn script. It uses the best test epoch and runs only the
	// first fold. If the set has an official split, the test part is the start of a shuffle. Its figures are
	// optimistic.
	PublishedProtocol = "published"
	// BestEpochProtocol is the honest protocol, except that it uses the best test epoch. It measures how much looking
	// at the test part adds. Its figures are optimistic.
	BestEpochProtocol = "best-epoch"
)

// ProtocolNames lists the protocols. The first is the default.
var ProtocolNames = []string{HonestProtocol, NestedProtocol, PublishedProtocol, BestEpochProtocol}

// validationFolds is the number of parts that the nested protocol without inner folds cuts a training part into. One
// of them is the validation part.
const validationFolds = 5

// InnerFolds is the default number of inner folds.
const InnerFolds = 5

// Upper limits for one protocol and for all fits of one set. Larger numbers are probably typing errors and would not
// finish.
const (
	maxFolds   = 1000
	maxRepeats = 1000
	maxInner   = 20
	maxFits    = 100_000
)

// Protocol defines how a set is split into training and test parts, how often, and how the epoch is chosen.
//
// A set without an official split is cut into Folds folds, Repeats times. Folds are stratified: by class, for
// survival by event, and for a real target by quintile. Groups stay whole; a bag without a group is a group of its
// own. Groups are taken in random order, large ones first. Each goes to the fold where it adds least to the sum over
// the classes of (bags of the class in the fold / bags of the class)^2; ties go to the smallest fold. Without groups,
// folds therefore differ by at most one in the number of bags of each class and of all bags.
//
// If the set has an official split, that split is the only fold and repeats differ only in their seed. The published
// protocol instead tests on the first bags of a shuffle, as many as in the official test part.
type Protocol struct {
	Name    string `json:"name"`
	Folds   int    `json:"folds"`   // 2 to 1000, or 0 until [Protocol.On]; ignored if the set has an official split
	Repeats int    `json:"repeats"` // 1 to 1000 runs of the whole procedure, each with new folds and seeds

	// Inner is the number of inner folds that the nested protocol cuts each training part into, 2 to 20. Small
	// training parts are cut several times ([CutInner]). With 0, a fifth of the training part is held out and the
	// final model never sees it.
	Inner int `json:"inner,omitempty"`

	// Splits, if not nil, gives the test parts instead of a cut. Folds is their number of folds, or 0 until [Protocol.On], and
	// Repeats at most their number of repeats. Groups may be divided ([Splits.Divided]).
	Splits *Splits `json:"splits,omitempty"`

	// Shots, if above 0, is the number of training bags of each class: so many are drawn from the training part of each fold, and the
	// others are left out. The draw depends on (seed, repeat, fold), and a smaller one is a part of a larger one.
	Shots int `json:"shots,omitempty"`
}

// Key returns the part of the protocol that goes into the id of a fit, see [ProtocolKey].
func (p Protocol) Key() string {
	splits := ""
	if p.Splits != nil {
		splits = p.Splits.Sum()
	}
	return ProtocolKey(p.Name, p.Inner, p.Shots, splits)
}

// ProtocolKey returns what identifies a protocol apart from the number of folds: its name and, if there are any, the number
// of inner folds, that of shots, and the sum of given folds ([Splits.Sum]).
func ProtocolKey(name string, inner, shots int, splits string) string {
	if inner > 0 {
		name += fmt.Sprintf(" %d", inner)
	}
	if shots > 0 {
		name += fmt.Sprintf(" shots %d", shots)
	}
	if splits != "" {
		name += " splits " + splits
	}
	return name
}

// Honest returns the default protocol, with 10 folds and 5 repeats.
func Honest() Protocol { return Protocol{Name: HonestProtocol, Folds: 10, Repeats: 5} }

// Nested returns the nested protocol with 10 folds, 5 repeats and 5 inner folds.
func Nested() Protocol {
	return Protocol{Name: NestedProtocol, Folds: 10, Repeats: 5, Inner: InnerFolds}
}

// Published returns the protocol of the released Syn script: the first of 4 folds, run once.
func Published() Protocol { return Protocol{Name: PublishedProtocol, Folds: 4, Repeats: 1} }

// BestEpoch returns the best-epoch protocol with 10 folds and 5 repeats.
func BestEpoch() Protocol { return Protocol{Name: BestEpochProtocol, Folds: 10, Repeats: 5} }

// DefaultProtocol returns the named protocol with its default numbers of folds and repeats.
func DefaultProtocol(name string) (Protocol, error) {
	switch name {
	case HonestProtocol:
		return Honest(), nil
	case NestedProtocol:
		return Nested(), nil
	case PublishedProtocol:
		return Published(), nil
	case BestEpochProtocol:
		return BestEpoch(), nil
	}
	return Protocol{}, fmt.Errorf("--protocol %q: no such protocol; %s", name, spelling.Hint(name, ProtocolNames))
}

// On returns the protocol with the customary number of folds of s if Folds is 0; otherwise 10, or as many as its rarest class
// allows.
func (p Protocol) On(s *mil.Set) Protocol {
	switch {
	case p.Folds != 0:
		return p
	case p.Splits != nil:
		p.Folds = p.Splits.Folds()
		return p
	}
	if p.Folds = cmp.Or(s.Folds, Honest().Folds); s.Folds == 0 && !s.HasSplit() {
		all := make([]int, len(s.Bags))
		for i := range all {
			all[i] = i
		}
		if most, _ := limit(s, all); most >= 2 {
			p.Folds = min(p.Folds, most)
		}
	}
	return p
}

// Validate returns an error for an unknown name, or for folds or repeats that are out of range.
func (p Protocol) Validate() error {
	if _, err := DefaultProtocol(p.Name); err != nil {
		return err
	}
	switch {
	case p.Folds < 2:
		return fmt.Errorf("--folds %d: at least 2 folds are needed", p.Folds)
	case p.Folds > maxFolds:
		return fmt.Errorf("--folds %d: at most %d folds are possible", p.Folds, maxFolds)
	case p.Repeats < 1:
		return fmt.Errorf("--repeats %d: at least 1 repeat is needed", p.Repeats)
	case p.Repeats > maxRepeats:
		return fmt.Errorf("--repeats %d: at most %d repeats are possible", p.Repeats, maxRepeats)
	case p.Inner != 0 && p.Name != NestedProtocol:
		return fmt.Errorf("--inner %d: only the nested protocol has inner folds; add --protocol nested", p.Inner)
	case p.Inner < 0 || p.Inner == 1 || p.Inner > maxInner:
		return fmt.Errorf("--inner %d: 2 to %d inner folds are possible, or 0 to hold a fifth of the training part back", p.Inner, maxInner)
	case p.Shots < 0:
		return fmt.Errorf("--shots %d: at least 1 training bag of each class is needed", p.Shots)
	case p.Splits != nil:
		return p.Splits.validate(p)
	}
	return nil
}

// Optimistic reports whether the test part influences the figure.
func (p Protocol) Optimistic() bool {
	return p.Name == PublishedProtocol || p.Name == BestEpochProtocol
}

// FoldsOf returns the number of folds that each repeat cuts s into (1 for an official split), and how many of them
// are run.
func (p Protocol) FoldsOf(s *mil.Set) (cut, run int) {
	switch {
	case p.Splits != nil:
		return p.Folds, p.Folds
	case s.HasSplit():
		return 1, 1
	case p.Name == PublishedProtocol:
		return p.Folds, 1
	}
	return p.Folds, p.Folds
}

// Fits returns the fits of all settings on s, ordered by repeat, then fold, then setting.
//
// The parts and the seed of a fit depend on (seed, repeat, fold) but not on the setting. Settings are therefore
// compared on the same folds and from the same initial weights. Fits of one fold share their slices; do not change
// them. Indices ascend in every part. More than 100,000 fits of one set are an error.
func (p Protocol) Fits(s *mil.Set, settings []json.RawMessage, seed uint64) ([]Fit, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(settings) == 0 {
		return nil, fmt.Errorf("%s: no settings to fit", s.Name)
	}
	if p.Shots > 0 && s.NumClasses() == 0 {
		return nil, fmt.Errorf("%s: --shots: targets of kind %v have no classes to draw bags of", s.Name, s.Kind)
	}
	_, run := p.FoldsOf(s)
	if len(settings) > maxFits/(run*p.Repeats) {
		return nil, fmt.Errorf("%s: %d settings x %d folds x %d repeats: at most %d fits of a set are possible; ask for fewer", s.Name, len(settings), run, p.Repeats, maxFits)
	}
	var fits []Fit
	for repeat := range p.Repeats {
		tests, err := p.testParts(s, seed, repeat)
		if err != nil {
			return nil, err
		}
		for fold, test := range tests {
			fit, err := p.fit(s, test, seed, repeat, fold)
			if err != nil {
				return nil, err
			}
			for _, setting := range settings {
				fit.Setting = setting
				fits = append(fits, fit)
			}
		}
	}
	return fits, nil
}

// testParts returns the test parts of the folds to run, as ascending indices of bags.
func (p Protocol) testParts(s *mil.Set, seed uint64, repeat int) ([][]int, error) {
	if p.Splits != nil {
		return p.Splits.tests(repeat), p.Splits.fits(s)
	}
	all := make([]int, len(s.Bags))
	for i := range all {
		all[i] = i
	}
	if s.HasSplit() {
		var official []int
		for i, b := range s.Bags {
			if b.Split == mil.TestPart {
				official = append(official, i)
			}
		}
		if p.Name == PublishedProtocol {
			return [][]int{firstOfShuffle(s, all, len(official), Rand(seed, "folds", repeat))}, nil
		}
		return [][]int{official}, nil
	}

	most, why := limit(s, all)
	switch {
	case most < 2:
		return nil, fmt.Errorf("%s: %s; two at least are needed, one to train and one to test", s.Name, why)
	case p.Folds > most:
		return nil, fmt.Errorf("%s: --folds %d: %s; use at most %d folds", s.Name, p.Folds, why, most)
	}
	strata := strataOfSet(s)
	cut := func(folds, repeat int) ([][]int, string) {
		tests := strata.folds(all, folds, Rand(seed, "folds", repeat))
		for _, test := range tests {
			for class, n := range strata.count(test) {
				if s.NumClasses() > 0 && (n == 0 || n == s.NumLabelled(class)) || len(test) == 0 {
					return nil, uneven(s, class)
				}
			}
		}
		return tests, ""
	}
	tests, uneven := cut(p.Folds, repeat)
	if uneven == "" {
		_, run := p.FoldsOf(s)
		return tests[:run], nil
	}
	for folds := p.Folds - 1; folds >= 2; folds-- {
		works := true
		for r := range min(p.Repeats, 10) {
			_, why := cut(folds, r)
			works = works && why == ""
		}
		if works {
			return nil, fmt.Errorf("%s: --folds %d: %s; use --folds %d", s.Name, p.Folds, uneven, folds)
		}
	}
	return nil, fmt.Errorf("%s: --folds %d: %s; name other groups with --group, or add bags", s.Name, p.Folds, uneven)
}

// limit returns how many folds some bags allow at most, and why.
func limit(s *mil.Set, bags []int) (most int, why string) {
	strata := strataOfSet(s)
	groups := strata.groups(bags)
	most = len(bags) + 1
	consider := func(what string, is func(class int) bool) {
		n := 0
		var names []string
		for _, g := range groups {
			in := 0
			for _, i := range g {
				if is(strata.class[i]) {
					in++
				}
			}
			if n += in; in > 0 {
				names = append(names, cmp.Or(s.Bags[g[0]].Group, s.Bags[g[0]].ID))
			}
		}
		switch {
		case len(names) >= most:
			return
		case n == len(names):
			why = fmt.Sprintf("there are only %d %s", n, what)
			if n == 1 {
				why = "there is only 1 " + strings.Replace(what, "bags", "bag", 1)
			}
		case len(names) == 1:
			why = fmt.Sprintf("its %d %s are of one group (%s), which is never divided", n, what, names[0])
		default:
			shown := strings.Join(names[:min(5, len(names))], ", ")
			if len(names) > 5 {
				shown += ", ..."
			}
			why = fmt.Sprintf("its %d %s are of %d groups (%s), which are never divided", n, what, len(names), shown)
		}
		most = len(names)
	}
	consider("bags", func(int) bool { return true })
	for class := range s.NumClasses() {
		consider(bagsOf(s, class), func(of int) bool { return of == class })
	}
	if s.Kind == mil.SurvivalTarget { // without an event, a test part has no figure
		consider("bags with an event", func(of int) bool { return of == 1 })
	}
	return most, why
}

// uneven says which group has most bags of a class.
func uneven(s *mil.Set, class int) string {
	groups, largest := make(map[string]int), ""
	for _, b := range s.Bags {
		if b.Label != class && s.NumClasses() > 0 {
			continue
		}
		if groups[b.Group]++; b.Group != "" && groups[b.Group] > groups[largest] || largest == "" {
			largest = b.Group
		}
	}
	what, of := "bags", len(s.Bags)
	if s.NumClasses() > 0 {
		what, of = bagsOf(s, class), s.NumLabelled(class)
	}
	return fmt.Sprintf("group %s has %d of %d %s, and groups are never divided", largest, groups[largest], of, what)
}

// bagsOf names the bags of a class in messages.
func bagsOf(s *mil.Set, class int) string {
	if s.Kind == mil.BinaryTarget && s.Classes == nil {
		return className(s, class) + " bags"
	}
	return "bags of class " + s.ClassName(class)
}

// fit returns the fit for a fold, without a setting.
func (p Protocol) fit(s *mil.Set, test []int, seed uint64, repeat, fold int) (Fit, error) {
	cut, _ := p.FoldsOf(s)
	where := fmt.Sprintf("%s: repeat %d, fold %d of %d", s.Name, repeat+1, fold+1, cut)
	advice := "change the split column or leave it out"
	if s.HasSplit() {
		where = fmt.Sprintf("%s: repeat %d, official split", s.Name, repeat+1)
	}
	switch {
	case p.Name == PublishedProtocol:
		advice = "use another --seed or the honest protocol"
	case p.Splits != nil:
		advice = "take other folds"
	}

	inTest := make([]bool, len(s.Bags))
	for _, i := range test {
		inTest[i] = true
	}
	var train []int
	for i := range s.Bags {
		if !inTest[i] {
			train = append(train, i)
		}
	}
	if err := s.Torn(inTest); err != nil && p.Splits == nil {
		return Fit{}, fmt.Errorf("%s: %w", where, err)
	}
	if err := allClasses(s, test, where, "test", advice); err != nil {
		return Fit{}, err
	}
	if err := allClasses(s, train, where, "training", advice); err != nil {
		return Fit{}, err
	}
	if p.Shots > 0 {
		var err error
		if train, err = drawn(s, train, p.Shots, Rand(seed, "shots", repeat, fold)); err != nil {
			return Fit{}, fmt.Errorf("%s: %w", where, err)
		}
	}

	fit := Fit{
		Repeat: repeat, Fold: fold, Seed: SplitSeed(seed, "fit", repeat, fold), Order: SplitSeed(seed, "order", repeat),
		Test: test, EveryEpoch: p.Name != HonestProtocol,
	}
	for _, i := range train {
		fit.Train = append(fit.Train, Example{Bag: i, Target: s.Bags[i].Target})
	}
	switch {
	case p.Name == NestedProtocol && p.Inner > 0:
		var err error
		if fit.Inner, err = CutInner(NewTask(s, nil), fit.Train, p.Inner, SplitSeed(seed, "inner", repeat, fold)); err != nil {
			_, why := limit(s, train)
			return Fit{}, fmt.Errorf("%s: in its training part %s: %w", where, why, err)
		}
	case p.Name == NestedProtocol:
		validation := validationPart(s, train, Rand(seed, "validation", repeat, fold))
		if validation == nil {
			_, why := limit(s, train)
			return Fit{}, fmt.Errorf("%s: in its training part %s: no fifth of it has all classes and leaves all; use the honest protocol or a larger set", where, why)
		}
		fit.Validation = validation
		fit.Train = slices.DeleteFunc(fit.Train, func(e Example) bool {
			_, found := slices.BinarySearch(validation, e.Bag)
			return found
		})
	}
	return fit, nil
}

// drawn returns so many bags of each class, ascending. A smaller number draws some of the same bags.
func drawn(s *mil.Set, bags []int, shots int, rng *rand.Rand) (some []int, err error) {
	left := slices.Repeat([]int{shots}, s.NumClasses())
	for _, k := range rng.Perm(len(bags)) {
		if class := s.Bags[bags[k]].Label; left[class] > 0 {
			left[class]--
			some = append(some, bags[k])
		}
	}
	for class, missing := range left {
		if missing > 0 {
			return nil, fmt.Errorf("--shots %d: the training part has only %d %s; take at most so many", shots, shots-missing, bagsOf(s, class))
		}
	}
	slices.Sort(some)
	return some, nil
}

// className names a class in messages. It uses positive and negative if a binary target has no class names.
func className(s *mil.Set, class int) string {
	if s.Kind == mil.BinaryTarget && s.Classes == nil {
		return []string{"negative", "positive"}[class]
	}
	return s.ClassName(class)
}

// allClasses returns an error if a class has no bags in a part.
func allClasses(s *mil.Set, bags []int, where, part, advice string) error {
	if len(bags) == 0 {
		return fmt.Errorf("%s: no bag in the %s part; %s", where, part, advice)
	}
	n := strataOfSet(s).count(bags)
	for class := s.NumClasses() - 1; class >= 0; class-- {
		if n[class] == 0 {
			return fmt.Errorf("%s: no %s bag in the %s part; %s", where, className(s, class), part, advice)
		}
	}
	return nil
}

// validationPart cuts the training part into five stratified folds and returns the one whose class shares are nearest
// to a fifth. The fold and the rest must both contain all classes. It returns nil if no fold does.
func validationPart(s *mil.Set, train []int, rng *rand.Rand) []int {
	strata := strataOfSet(s)
	total := strata.count(train)
	var best []int
	least := 0.0
	for _, fold := range strata.folds(train, validationFolds, rng) {
		n := strata.count(fold)
		usable := len(fold) > 0 && len(fold) < len(train)
		off := 0.0
		for c := range n {
			if s.NumClasses() > 0 && (n[c] == 0 || n[c] == total[c]) {
				usable = false
			}
			// With two classes the products are integers, so rounding cannot make or break a tie.
			weight := 1.0
			for other := range total {
				if other != c {
					weight *= float64(total[other])
				}
			}
			off += math.Abs(float64(validationFolds*n[c]-total[c])) * weight
		}
		if usable && (best == nil || off < least) {
			best, least = fold, off
		}
	}
	return best
}

// firstOfShuffle shuffles the groups and returns the bags of the first ones that hold at least n bags together.
func firstOfShuffle(s *mil.Set, bags []int, n int, rng *rand.Rand) []int {
	groups := strataOfSet(s).groups(bags)
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	var first []int
	for _, g := range groups {
		if len(first) >= n {
			break
		}
		first = append(first, g...)
	}
	slices.Sort(first)
	return first
}
