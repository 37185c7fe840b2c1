package clobber_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/clobber"
	"github.com/lockvet/lockvet/analyzer/internal/checktest"
)

var check = checktest.Check{Name: clobber.Name, Doc: clobber.Doc, Goldens: 1}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
