package uncommitted_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/uncommitted"
)

var check = checktest.Check{Name: uncommitted.Name, Doc: uncommitted.Doc, Goldens: 1}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
