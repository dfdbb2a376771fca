package notebooks

import (
	"flag"
	"log"
	"os"
	"testing"
)

// TestMain leaves out the tests that take minutes, unless -run or -skip say which ones are wanted.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" {
		if err := flag.Set("test.skip", "^TestExecute"); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}
