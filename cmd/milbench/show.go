package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench/export"
	"synpool/milbench/learners/modeldir"
)

// inspect returns the card and the setting of a model in a folder or a file of ONNX.
func inspect(model string) (modeldir.Card, json.RawMessage, error) {
	if info, err := os.Stat(model); strings.EqualFold(filepath.Ext(model), ".onnx") && (err != nil || !info.IsDir()) {
		read, err := export.Load(model)
		if err != nil {
			return modeldir.Card{}, nil, err
		}
		return *read.Card(), read.About().Setting, nil
	}
	return modeldir.Inspect(model)
}

// show is the subcommand that prints the card of a model.
func (p *program) show() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show MODEL",
		Short: "Print the card of a trained model: data, figures, limits",
		Long: `The card has the training data (checksum, bags, groups, range of each feature), the learner and its
setting, how well such models did on held-out bags, the thresholds, and what the model must not be
used for. --json prints all of it, with every feature.

milbench train writes the card into the folder of the model, milbench export into its file of ONNX.
It has figures if you gave train --results.`,
		Example: `  milbench show model
  milbench show model --json`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			card, setting, err := inspect(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return p.print(true, struct {
					modeldir.Card
					Setting json.RawMessage `json:"setting,omitempty"`
				}{card, setting}, nil)
			}
			return card.Write(p.out, args[0], setting)
		},
	}
	addJSON(c, &asJSON)
	return c
}
