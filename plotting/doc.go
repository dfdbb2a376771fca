// Package plotting draws the figures of the benchmark in one theme: light, readable in print, and told apart by shape
// as well as by colour, with the palette of Okabe and Ito (2008) that colour-blind readers can use.
//
// # Glossary
//
//   - figure: a drawing of a fixed size; a constructor per kind of figure checks the data and returns it ([AUCIntervals],
//     [ROC]).
//   - format: PNG at 192 dots per inch, SVG or PDF; the extension of the file's name decides ([Figure.Save]).
package plotting
