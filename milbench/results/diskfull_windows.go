package results

import "syscall"

// ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and ERROR_DISK_QUOTA_EXCEEDED.
var diskFull = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}
