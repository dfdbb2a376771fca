package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"synpool/milbench/results"
	"synpool/paper"
)

// summary is the section of an experiment on the page.
type summary struct {
	experiment, title string
	figure            string // of [paper.Experiment]
	alt, shows        string // what the figure shows
	about             string // what else must be known
	more              func(results.Archive) (string, error)
}

// summaries are the sections, in their order on the page.
var summaries = []summary{
	{experiment: "learners", title: "Which learner is best when inner folds choose its settings?", figure: "ranks",
		alt:   "A line of average ranks with a name for each learner; bars join the learners that cannot be told apart",
		shows: "Average ranks over families of sets, 1 is the best. A bar joins learners that Nemenyi's test cannot tell apart. It allows for all pairs, so it tells fewer apart than the intervals do."},
	{experiment: "networks", title: "Do networks with searched settings reach the published HopfieldPooling?", figure: "auc",
		alt:   "A table of shaded cells: sets by poolings, each with small settings, with chosen settings, and joined",
		shows: "AUC of each pooling with small settings, with settings that inner folds choose from 16, and with all of them joined."},
	{experiment: "published", title: "How much of the published AUC comes from the protocol?", figure: "steps",
		alt:   "Mean AUC with its interval on six sets, a row for each step from the honest protocol to the published one",
		shows: "Softmax attention, which the published program ran. Each row adds one step: the best test epoch, one fold, the leaked column."},
	{experiment: "poolings", title: "Which pooling is best when the test part chooses nothing?", figure: "ranks",
		alt:   "A line of average ranks with a name for each pooling; a bar joins the poolings that cannot be told apart",
		shows: "Average ranks with Web as one set, 1 is the best. A bar joins poolings that Nemenyi's test cannot tell apart."},
	{experiment: "iterations", title: "Which number of Syn steps is best?", figure: "ranks", more: paperCounts,
		alt:   "A line of average ranks with a name for each number of steps; a bar joins those that cannot be told apart",
		shows: "Average ranks of the numbers of steps I with Web as one set, 1 is the best. I > 0 concentrates the weights, I < 0 distracts them."},
	{experiment: "ablation", title: "What does each part of SynPooling contribute?", figure: "changes", more: changeCounts,
		alt:   "Mean difference in AUC with its interval, a row for each change of SynPooling",
		shows: "Each row changes one part of SynPooling with I = 3 or I = −3. Points are sets."},
	{experiment: "noise", title: "Does concentration make a network robust to noise?", figure: "lead", about: "Noise is Gaussian on images and molecules. On Web it is deletion, replacement and swaps.",
		alt:   "Mean change of the lead with its interval, for images and molecules, Web, and all sets",
		shows: "Concentration leads if its mean AUC is above that of distraction. The figure shows how noise changes this lead, averaged over noises. Points are sets."},
	{experiment: "assumption", title: "Which poolings learn what the MIL assumption forbids?", figure: "assumption",
		alt:   "AUC of every pooling on three generated tests, with a line at 0.5",
		shows: "Three generated tests. An AUC under 0.5 means that a pooling learnt from what is absent, or from how often something occurs."},
	{experiment: "witness", title: "How few instances may tell the label?", figure: "witness",
		alt:   "AUC against the share of instances that tell the label, a curve for each pooling",
		shows: "Generated bags of 100 instances. The witness rate is the share of a positive bag's instances that tell its label."},
	{experiment: "features", title: "Does pooling separate the classes?", figure: "silhouettes",
		alt:   "Silhouette of the classes on four sets, for instances, means of bags and three poolings",
		shows: "The silhouette is 1 for two tight classes far apart, and about 0 for classes that overlap. It uses all features."},
	{experiment: "ensembles", title: "What does an ensemble of ten networks gain over one?", figure: "gains",
		alt:   "Gain in AUC with its interval, a row for each ensemble",
		shows: "AUC of the mean score of ten networks less the mean AUC of the ten, by set and pooling."},
	{experiment: "nested-ensembles", title: "Do ensembles reach the published instance classifier?", figure: "auc",
		alt:   "Mean AUC with its interval on five sets, a row for each ensemble and for what is chosen",
		shows: "Ensembles of ten networks. Validation parts choose the epoch, and the pooling of the row “ensemble”."},
}

// beforeXNNPACK are the revisions of archives from before XNNPACK was turned off.
var beforeXNNPACK = []string{"23763e0", "66bad64", "7c1a5e3", "fc8361b"}

// The settings of Syn by γ and layer norm that others have, too.
const (
	paperSetting    = "γ = 1 without layer norm, as in the paper"
	releasedSetting = "γ = 0.5 with layer norm, as in the released program"
)

// originWords says which settings the Syn networks of an archive have, and whether XNNPACK may have given some networks the
// scores of earlier parameters; root leads to the root of the repository.
func originWords(a results.Archive, root string) (string, error) {
	var settings []string
	doubtful := false
	seen := make(map[string]bool)
	for _, r := range a.Results {
		key := string(r.Config) + r.Revision
		if seen[key] {
			continue
		}
		seen[key] = true
		c, err := configOf(r.Config)
		if err != nil {
			return "", err
		}
		doubtful = doubtful || c.Width >= 256 && slices.ContainsFunc(beforeXNNPACK, func(old string) bool { return strings.HasPrefix(r.Revision, old) })
		if c.Pooling != "syn" || c.Gamma == 0 {
			continue
		}
		switch {
		case c.Gamma == 1 && !c.Norm:
			settings = append(settings, paperSetting)
		case c.Gamma == 0.5 && c.Norm:
			settings = append(settings, releasedSetting)
		case c.Norm:
			settings = append(settings, fmt.Sprintf("γ = %v with layer norm", c.Gamma))
		default:
			settings = append(settings, fmt.Sprintf("γ = %v without layer norm", c.Gamma))
		}
	}
	slices.Sort(settings)
	text := ""
	if settings = slices.Compact(settings); len(settings) > 0 {
		text = "Syn has " + strings.Join(settings, "; ") + "."
	}
	if doubtful {
		text = join(text, "These scores are older than a fix: [XNNPACK]("+root+"backend/README.md#xnnpack-is-off) may have given some networks of width 256 the scores of earlier parameters. They will be made again.")
	}
	return text, nil
}

// whose says with which setting the verdicts on Syn were made.
func whose(archives []results.Archive) (string, error) {
	var paper []string
	for _, a := range archives {
		words, err := originWords(a, "")
		if err != nil {
			return "", err
		}
		if strings.Contains(words, paperSetting) {
			paper = append(paper, a.Experiment)
		}
	}
	run := "has not been run yet"
	if len(paper) > 0 {
		run = "is in " + listed(paper)
	}
	return "The verdicts on Syn are about " + releasedSetting + ". The setting of the paper, γ = 1 without layer norm, " + run + ".\n\n", nil
}

// titleOf returns the title of an experiment's section.
func titleOf(experiment string) string {
	i := slices.IndexFunc(summaries, func(s summary) bool { return s.experiment == experiment })
	return summaries[i].title
}

// rule says how an interval gives a verdict.
var rule = fmt.Sprintf(`- **Yes, by x:** the interval lies above 0 and reaches beyond +%[1]v. Its lower end may still be within ±%[1]v: then the difference is there, but may be too small to matter.
- **No, lower by x:** the same below 0.
- **No difference:** the whole interval lies within ±%[1]v, on whichever side of 0.
- **We cannot tell:** everything else. This is no evidence that there is no difference.
`, margin)

// legend says how to read the table of claims.
const legend = `- Estimates are mean differences in AUC, paired, unless the row says something else.
- Web 1 to 9 are the same 113 pages. A verdict must also hold when they count as one set.
- "Is one pooling the best" must also hold by Friedman's and Nemenyi's tests.
- Intervals over sets or families speak of other sets. Intervals over repeats speak of other folds and seeds on the same bags. Intervals over drawings speak of other bags of one generator.
- Intervals are not corrected for the number of rows: without any true difference, about one row in twenty would still show one.
`

// Write writes the page, RESULTS.md: the verdict, the claims, and a short section for each question. The same scores give a
// byte-identical page. It shows the figures that [WriteFiles] writes beside it.
func Write(w io.Writer, archives []results.Archive) error {
	drawn, err := pictures(archives)
	if err != nil {
		return err
	}
	text, err := page(archives, drawn)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// said is a claim with its answer.
type said struct {
	claim
	answer
	run bool
}

// answers asks all questions.
func answers(archives []results.Archive) (list []said, err error) {
	for _, c := range claims {
		one := said{claim: c, answer: answer{verdict: "Not run yet"}}
		if a, there := find(archives, c.experiment); there {
			one.run = true
			if one.answer, err = c.ask(a); err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// find returns the archive of an experiment.
func find(archives []results.Archive, experiment string) (results.Archive, bool) {
	i := slices.IndexFunc(archives, func(a results.Archive) bool { return a.Experiment == experiment })
	if i < 0 {
		return results.Archive{}, false
	}
	return archives[i], true
}

// page returns the page.
func page(archives []results.Archive, drawn []picture) (string, error) {
	list, err := answers(archives)
	if err != nil {
		return "", err
	}
	shown := func(name string) bool {
		return slices.ContainsFunc(drawn, func(p picture) bool { return p.name == name })
	}
	var b strings.Builder
	b.WriteString("# Results\n\n" + opening(list))
	if shown(claimsPicture) {
		b.WriteString(image("What each claim changes: difference in AUC with its 95 % interval, a row for each claim, and a band of ±"+fmt.Sprint(margin), claimsPicture,
			"Each claim that is a difference in AUC. The grey band is too small to matter."))
	}
	if shown(learnersPicture) {
		b.WriteString(image("A table of shaded cells: the AUC of every learner on every set", learnersPicture,
			"AUC of every learner on every set, Web 1 to 9 averaged. Inner folds choose the settings. Learners stand in the order of their average rank."))
	}
	words, err := whose(archives)
	if err != nil {
		return "", err
	}
	b.WriteString("## Claims\n\n" + words + claimTable(list) + "How an interval gives the verdict:\n\n" + rule + "\nHow to read the numbers:\n\n" + legend)
	b.WriteString("\n## Repeat it\n\n```\ngo run ./cmd/milbench study report paper/results --out .\n```\n\n" +
		"This writes the page, [all tables](" + tablesName + ") and all figures again from the [stored test scores](paper/results), in about a minute. " +
		"`milbench study NAME --out results` trains an experiment again; `milbench study list` names them and their times. [The replication](docs/replication.md) goes through the Syn paper claim by claim.\n")
	for _, s := range summaries {
		text, err := s.text(archives, list, shown(s.experiment))
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	b.WriteString("\n## Origin of the scores\n\n" + origins(archives))
	return b.String(), nil
}

// image is a picture with its caption.
func image(alt, name, caption string) string {
	return fmt.Sprintf("![%s](%s)\n\n*%s*\n\n", alt, pictureName(name), caption)
}

// opening says in a few sentences what was found.
func opening(list []said) string {
	lead := ""
	by := make(map[direction][]string)
	var flattering, open []string
	for _, s := range list {
		switch side := s.effects.direction(); {
		case s.experiment == "learners" && lead == "":
			lead = s.more
		case s.short == "" || !s.run || len(s.effects) == 0:
		case strings.HasPrefix(s.verdict, cannotTell):
			open = append(open, s.short)
		case s.experiment == "published" && side == higher:
			flattering = append(flattering, fmt.Sprintf("%s (%s)", s.short, s.estimate))
		default:
			by[side] = append(by[side], fmt.Sprintf("%s (%s)", s.short, s.estimate))
		}
	}
	var points []string
	if lead != "" {
		points = append(points, lead)
	}
	for _, part := range []struct {
		side direction
		says string
	}{{higher, "These make better models"}, {lower, "These make worse models"}, {same, "These make no difference that matters"}} {
		if len(by[part.side]) > 0 {
			points = append(points, "**"+part.says+":** "+listed(by[part.side])+".")
		}
	}
	if len(flattering) > 0 {
		points = append(points, "**These make figures too optimistic:** "+listed(flattering)+".")
	}
	if len(open) > 0 {
		points = append(points, fmt.Sprintf("**We cannot tell** in %d of the claims below.", len(open)))
	}
	if len(points) == 0 {
		return "Too little has been run for a verdict.\n\n"
	}
	return "- " + strings.Join(points, "\n- ") + "\n\n"
}

// claimTable has a row for each claim.
func claimTable(list []said) string {
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{"[" + s.question + "](#" + s.experiment + ")", s.verdict, s.estimate, s.interval})
	}
	return wordTable([]string{"question", "verdict", "estimate", "95 % interval, n"}, rows)
}

// text is the section of an experiment on the page; drawn says whether its figure stands beside it.
func (s summary) text(archives []results.Archive, list []said, drawn bool) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<a id=\"%s\"></a>\n\n## %s\n\n", s.experiment, s.title)
	a, there := find(archives, s.experiment)
	if !there {
		return b.String() + fmt.Sprintf("Not run yet: `milbench study %s --out results`.\n", s.experiment), nil
	}
	if drawn {
		b.WriteString(image(s.alt, s.experiment, s.shows))
	} else {
		b.WriteString("Too little has been run for the figure.\n\n")
	}
	for _, c := range list {
		if c.experiment == s.experiment {
			fmt.Fprintf(&b, "%s\n\n", join(c.question, "**"+c.verdict+".**", c.number(), c.more))
		}
	}
	from, err := originWords(a, "")
	if err != nil {
		return "", err
	}
	if about := join(s.about, from); about != "" {
		b.WriteString(about + "\n\n")
	}
	if s.more != nil {
		more, err := s.more(a)
		if err != nil {
			return "", err
		}
		if more != "" {
			b.WriteString(more + "\n\n")
		}
	}
	fmt.Fprintf(&b, "[All tables](%s#%s)\n", tablesName, s.experiment)
	return b.String(), nil
}

// number is a sentence of the estimate, unless the verdict has it, with its interval and what it is of.
func (a answer) number() string {
	if a.estimate == "" {
		return ""
	}
	interval := "95 % interval " + a.interval
	if strings.HasPrefix(a.interval, "none") {
		interval = "no interval" + strings.TrimPrefix(a.interval, "none")
	}
	text := capital(interval)
	if !strings.Contains(a.verdict, strings.TrimLeft(a.estimate, "+−")) {
		text = a.estimate + " (" + interval + ")"
	}
	if a.interval == "" {
		text = a.estimate
	}
	if a.of != "" {
		text += ": " + a.of
	}
	return text + "."
}

// origins has a row for each experiment: how many fits there are, with which seeds, and what made them.
func origins(archives []results.Archive) string {
	var rows [][]string
	for _, e := range paper.Experiments {
		a, there := find(archives, e.Name)
		if !there {
			continue
		}
		var seeds []uint64
		var backends, revisions []string
		for _, r := range a.Results {
			seeds = append(seeds, r.Seed)
			if !slices.Contains(backends, r.Backend) {
				backends = append(backends, r.Backend)
			}
			if short := r.Revision[:min(len(r.Revision), 7)]; !slices.Contains(revisions, short) {
				revisions = append(revisions, short)
			}
		}
		slices.Sort(seeds)
		var seeded []string
		for _, s := range slices.Compact(seeds) {
			seeded = append(seeded, fmt.Sprint(s))
		}
		rows = append(rows, []string{e.Name, fmt.Sprint(len(a.Results)), strings.Join(seeded, ", "), strings.Join(backends, ", "), strings.Join(revisions, ", ")})
	}
	return wordTable([]string{"experiment", "fits", "seeds", "backend", "revisions"}, rows)
}
