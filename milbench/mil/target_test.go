package mil

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestTargetKindText(t *testing.T) {
	for _, kind := range []TargetKind{BinaryTarget, ClassTarget, RealTarget, SurvivalTarget} {
		text, err := json.Marshal(kind)
		if err != nil {
			t.Fatal(err)
		}
		var back TargetKind
		if err := json.Unmarshal(text, &back); err != nil || back != kind || string(text) != fmt.Sprintf("%q", kind) {
			t.Errorf("%v becomes %s and %v, %v", kind, text, back, err)
		}
	}
	var kind TargetKind
	if err := kind.UnmarshalText([]byte("ordinal")); err == nil || !strings.Contains(err.Error(), "binary, classes, real, survival") {
		t.Errorf("error %v", err)
	}
	if _, err := TargetKind(9).MarshalText(); err == nil || TargetKind(9).String() != "TargetKind(9)" {
		t.Errorf("%v, error %v", TargetKind(9), err)
	}
}
