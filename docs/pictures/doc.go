// Package pictures draws the pictures of the README and of the guides: its tests compute what a picture shows, and compare the drawing with the
// file that stands here. With -update they write it.
package pictures
