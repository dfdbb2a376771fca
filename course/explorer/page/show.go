package page

import (
	"fmt"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"synpool/docs"
	"synpool/internal/notebook"
)

// frameHeight is enough for the page in a notebook of normal width.
const frameHeight = 1100

// Show displays the page in docs/explorer.html under the GoNB cell that calls it, in any folder. JupyterLab shows it until
// the notebook is closed; after reopening the notebook, run the cell again. Outside a notebook Show does nothing.
func Show() error {
	if !notebook.Running() {
		return nil
	}
	err := notebook.Send(&protocol.DisplayData{
		Data: map[protocol.MIMEType]any{
			protocol.MIMETextHTML:  Frame(docs.Explorer, frameHeight),
			protocol.MIMETextPlain: "page: Syn explorer", // what is saved
		},
	})
	if err != nil {
		return fmt.Errorf("showing the explorer page: %w", err)
	}
	return nil
}
