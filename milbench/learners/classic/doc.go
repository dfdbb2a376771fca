// Package classic has the classical learners, which do not need a graph. A deep model should beat them.
//
// # Glossary
//
//   - instance classifier: a classifier of single instances. In training, each instance gets the label of its bag; the score
//     of a bag is the maximum over its instances. With the hinge loss, it is known as SI-SVM ([Instance]). It is linear or has
//     a radial kernel.
//   - concept: a training instance that bags are compared with ([MILES]).
//   - witness: the instance that represents its positive bag in training ([BagMISVM]).
//   - references and citers: the training bags nearest to a bag, and those that have the bag among their nearest
//     ([CitationKNN]).
//   - codebook: cluster centres of instances, called words. The histogram of a bag holds the share of its instances
//     nearest to each word ([BagOfWords]).
//   - Fisher vector: the change of the likelihood of a bag's instances with the means and deviations of a mixture of
//     Gaussian densities ([FisherVectors]).
//   - linear probe: logistic regression on the mean of a bag's instances ([LinearProbe]).
//   - setting: the struct of a learner, as JSON.
//   - margin: y f(x) of an instance, where y = 1 in a positive bag and -1 in a negative one.
//
// # Kinds of targets
//
// All learners take binary targets. [StatisticsSVM], [BagOfWords], [FisherVectors], [DistanceSVM], [SetKernelSVM],
// [MInD], [StatisticsTrees] and [CitationKNN] also take classes and real targets; [LinearProbe] and [NearestMean] also take classes. The others assume that positive
// instances make a bag positive, and take only binary targets. None takes survival.
//
//   - Support vector machines for classes: there is one machine per class, fitted to its bags against the rest. Its decision
//     value is the score of the class, and the largest score names the class. Scores are not log-odds: their softmax is not a
//     probability. Balanced gives the class and the rest the same total weight. A class without training bags has the score
//     -1. (R. Rifkin and A. Klautau, "In defense of one-vs-all classification", JMLR 5 (2004).)
//   - Support vector machines for real targets: regression with an epsilon tube. Targets are standardised by the mean and
//     standard deviation (divided by n) of the training part. A target within Epsilon standard deviations of the prediction
//     costs nothing, and C is the cost of one standard deviation beyond. Epsilon is 0.1 if the setting has none or 0; use 1e-6
//     for the absolute error. The score is in units of the targets. Balanced has no effect.
//   - The others: see [StatisticsTrees], [CitationKNN], [LinearProbe] and [NearestMean].
//
// Costs are estimated for binary targets. Machines for k classes take up to k times as long, apart from what fits
// share. Trees for real targets take longer by the square root of the number of statistics.
//
// The score of an instance is the drop of its bag's score without the instance; for classes, of the bag's largest
// score. Linear models of means score an instance like a bag that holds it alone.
//
// Features are standardised over the instances of the training part to mean 0 and standard deviation 1. Features of
// sparse sets are only scaled, so that zeros stay zeros.
package classic
