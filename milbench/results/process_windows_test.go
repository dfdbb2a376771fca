package results

// namesOwner means that another process can read who holds the lock.
const namesOwner = false
