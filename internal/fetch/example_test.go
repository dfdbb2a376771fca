package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"synpool/internal/fetch"
)

func ExampleGetter_Get() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") }))
	defer server.Close()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	file := filepath.Join(folder, "hello.txt")
	sums := fetch.Sums{Bytes: 6, SHA256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"}
	if err := fetch.Default().Get(context.Background(), server.URL, file, sums, fetch.Terminal(os.Stderr)); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(file)
	fmt.Printf("%s", text)
	// Output: hello
}
