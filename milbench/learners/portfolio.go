package learners

import (
	"encoding/json"
	"errors"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/classic"
)

// DefaultPortfolio returns the default candidates: classical learners of several families, with 5 inner
// folds. Candidates that cannot learn a kind of target are left out; none can learn survival.
func DefaultPortfolio() Portfolio {
	p := Portfolio{Inner: 5, Prior: 2, Unweighted: true}
	add := func(name string, change func(learner.Estimator)) {
		e, err := Find(name)
		if err != nil {
			return
		}
		estimator := e.Default()
		if change != nil {
			change(estimator)
		}
		setting, err := e.Setting(estimator)
		if err != nil {
			panic(fmt.Sprintf("default setting of %s: %v", name, err)) // a struct of numbers and names
		}
		p.Candidates = append(p.Candidates, setting)
	}
	add("statistics-svm", nil)
	// 500 trees, the default of the learner, have the same AUC in the portfolio (Musk 1, Elephant: 0.982 and 0.965 of 20 fits, to
	// within 0.0005), and take up to a quarter of its time.
	add("statistics-trees", func(e learner.Estimator) { e.(*classic.StatisticsTrees).Trees = 200 })
	add("statistics-trees", func(e learner.Estimator) {
		s := e.(*classic.StatisticsTrees)
		s.Statistics, s.MinLeaf, s.Trees = "min max mean sd q25 median q75", 2, 200
	})
	for _, scaling := range classic.Scalings {
		add("distance-svm", func(e learner.Estimator) {
			s := e.(*classic.DistanceSVM)
			*s = classic.DefaultDistanceSVM(classic.EMDCityBlock)
			s.Scaling = scaling
		})
	}
	add("distance-svm", func(e learner.Estimator) {
		s := e.(*classic.DistanceSVM)
		*s = classic.DefaultDistanceSVM(classic.MeanMin)
		s.Scaling = classic.Range
	})
	add("mind", func(e learner.Estimator) { e.(*classic.MInD).C = 10 })
	add("set-kernel-svm", func(e learner.Estimator) { e.(*classic.SetKernelSVM).Gamma = 1 })
	add("miles", nil)
	add("miles", func(e learner.Estimator) {
		s := e.(*classic.MILES)
		s.Gamma, s.C = 4, 10
	})
	add("mi-svm-bag", nil)
	add("citation-knn", nil)
	add(classic.InstanceName, func(e learner.Estimator) {
		*e.(*classic.Instance) = classic.Instance{Loss: classic.Hinge, C: 1, Weighted: true, Gamma: 0.02}
	})
	return p
}

// Settings returns the settings of the named classical learners, or of [AutoName]. Without grids it returns their defaults
// alone, otherwise the settings to choose from with a validation part.
func Settings(grids bool, names ...string) (list []json.RawMessage, err error) {
	for _, name := range names {
		var e learner.Entry
		if name == AutoName {
			var setting json.RawMessage
			if setting, err = DefaultPortfolio().Setting(); err != nil {
				return nil, err
			}
			list = append(list, setting)
			continue
		}
		if e, err = Find(name); err != nil {
			return nil, err
		}
		if !grids {
			e.Grid = nil
		}
		own, err := e.Settings()
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	return list, nil
}

// completed fills in the defaults of a classical learner's setting; other settings are unchanged.
func completed(setting json.RawMessage) (json.RawMessage, error) {
	e, err := Find(learner.Name(setting))
	if err != nil {
		return setting, nil // a network
	}
	values, err := objectOf(setting)
	if err != nil {
		return nil, err
	}
	delete(values, cv.LearnerKey)
	delete(values, cv.PoolingKey)
	return override(e.Name, values)
}

// Override returns the default setting of a learner with some fields replaced by those of a JSON object.
func Override(name string, fields json.RawMessage) (json.RawMessage, error) {
	values, err := objectOf(fields)
	if err != nil {
		return nil, err
	}
	return override(name, values)
}

func override(name string, values map[string]json.RawMessage) (json.RawMessage, error) {
	if name == AutoName {
		p := DefaultPortfolio()
		if err := overwrite(&p, values); err != nil {
			return nil, err
		}
		var err error
		for i, c := range p.Candidates {
			if p.Candidates[i], err = completed(c); err != nil {
				return nil, fmt.Errorf("candidate %d: %w", i+1, err)
			}
		}
		setting, err := p.Setting()
		if err == nil {
			_, _, err = portfolioOf(setting)
		}
		for _, c := range p.Candidates {
			if own := (learner.Classical{Entries: Classic()}); err == nil && own.Learns(c) {
				err = own.CheckSetting(c)
			}
		}
		return setting, err
	}
	e, err := Find(name)
	if err != nil {
		return nil, err
	}
	keys, sample := []string{cv.SampleKey, cv.InstancesKey}, make(map[string]any)
	for _, key := range keys {
		if value, given := values[key]; given {
			sample[key] = value
			delete(values, key)
		}
	}
	estimator := e.Default()
	if err := overwrite(estimator, values, keys...); err != nil {
		return nil, err
	}
	setting, err := e.Setting(estimator)
	if err == nil {
		setting, err = cv.Replace(setting, sample)
	}
	if err != nil {
		return nil, err
	}
	if _, err := e.Parse(setting); err != nil {
		return nil, errors.Unwrap(err) // without the name, which the caller says
	}
	return setting, nil
}
