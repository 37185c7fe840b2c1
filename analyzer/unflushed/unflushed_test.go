package unflushed_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/unflushed"
)

var check = checktest.Check{Name: unflushed.Name, Doc: unflushed.Doc, Goldens: 1}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
