//go:build !linux

package backend

import "errors"

func affinity() ([]int, error) { return nil, errors.ErrUnsupported }

var setAffinity = func([]int) error { return errors.ErrUnsupported }

func setThreadAffinity(int, []int) error { return errors.ErrUnsupported }

func threadIDs() map[int]bool { return nil }
