package report

import "errors"

// errIncomplete says that a calculation needs more results than there are.
var errIncomplete = errors.New("too little has been run")

// failure is what a calculation panics with when it cannot go on. Inside the package a table is a table, not a table and an error; where
// the package is entered, [caught] makes an error of it. Packages encoding/json and text/template work the same way.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// must returns a value, or fails.
func must[T any](v T, err error) T {
	try(err)
	return v
}

// try fails on an error.
func try(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// need fails if too little has been run.
func need(enough bool) {
	if !enough {
		try(errIncomplete)
	}
}

// caught sets the error of a function that it is deferred in to what a calculation failed with.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.error
	default:
		panic(r)
	}
}
