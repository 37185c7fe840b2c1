package main

import (
	"math"
	"slices"
)

// A sample is a labelled finding as the fit sees it: the indices of its features, those of the groups whose offsets it
// shares, and whether a maintainer wants it.
type sample struct {
	features []int
	groups   []int
	asRead   []int // groups, had the readers read it: by these its chance is told
	wanted   bool
	weight   float64
}

// A problem is what a model is fitted to. A positive sign says that the weight of a feature is never negative, a
// negative one that it is never positive.
type problem struct {
	samples []sample
	signs   []int
	groups  int
}

// A model is a fitted logistic regression.
type model struct {
	base    float64   // of all
	offsets []float64 // of each group, on top of base
	weights []float64 // of each feature
}

// The offset of a group, a check or a category, is drawn to
// zero as by a prior of standard deviation 1, so that a group with few rows is judged as all are.
const (
	offsetPenalty = 0.3
	tolerance     = 1e-5
	maxRounds     = 5000
)

// fit minimises the log loss with an L1 penalty on the weights, by coordinate descent. Each step goes to the minimum
// of a parabola that lies above the loss, so that the loss never grows; the curvature of the logistic loss is at most
// 1/4. Package optimize of gonum has no method for bounded variables, which the signs make of the weights.
func (p *problem) fit(lambda float64) *model {
	m := &model{offsets: make([]float64, p.groups), weights: make([]float64, len(p.signs))}
	logits := make([]float64, len(p.samples))
	byFeature, byGroup := make([][]int, len(p.signs)), make([][]int, p.groups)
	all := make([]int, len(p.samples))
	for i, s := range p.samples {
		all[i] = i
		for _, g := range s.groups {
			byGroup[g] = append(byGroup[g], i)
		}
		for _, f := range s.features {
			byFeature[f] = append(byFeature[f], i)
		}
	}
	// slope is the derivative of the loss by a term that the samples share, curve a bound of the second one.
	slope := func(samples []int) (slope, curve float64) {
		for _, i := range samples {
			s := &p.samples[i]
			y := 0.0
			if s.wanted {
				y = 1
			}
			slope += s.weight * (logistic(logits[i]) - y)
			curve += s.weight / 4
		}
		return slope, curve
	}
	move := func(value *float64, to float64, samples []int) float64 {
		by := to - *value
		*value = to
		for _, i := range samples {
			logits[i] += by
		}
		return math.Abs(by)
	}
	for range maxRounds {
		g, h := slope(all)
		moved := move(&m.base, m.base-g/h, all)
		for k, samples := range byGroup {
			g, h := slope(samples)
			moved = max(moved, move(&m.offsets[k], m.offsets[k]-(g+offsetPenalty*m.offsets[k])/(h+offsetPenalty), samples))
		}
		for f, samples := range byFeature {
			if len(samples) == 0 {
				continue
			}
			sign := float64(p.signs[f])
			g, h := slope(samples)
			to := max(0, sign*m.weights[f]-(sign*g+lambda)/h)
			moved = max(moved, move(&m.weights[f], sign*to, samples))
		}
		if moved < tolerance {
			break
		}
	}
	return m
}

// chance is how likely a finding is wanted by the readers.
func (m *model) chance(s sample) float64 {
	logit := m.base
	for _, g := range s.asRead {
		logit += m.offsets[g]
	}
	for _, f := range s.features {
		logit += m.weights[f]
	}
	return logistic(logit)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// without are the samples of which leaveOut says no.
func (p *problem) without(leaveOut func(int) bool) *problem {
	q := &problem{signs: p.signs, groups: p.groups}
	for i, s := range p.samples {
		if !leaveOut(i) {
			q.samples = append(q.samples, s)
		}
	}
	return q
}

// crossValidate is the chance of each sample, had the readers read it, by a model that was fitted without the samples
// of its fold.
func (p *problem) crossValidate(folds []string, lambda float64) []float64 {
	chances := make([]float64, len(p.samples))
	for _, fold := range slices.Compact(slices.Sorted(slices.Values(folds))) {
		m := p.without(func(i int) bool { return folds[i] == fold }).fit(lambda)
		for i, s := range p.samples {
			if folds[i] == fold {
				chances[i] = m.chance(s)
			}
		}
	}
	return chances
}

// auc is the share of pairs of a wanted sample and one that is not in which the wanted one has the higher chance.
func (p *problem) auc(chances []float64) float64 {
	var pairs, right float64
	for i, a := range p.samples {
		for j, b := range p.samples {
			if !a.wanted || b.wanted {
				continue
			}
			pairs++
			switch {
			case chances[i] > chances[j]:
				right++
			case chances[i] == chances[j]:
				right += 0.5
			}
		}
	}
	return right / max(1, pairs)
}
