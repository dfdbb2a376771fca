// Package notebooks has the project's GoNB notebooks and their tests.
//
// go test ./notebooks checks the saved notebooks: form, code and outputs. With -run Execute it runs every notebook in the
// real kernel and compares the numbers; this needs notebooks/lab --install. The module in browser tests them in Chromium.
package notebooks
