// Package flow is where the analysis walks: it alone follows the edges of SSA, from
// block to block and from value to value, and it alone decides when a walk ends. It
// knows control flow, uses and operands, and how questions that depend on each other
// are answered; it knows nothing of files, locks or paths.
//
// There are four mechanisms, and each has its bound here:
//
//   - [Graph]: searches of the control-flow graph of one function. Each takes every
//     edge once; which blocks come after which is known from bit sets made once.
//   - [Forward]: a forward problem over a semilattice of finite height, by a worklist,
//     until nothing changes.
//   - [Query]: questions about values, functions or pairs of them. Each is answered
//     once; those that depend on each other are answered together, in rounds, so that
//     the answer does not depend on which was asked first.
//   - [Reach]: everything that a step leads to from where a walk begins, each once.
//
// All of them count their steps on the [Budget] of the package under analysis. Where
// it ends, the answer is the one that says least, and the budget tells who gave up on
// what.
package flow
