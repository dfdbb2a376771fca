// Package milbench learns from bags of instances (multiple-instance learning, MIL): it opens and audits data, compares
// learners on the same folds, trains models, and applies, explains and judges them.
//
//	set, err := milbench.Open("bags.csv", milbench.Reading{})
//	compared, err := milbench.Compare(ctx, milbench.Comparison{Sets: []*mil.Set{set}}, nil)
//	setting, err := milbench.Setting("gated", nil)
//	model, err := milbench.Train(ctx, set, milbench.Training{Setting: setting}, nil)
//	fresh, err := model.Open("new.csv", milbench.Reading{})
//	scores, err := model.Predict(ctx, fresh)
//	weights, err := model.Explain(ctx, fresh)
//	err = model.Save("model")
//
// The command and the notebook cells stand on these functions. Errors name what they are about by the flags of the command, so
// --positive is the field Positive of [Reading], and --instance-label-column its Column.
//
// The folders have the parts: mil the vocabulary, cv cross-validation, learner and learners what trains, dataset the readers, run,
// results and stats what becomes of fits, evaluate, calibrate and predict what becomes of models.
package milbench
