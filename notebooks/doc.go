// Package notebooks holds the project's GoNB notebooks; its tests keep them true.
//
// go test ./notebooks looks at what is saved: form, code, outputs. With -run Execute it runs every notebook in the real
// kernel and compares the numbers, which needs notebooks/lab --install. The module in browser looks at them in Chromium.
package notebooks
