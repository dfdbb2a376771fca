package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/internal/disk"
	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// train is the subcommand that trains one model on all bags of a set.
func (p *program) train() *cobra.Command {
	var (
		open   readFlags
		asked  trainFlags
		card   cardFlags
		held   calibrateFlags
		dir    string
		seed   uint64
		cores  int
		memory memorySize
		only   bool
	)
	c := &cobra.Command{
		Use:   "train NAME|FILE --out MODEL",
		Short: "Train a model on the bags of a set for milbench predict",
		Long: `Learners:
  --pooling        a network; the flags for networks replace the defaults of --preset
  --learner        a classical learner with its default setting; --setting replaces fields of it,
                   '{"sample":1000}' learns from so many bags of more, and '{"instances":200}' takes
                   so many instances of larger bags
  --learner auto   tries several learners by inner folds of the set and joins the best; not for
                   survival, where you can train a network
auto lists its learners with their weights and their main figure (AUC, macro AUC or R²) on held-out
bags of the inner folds.

  --from FILE      a network that begins with weights from elsewhere, a file of safetensors: of
                   PyTorch's ABMIL, gated ABMIL, CLAM-SB or hflayers' HopfieldPooling, or of
                   milbench export. Pooling and shapes are those of the file; --heads and --beta
                   of a Hopfield network are not in it. Features are not scaled. --epochs 0
                   trains nothing

Split:
If the bags have an official split, the model is trained on its training part (train and val), and
milbench evaluate judges it on the test part. --split none trains on all bags.

Figures:
The figures printed here are of the training bags. milbench run with the same settings says how well
the model will do on new bags. --results adds its figures, and thresholds from its held-out scores,
to the card of the model, which milbench show prints.

Calibration:
--calibrate turns scores into probabilities: among bags of probability 0.8, about 8 in 10 should be
positive. The model is trained five times more, each time without a fifth of the bags (whole groups,
classes in proportion). The probabilities are learnt from the scores of the held-out bags.
  temperature   divides logits by one number; better than the others for networks with more
                than two classes
  platt         fits a sigmoid to any score
  isotonic      fits any rising curve; needs about 1,000 bags
With more than two classes, platt and isotonic learn a curve for each class against the rest.

The command prints the Brier score, the log-loss and the expected calibration error (ECE) of the
held-out bags, before and after. After is cross-fitted: no bag takes part in its own probability.
milbench plot MODEL --figure reliability draws both.

Sets and intervals:
--calibrate conformal learns from the same held-out bags how sure the model is. milbench predict
then prints for each bag the set of classes, or the interval of the number, that has the true target
for about 90 % of new bags, of each class; --level chooses another share. A set of both classes
means that the model cannot tell them apart, an empty set that the bag is unlike either. It holds
for any learner, and for new groups (patients, say) drawn like those of training. It is nearly but
not strictly guaranteed, because the model is trained on all bags afterwards. At 90 % a class needs
9 bags or groups. platt,conformal learns probabilities, too.

--calibrate instances also scores single instances of held-out negative bags, for lists of positive
instances: milbench predict --instances --fdr.` + filesHelp,
		Example: `  milbench train bags.csv --learner auto --out model
  milbench train bags.csv --learner statistics-svm --setting '{"c":10}' --out model
  milbench train bags.csv --learner auto --results results --operating 0.9,0.95 --out model
  milbench train musk1 --pooling syn --iterations=-3 --out model
  milbench train bags.csv --learner statistics-svm --calibrate platt --out model
  milbench train bags.csv --learner statistics-svm --calibrate platt,conformal --out model
  milbench train bags.csv --pooling attention --width 64 --batch 8 --out model
  milbench train bags.csv --from weights.safetensors --epochs 0 --out model`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			setting, config, err := asked.chosen()
			if err != nil {
				return err
			}
			if err := checkCores(cores); err != nil {
				return err
			}
			var training milbench.Training
			if err := held.chosen(&training); err != nil {
				return err
			}
			if config != nil && c.Flags().Changed("cores") {
				return errors.New("--cores: for --learner; a network is trained on all cores")
			}
			if random := []string{learners.AutoName, "statistics-trees"}; config == nil && c.Flags().Changed("seed") && !c.Flags().Changed("calibrate") && !slices.Contains(random, asked.learner) {
				return fmt.Errorf("--seed: nothing is random in --learner %s; leave --seed out", asked.learner)
			}
			full, err := filepath.Abs(dir) // "." has a name, too
			if err != nil {
				return fmt.Errorf("--out %q: %w", dir, err)
			}
			release, err := disk.Lock(full + ".lock")
			if errors.Is(err, disk.ErrLocked) {
				return fmt.Errorf("--out %s: %w; wait for it to end or use another folder", dir, err)
			}
			if errors.Is(err, disk.ErrNoLock) {
				return fmt.Errorf("--out %s: %w, or use another folder", dir, err)
			}
			if err == nil {
				defer release()
			} // else the folder cannot be written either, which CanSave says better
			if err := modeldir.CanSave(dir); err != nil { // a training may be long
				return fmt.Errorf("--out %q: %w", dir, err)
			}
			sets, err := p.open(&open, args)
			if err != nil {
				return err
			}
			if err := asked.set.checkLoss(sets[0]); err != nil {
				return err
			}
			if config != nil {
				asked.set.notePreset(p, sets[0])
			}
			within := memory.bound()
			if config != nil {
				within = uint64(memory) // unless it is given, the machine says what is too much
			}
			machine, kept := p.machine(cores, within), filepath.Clean(dir)+"."+checkpoints
			if config == nil {
				machine = p.fleet(cores, within)
			}
			machine.Checkpoints = kept
			defer machine.Close()

			b, bar, loss := readBuild(), p.progress(), 0.0
			training.Setting, training.Seed, training.Results, training.Version, training.Revision = setting, seed, card.results, b.Version, b.Revision
			training.Exportable, training.From = only, asked.weights
			training.Judge, training.Note = p.judgeCommand(c, args[0], &asked, config), p.remark
			training.Folds = func(done, of int) {
				bar.show(func() string {
					return fmt.Sprintf("calibration: %d of %d folds", done, of) + p.large.line(time.Now())
				})
			}
			training.Progress = func(now learners.Progress) {
				loss = now.Loss
				bar.show(func() string {
					if config != nil {
						return fmt.Sprintf("epoch %d of %d, loss %.4f", now.Epoch, config.Epochs, now.Loss) + p.large.line(time.Now())
					}
					line := fmt.Sprintf("%d of %d fits done", now.Done, now.Total)
					if now.Epoch > 0 {
						line += fmt.Sprintf(", epoch %d, loss %.4f", now.Epoch, now.Loss)
					}
					return line
				})
			}
			if c.Flags().Changed("operating") {
				training.Operating = card.operating
			}
			model, err := milbench.Train(c.Context(), sets[0], training, machine)
			bar.clear()
			if s := stoppedBy(c.Context()); s != nil && err != nil {
				goesOn := ""
				if _, err := os.Stat(kept); err == nil {
					goesOn = "; run the same command again to resume after the last epoch"
				}
				return fmt.Errorf("%w: no model was saved%s", s, goesOn)
			}
			if errors.Is(err, neural.ErrDiverged) { // a failed fit
				return finding{err}
			}
			if err != nil {
				return err
			}
			bags := model.Bags
			figure, err := trainingFigure(c, model.Learned, bags)
			if err != nil {
				return err
			}
			if err := model.Save(dir); err != nil {
				return err
			}
			if err := neural.RemoveCheckpoints(kept); err != nil {
				return err
			}
			leaked := ""
			if bags.Leaked {
				leaked = "; LEAKED: a column that leaks the labels is among the features"
			}
			how := ":"
			if config != nil {
				how = fmt.Sprintf(" for %d epochs: loss %.4f,", config.Epochs, loss)
			}
			part := ""
			if len(bags.Bags) < len(sets[0].Bags) {
				part = fmt.Sprintf(" of %d", len(sets[0].Bags))
			}
			if asked.weights != nil && asked.weights.Untrained {
				fmt.Fprintf(p.out, "%s: %s with the weights of %s, not trained: %s %s on these %d%s bags, which says nothing about new bags if the weights have seen them%s\n",
					bags.Name, learner.Name(setting), asked.from, results.FigureName(bags.Kind), figure, len(bags.Bags), part, leaked)
			} else {
				fmt.Fprintf(p.out, "%s: %s trained on %d%s bags%s %s %s on the training bags themselves, which says nothing about new bags%s\n",
					bags.Name, learner.Name(setting), len(bags.Bags), part, how, results.FigureName(bags.Kind), figure, leaked)
			}
			if err := p.writeMembers(model.About()); err != nil {
				return err
			}
			if err := p.writeCalibration(model); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "model in %s\n", dir)
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&dir, "out", "", "`folder` of the model (required)")
	card.addTo(f)
	asked.addTo(f)
	f.BoolVar(&only, "exportable", false, "of auto, try only learners that milbench export can write as ONNX: no earth mover's distances")
	held.addTo(f)
	f.Uint64Var(&seed, "seed", 1, "seed of everything random: initial weights, order, dropout, trees, inner folds")
	coresFlag(f, &cores)
	f.Lookup("cores").Usage = "cores to train on with --learner, at most those of the machine"
	f.Var(&memory, "memory", "memory limit, say 500MB, 2GB or 1.5GiB (default half of the free memory; none for a network)")
	inGroup(f, fileFlags, func() { open.addSources(f) })
	required(c, "out")
	return c
}

// trainingFigure returns the main figure of the bags that a model was trained on.
func trainingFigure(c *cobra.Command, model learners.Model, bags *mil.Set) (string, error) {
	predictions, err := model.Predict(c.Context(), bags.Instances(), false)
	if bad := (*modeldir.BagError)(nil); errors.As(err, &bad) {
		hint := ""
		if _, is := model.(*neural.Model); is {
			hint = "; lower --lr, or standardise the features"
		}
		return "", finding{fmt.Errorf("%s: %w%s", bags.Name, predict.WithID(bags, err), hint)}
	}
	if err != nil {
		return "", err
	}
	scored := make([]results.ScoredBag, len(predictions))
	for i, p := range predictions {
		scored[i] = results.ScoredBag{ID: bags.Bags[i].ID, Target: bags.Bags[i].Target, Scores: p.Scores}
	}
	figure, err := results.Figure(bags.Kind, len(bags.Classes), scored)
	if stats.Undefined(err) {
		return fmt.Sprintf("undefined (%v)", err), nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", bags.Name, err)
	}
	return fmt.Sprintf("%.3f", figure), nil
}

// writeMembers writes the members of a joined model.
func (p *program) writeMembers(about learners.About) error {
	members := about.Members
	if len(members) == 0 {
		return nil
	}
	epochs := slices.ContainsFunc(members, func(m learner.Weighted) bool { return m.Epoch > 1 }) // of networks
	head := "learner\tweight\t" + results.FigureName(about.Target) + " inside"
	if epochs {
		head += "\tepoch"
	}
	labels, err := results.Labels(namesOf(members, func(m learner.Weighted) json.RawMessage { return m.Setting }))
	if err != nil {
		return err
	}
	return p.print(false, nil, func(w io.Writer) {
		fmt.Fprintln(w, head)
		for i, m := range members {
			fmt.Fprintf(w, "%s\t%.3f\t%.3f", labels[i], m.Weight, m.Figure)
			if epochs {
				fmt.Fprintf(w, "\t%d", m.Epoch)
			}
			fmt.Fprintln(w)
		}
	})
}

// trainFlags are the flags that choose what is trained.
type trainFlags struct {
	set     settings
	from    string
	weights *neural.Weights // of from
	learner string
	setting string
	flags   *pflag.FlagSet
}

func (t *trainFlags) addTo(f *pflag.FlagSet) {
	t.flags = f
	t.set.grid = neural.Grid{"pooling": {"syn"}}
	f.StringVar(&t.learner, "learner", "", "`name` of a learner other than networks: "+strings.Join(learners.Names(), ", "))
	f.StringVar(&t.setting, "setting", "", "JSON `object` of fields that replace the default setting of --learner, say '{\"c\":3}'")
	f.StringVar(&t.from, "from", "", "`file` of safetensors with the weights that a network begins with")
	inGroup(f, networkFlags, func() { t.set.addTo(f, true) })
}

// fromWeights returns the setting of the weights of --from, with the flags on top.
func (t *trainFlags) fromWeights() (*neural.Config, error) {
	if t.flags.Changed("learner") {
		return nil, errors.New("--from: the weights of a network; leave --learner out")
	}
	if t.flags.Changed("setting") {
		return nil, errors.New("--setting: the setting of a learner that is no network; leave it or --from out")
	}
	data, err := disk.ReadFile(t.from)
	if err == nil {
		t.weights, err = neural.ReadWeights(data)
	}
	if err != nil {
		return nil, fmt.Errorf("--from %s: %w", t.from, err)
	}
	fields := map[string]any{}
	for name, values := range t.set.grid {
		fields[name] = values[0]
	}
	delete(fields, cv.PoolingKey)
	if t.flags.Changed("pooling") && t.set.grid[cv.PoolingKey][0] != t.weights.Pooling {
		return nil, fmt.Errorf("--pooling %v: the weights of --from are of pooling %s; leave it out", t.set.grid[cv.PoolingKey][0], t.weights.Pooling)
	}
	if fields["epochs"] == 0 { // no training
		t.weights.Untrained, t.set.wrong = true, nil
		delete(fields, "epochs")
	}
	if t.set.wrong != nil {
		return nil, fmt.Errorf("--%w", t.set.wrong)
	}
	config, err := t.weights.Setting(t.set.preset, fields)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return &config, nil
}

// chosen returns the setting that the flags choose, and for a network also its [neural.Config].
func (t *trainFlags) chosen() (json.RawMessage, *neural.Config, error) {
	if t.from != "" {
		config, err := t.fromWeights()
		if err != nil {
			return nil, nil, err
		}
		setting, err := json.Marshal(config)
		return setting, config, err
	}
	if !t.flags.Changed("learner") {
		if t.flags.Changed("setting") {
			return nil, nil, errors.New("--setting: the setting of a learner that is no network; name one with --learner")
		}
		configs, err := t.set.configs()
		if err != nil {
			return nil, nil, err
		}
		setting, err := json.Marshal(configs[0])
		return setting, &configs[0], err
	}
	if t.flags.Changed("pooling") {
		return nil, nil, errors.New("--pooling: one model is trained; leave out --pooling or --learner")
	}
	flag := t.set.firstGiven()
	if t.flags.Changed("preset") {
		flag = "preset"
	}
	if flag != "" {
		return nil, nil, fmt.Errorf("--%s: a setting of networks; use --setting for fields of --learner %s", flag, t.learner)
	}
	settings, err := learnerSettings(false, t.learner)
	if err != nil {
		return nil, nil, err
	}
	if t.flags.Changed("setting") {
		setting, err := learners.Override(t.learner, json.RawMessage(t.setting))
		if err != nil {
			return nil, nil, fmt.Errorf("--setting of %s: %w", t.learner, err)
		}
		return setting, nil, nil
	}
	return settings[0], nil, nil
}
