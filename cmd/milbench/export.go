package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench"
)

// export is the subcommand that writes a trained model as ONNX.
func (p *program) export() *cobra.Command {
	var batch bool
	c := &cobra.Command{
		Use:   "export MODEL FILE.onnx|FILE.safetensors",
		Short: "Write a trained model as ONNX, or a network's weights for PyTorch",
		Long: `ONNX:
The file contains everything that the model does to a bag: missing values, words, scaling, scores,
weights and probabilities. onnxruntime runs it in Python, C++, Java, C# and a browser, and
milbench predict FILE.onnx reads it back.

Input:   instances [instances, columns], float32. Columns are those of the training file, in order;
         the metadata "columns" names them. NaN is a missing value where training had some, and
         makes the score NaN elsewhere. A column of words is an input of its own, words.NAME.
         Features with a centre, such as dates, need float64.
Output:  score, probability, weights, instance_score, and for survival alive; those that the model
         has. Package milbench/export describes their shapes.

--batch writes a file for several bags at once: instances [bags, instances, columns] and mask [bags,
instances], which is false for padding.

Some models cannot be written: those with earth mover's distances (distance-svm by default, and auto
if it chose them). milbench train --learner auto --exportable leaves them out from the start.

safetensors:
The weights of a network, with the names of PyTorch's state dicts: ABMIL (--pooling attention),
gated ABMIL (gated), CLAM-SB (clam with two classes and one layer) and hflayers' HopfieldPooling
(hopfield); other poolings have the names of this program. The scaling of features is part of the
first layer, so that the network takes features as they are in files. milbench train --from reads
such files.`,
		Example: `  milbench export model model.onnx
  milbench predict model.onnx new.csv
  milbench export model weights.safetensors`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if end := strings.ToLower(filepath.Ext(args[1])); end != ".onnx" && end != ".safetensors" {
				return errors.New(args[1] + ": the name of the file must end in .onnx or .safetensors")
			}
			machine := p.machine(0, 0)
			defer machine.Close()
			model, err := milbench.Load(args[0], machine)
			if err != nil {
				return err
			}
			if warning := model.Leaked(); warning != "" {
				p.note("note: %s", warning)
			}
			return model.Export(args[1], batch)
		},
	}
	c.Flags().BoolVar(&batch, "batch", false, "write a file for several bags at once, with a mask")
	return c
}
