package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestWeights: the committed weights are what the fit to the committed rows gives, each time.
func TestWeights(t *testing.T) {
	rows, err := readRows(filepath.Join("..", "..", labelled))
	if err != nil {
		t.Fatal(err)
	}
	want, err := learn(rows).source()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", weights))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rows give: run go run ./tools/learn", weights)
	}
}

// TestOrder: the fit sees the rows in one order, whatever the order of the file.
func TestOrder(t *testing.T) {
	rows, err := readRows(filepath.Join("..", "..", labelled))
	if err != nil {
		t.Fatal(err)
	}
	sortRows(rows)
	other := slices.Clone(rows)
	slices.Reverse(other)
	sortRows(other)
	for i := range rows {
		if !reflect.DeepEqual(rows[i], other[i]) {
			t.Fatalf("row %d is %+v and %+v", i, rows[i], other[i])
		}
	}
}

// TestHeldOut: what tells how good the weights are is of no repository that they are fitted to.
func TestHeldOut(t *testing.T) {
	rows, err := readRows(filepath.Join("..", "..", labelled))
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := readRows(filepath.Join("..", "..", heldOut))
	if err != nil || len(unseen) == 0 {
		t.Fatal(len(unseen), err)
	}
	for _, r := range unseen {
		if slices.ContainsFunc(rows, func(o Row) bool { return o.Repository == r.Repository }) {
			t.Errorf("%s is fitted to", r.Repository)
		}
	}
}

// TestFit: a feature that tells wanted findings from others gets a weight of its sign, one that tells nothing gets
// none, and one that points against its sign gets none either.
func TestFit(t *testing.T) {
	p := &problem{signs: []int{1, 1, -1, 1}, groups: 1}
	for i := range 400 {
		s := sample{groups: []int{0}, asRead: []int{0}, weight: 1, wanted: i%2 == 0}
		if i%2 == 0 == (i%10 != 0) {
			s.features = append(s.features, 0)
		} else {
			s.features = append(s.features, 3)
		}
		if i%4 < 2 {
			s.features = append(s.features, 1)
		}
		if i%2 == 1 && i%3 == 0 {
			s.features = append(s.features, 2)
		}
		p.samples = append(p.samples, s)
	}
	m := p.fit(1)
	if w := m.weights; w[0] <= 1 || w[1] != 0 || w[2] >= -1 || w[3] != 0 {
		t.Errorf("the weights are %.2f", w)
	}
	if c := m.chance(p.samples[2]); c < 0.9 {
		t.Errorf("a sample with the feature has a chance of %.2f", c)
	}
	chances := make([]float64, len(p.samples))
	for i, s := range p.samples {
		chances[i] = m.chance(s)
	}
	if a := p.auc(chances); math.Abs(a-1) > 0.1 {
		t.Errorf("the area under the curve is %.2f", a)
	}
}

// TestCrossValidate: the chance of a sample is that of a model which has not seen its repository.
func TestCrossValidate(t *testing.T) {
	p := &problem{signs: []int{1}, groups: 1}
	var folds []string
	for i := range 40 {
		fold := "common"
		s := sample{groups: []int{0}, asRead: []int{0}, weight: 1, wanted: i%2 == 0}
		if i >= 20 {
			fold, s.features, s.wanted = "alone", []int{0}, true
		}
		p.samples, folds = append(p.samples, s), append(folds, fold)
	}
	chances := p.crossValidate(folds, 0.1)
	if seen := p.fit(0.1).chance(p.samples[30]); seen < 0.8 || chances[30] > 0.6 {
		t.Errorf("with its repository %.2f, without %.2f", seen, chances[30])
	}
}
