package page

import (
	"context"
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
)

// frameHeight is enough for the page in a notebook of usual width.
const frameHeight = 1100

// Show builds the page and displays it under the cell of a GoNB notebook that calls it. Outside of a notebook it does
// nothing.
func Show() error {
	if !gonbui.IsNotebook {
		return nil
	}
	html, err := Build(context.Background())
	if err != nil {
		return err
	}
	gonbui.DisplayHTML(Frame(html, frameHeight))
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("showing the explorer page: %w", err)
	}
	return nil
}
