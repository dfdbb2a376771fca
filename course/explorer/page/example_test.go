package page_test

import (
	"fmt"

	"synpool/course/explorer/page"
)

func ExampleFrame() {
	fmt.Println(page.Frame([]byte(`<p title="a page">Hello.</p>`), 200))
	// Output: <iframe title="Syn explorer" style="width:100%;height:200px;border:0" srcdoc="&lt;p title=&#34;a page&#34;&gt;Hello.&lt;/p&gt;"></iframe>
}

func ExampleShow() {
	fmt.Println(page.Show()) // in a cell of a GoNB notebook the page appears under it
	// Output: <nil>
}
