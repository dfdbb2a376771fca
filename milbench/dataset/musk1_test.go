package dataset

import (
	"testing"
)

func TestMusk1(t *testing.T) {
	s, err := Musk1()
	must(t, err)
	_, sets, _ := reference(t)
	requireSummary(t, s, sets["clean1.data"])
	if s.Name != "musk1" || s.Bags[0].ID != "MUSK-188" || s.Bags[91].ID != "NON-MUSK-jp13" {
		t.Errorf("set %s, bags %s to %s", s.Name, s.Bags[0].ID, s.Bags[91].ID)
	}
}
