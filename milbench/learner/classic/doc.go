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
// Features are standardised over the instances of the training part: mean 0 and standard deviation 1; those of sparse
// sets are scaled alone, so that their zeros stay zeros.
package classic
