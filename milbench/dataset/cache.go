package dataset

// variable is the environment variable with the folder of the sets.
const variable = "MILBENCH_DATA"

// Paths returns the paths of the set's files, in the order of Files, in the folder $MILBENCH_DATA or else the folder
// milbench in the user's cache. The files exist once they have been fetched.
func (e Entry) Paths() ([]string, error) { return e.set().Paths() }
