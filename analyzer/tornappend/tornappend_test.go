package tornappend_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/tornappend"
)

var check = checktest.Check{Name: tornappend.Name, Doc: tornappend.Doc, Goldens: 9}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
