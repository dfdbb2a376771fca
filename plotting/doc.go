// Package plotting draws figures in one theme: light, readable in print, and told apart by shape or stroke as well as by
// colour, with the palette of Okabe and Ito (2008) that colour-blind readers can use.
//
// # Glossary
//
//   - figure: a drawing of a fixed size; a constructor per kind of figure checks the data and returns it.
//   - format: PNG at 192 dots per inch, SVG or PDF; the extension of the file's name decides ([Figure.Save]). In a cell of
//     a GoNB notebook [Figure.Show] displays a figure.
//   - ribbon: a translucent area behind a curve, over the spread or the confidence interval of what it is the mean of.
//
// # Figures
//
//	[Convergence], [ConvergencePanels]    order parameters over the steps of a network, and of several
//	[EnergyTraces]                        energy over its steps
//	[Functions]                           f and its inverse, mirrored at the diagonal
//	[Capacity]                            patterns stored by their number of components, measured and expected
//	[Simplex]                             trajectories of three weights
//	[AttentionBars], [AttentionHeatMap]   weights over a bag, of poolings and of heads
//	[Alignment], [WeightMap]              weights over source words, and any table of weights
//	[ImageShares]                         shares of images, on a scale from 0 to 1 in every figure
//	[TileMap]                             values of the tiles of a slide in their places, over a thumbnail
//	[Words], [ImageBags]                  weights over text and images; [WordsHTML] writes a page
//	[WordShares], [ShareBars], [ShareMap] shares of words, of a bag and of any table, on a scale from 0 to 1 in every figure
//	[Scatter], [ScatterPanels]            bags or instances in two dimensions, such as those of [PCA] and [TSNE]
//	[Training], [WinnerTransfers]         loss, AUC and changes of winners by epoch
//	[ROC], [ROCBand]                      receiver operating characteristics, of one set of scores and over folds
//	[Reliability]                         how far probabilities can be taken at their word
//	[Confusion], [Predictions]            true and called classes, and true and predicted numbers
//	[Survival]                            survival curves of groups, and how many bags are at risk
//	[Intervals], [AUCIntervals]           settings on sets by R² and by other figures, and by AUC
//	[CriticalDifference]                  ranks of settings over sets
//	[AUCTable]                            AUC of learners on sets, with the best of each set marked
//	[AUCDifferences]                      what changes of settings do to the AUC
//	[Sweep]                               AUC against a number, such as that of steps
//	[Scaling]                             wall time against nodes
//
// Data are finite numbers of a magnitude of at most 1e100. Text may have Greek letters, arrows, and digits and signs raised
// and lowered (f⁻¹, x₁₂); what the fonts lack, such as ∈ and Chinese characters, is left blank.
package plotting
