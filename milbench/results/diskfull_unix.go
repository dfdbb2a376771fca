//go:build unix

package results

import "syscall"

var diskFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
