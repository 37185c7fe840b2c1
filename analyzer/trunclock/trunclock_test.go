package trunclock_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/trunclock"
)

var check = checktest.Check{Name: trunclock.Name, Doc: trunclock.Doc, Goldens: 4}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
