// Package classic has learners that need no graph: what a deep model must beat.
//
// # Glossary
//
//   - instance classifier: a classifier of single instances, each of which is given the label of its bag in
//     training; the score of a bag is the maximum over its instances. Known as SI-SVM with the hinge loss ([Instance]).
//     Linear, or with a radial kernel.
//   - concept: a training instance that bags are compared with ([MILES]).
//   - witness: the instance of a positive bag that stands for the bag in training ([BagMISVM]).
//   - references and citers: the training bags nearest to a bag, and those that it is among the nearest to ([CitationKNN]).
//   - codebook: centres of clusters of instances, its words; the histogram of a bag has the share of its instances
//     nearest to each word ([BagOfWords]).
//   - Fisher vector: how the likelihood of the instances of a bag changes with the means and deviations of a mixture of
//     Gaussian densities ([FisherVectors]).
//   - setting: the struct of a learner, as JSON.
//   - margin: y f(x) of an instance with y = 1 in a positive and -1 in a negative bag.
//
// # Kinds of targets
//
// All learners take binary targets. [StatisticsSVM], [BagOfWords], [FisherVectors], [DistanceSVM], [SetKernelSVM], [MInD],
// [StatisticsTrees] and [CitationKNN] take classes and real targets, too. The others assume that positive instances make a bag
// positive, and take binary targets alone. None takes survival.
//
//   - Support vector machines of classes: one machine for each class, fitted to its bags against the rest; the score of the class is
//     its decision value. The largest names the class. Scores are no logarithms of odds: their softmax is no probability.
//     Balanced weighs the class and the rest alike. A class without training bags has the score -1. (R. Rifkin and A. Klautau, "In
//     defense of one-vs-all classification", JMLR 5 (2004).)
//   - Support vector machines of real targets: regression with an epsilon tube. Targets are standardised by mean and standard deviation
//     (divided by n) of the training part; a target within Epsilon standard deviations of the value costs nothing, and C is the cost
//     of one standard deviation beyond. Epsilon is 0.1 where a setting has none, or 0; for the absolute error take 1e-6. The score
//     is the value in units of the targets. Balanced does nothing.
//   - Trees and citation-kNN: see there.
//
// Costs are estimated for binary targets. Machines of k classes take up to k times as long, apart from what fits share, and trees of real
// targets longer by the square root of the number of statistics.
//
// The score of an instance is by how much the score of its bag falls without it; of classes the largest score of the bag.
//
// Features are standardised over the instances of the training part: mean 0 and standard deviation 1; those of sparse
// sets are scaled alone, so that their zeros stay zeros.
package classic
