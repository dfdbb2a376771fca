//go:build unix

package study

import "syscall"

var diskFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
