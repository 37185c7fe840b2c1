package latelock_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/latelock"
)

var check = checktest.Check{Name: latelock.Name, Doc: latelock.Doc, Goldens: 3}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Mended(t) }
