// Package plotting draws figures in one theme: light, readable in print, and suitable for colour-blind readers. Curves and
// classes differ in shape or stroke as well as in colour; the palette is that of Okabe and Ito (2008).
//
// # Glossary
//
//   - figure: a drawing of a fixed size. There is one constructor per kind of figure, which checks the data.
//   - format: PNG at 192 dots per inch, SVG or PDF, chosen by the file name extension ([Figure.Save]). In a GoNB notebook,
//     [Figure.Show] displays a figure.
//   - ribbon: a translucent area behind a curve of means, which shows their spread or confidence interval.
//
// # Figures
//
//	[ConvergencePanels]                   order parameters over the steps of networks
//	[EnergyTraces]                        energy over the steps of a network
//	[Functions]                           functions such as f and its inverse
//	[Capacity]                            number of stored patterns by number of components, measured and expected
//	[Simplex]                             trajectories of three weights
//	[AttentionBars]                       weights of a bag's instances, by pooling and by head
//	[ImageShares]                         weights of images as shares, always on a scale from 0 to 1
//	[TileMap]                             values of the tiles of a slide, at their positions over a thumbnail
//	[ImageBags]                           weights of images
//	[WordShares], [ShareBars], [ShareMap] shares of words, bags and tables, always on a scale from 0 to 1
//	[Comparison]                          differences of settings from a reference, with their verdicts
//	[Scatter], [ScatterPanels]            bags or instances in two dimensions, such as those of [PCA] and [TSNE]
//	[Training], [WinnerTransfers]         loss, AUC and changes of winners, by epoch
//	[Reliability]                         reliability diagrams: calibration of probabilities
//	[Confusion], [Predictions]            confusion matrices, and predicted against true numbers
//	[Survival]                            survival curves of groups, with numbers at risk
//	[Intervals], [AUCIntervals]           confidence intervals of settings on data sets, by R² and other measures, and by AUC
//	[CriticalDifference]                  average ranks of methods over data sets
//	[AUCTable]                            AUC of learners on data sets, with the best of each set marked
//	[AUCDifferences]                      differences in AUC between settings
//	[Sweep]                               AUC against a number, such as the number of steps
//
// Data must be finite, with absolute values of at most 1e100. Text may contain Greek letters, arrows, and superscript and
// subscript digits and signs (f⁻¹, x₁₂). Characters that the fonts lack, such as ∈ and Chinese characters, are left blank.
package plotting
