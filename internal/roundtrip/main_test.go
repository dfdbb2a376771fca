package main

import (
	"context"
	"regexp"
	"testing"
)

// TestRoundTrip exports, reads and compares a model of every pooling and learner, and one of each way to join or calibrate them.
// .ci/full runs all kinds of targets, all settings and the named sets, also in onnxruntime.
func TestRoundTrip(t *testing.T) {
	once := regexp.MustCompile(`^(\w+-binary|[\w-]+-binary-0|miles-binary-3|instance-binary-3|gated-(classes|real|survival)|dsmil-classes|syn-(gamma.*-I(-3|20)|norm.*)|gated-cox|\w+-varied|statistics-trees-(classes|real)-0|citation-knn-(classes|real)-0|ensemble-.*-classes|calibrated-.*-classes|few.*|table.*|distance-svm-.*-binary)$`)
	cases := 0
	err := run(context.Background(), t.TempDir(), nil, false, once.MatchString, func(line string) {
		cases++
		t.Log(line)
	})
	if err != nil {
		t.Error(err)
	}
	if cases < 50 {
		t.Errorf("%d cases, want at least 50", cases)
	}
}
