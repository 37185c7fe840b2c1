package racycreate_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/racycreate"
)

var check = checktest.Check{Name: racycreate.Name, Doc: racycreate.Doc, Goldens: 1}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
