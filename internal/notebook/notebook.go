// Package notebook sends what a cell shows to the GoNB notebook that runs it.
package notebook

import (
	"errors"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Patience is how long a notebook may take to acknowledge what it is sent. Tests make it shorter.
var Patience = time.Minute

// Running reports whether a cell of a notebook runs the program.
func Running() bool { return gonbui.IsNotebook }

// Send shows data under the cell and returns when the notebook has it: it drops what it has not read when a program ends.
func Send(data *protocol.DisplayData) error {
	sent := make(chan error, 1)
	go func() { // gonbui waits without end for a notebook that is gone
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
