// Package notebook sends the output of a cell to the GoNB notebook that runs it.
package notebook

import (
	"errors"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Patience is how long a notebook may take to acknowledge what it receives. Tests make it shorter.
var Patience = time.Minute

// Running reports whether the program runs in a notebook cell.
func Running() bool { return gonbui.IsNotebook }

// Send shows data under the cell and returns once the notebook has it: a notebook drops data that it has not read when the
// program ends.
func Send(data *protocol.DisplayData) error {
	sent := make(chan error, 1)
	go func() { // gonbui waits forever for a notebook that is gone
		gonbui.SendData(data)
		gonbui.Sync()
		sent <- gonbui.Error()
	}()
	select {
	case err := <-sent:
		return err
	case <-time.After(Patience):
		return errors.New("the notebook does not answer; restart its kernel")
	}
}
