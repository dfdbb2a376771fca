package paper

import (
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// TestRunsTogether does the runs of a form together and one by one. The results are the same, and fits that several
// runs need are trained once. The set with the leaked column has one more feature and is learnt by itself.
func TestRunsTogether(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	list := runtest.Settings(`{"pooling":"mean"}`, `{"pooling":"max"}`)
	four := func(name string) cv.Protocol { return protocol(name, 4, 2) }
	form := Form{Arms: []Arm{
		{Sets: []string{"musk1"}, Protocol: four("honest"), Settings: list},                                              // 16 fits
		{Sets: []string{"musk1"}, Protocol: four("best-epoch"), Settings: list},                                          // the same
		{Sets: []string{"musk1"}, Protocol: four("published"), Settings: list},                                           // the same, of the first fold
		{Sets: []string{"musk1"}, Protocol: four("nested"), Settings: list, Curves: true},                                // 16 others
		{Sets: []string{"musk1"}, Change: Change{Kind: Leaked}, Protocol: four("honest"), Settings: list},                // 16 others
		{Sets: []string{"musk1"}, Change: Change{Kind: "gaussian", Level: 10}, Protocol: four("honest"), Settings: list}, // 16 others
	}}
	runtest.RequireTogether(t, func(dir string, l learner.Learner) []run.Run {
		runs, _, err := form.Runs(dir, l, 3)
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}, runtest.Sharing{Requested: 5*16 + 4, Different: 4 * 16, Curves: 16, Calls: 2})
}
