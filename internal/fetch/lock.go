package fetch

import "errors"

// errLocked says that another process, or another call in this one, holds the lock.
var errLocked = errors.New("locked")
