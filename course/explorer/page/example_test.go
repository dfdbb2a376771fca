package page_test

import (
	"context"
	"fmt"
	"strings"

	"synpool/course/explorer/page"
)

func ExampleBuild() {
	html, err := page.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.HasPrefix(string(html), "<!doctype html>"), len(html) < 1_500_000)
	// Output: true true
}

func ExampleFrame() {
	fmt.Println(page.Frame([]byte(`<p title="a page">Hello.</p>`), 200))
	// Output: <iframe title="Syn explorer" style="width:100%;height:200px;border:0" srcdoc="&lt;p title=&#34;a page&#34;&gt;Hello.&lt;/p&gt;"></iframe>
}

func ExampleShow() {
	fmt.Println(page.Show()) // in a cell of a GoNB notebook the page appears under it
	// Output: <nil>
}
