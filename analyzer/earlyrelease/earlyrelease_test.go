package earlyrelease_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/earlyrelease"
	"github.com/lockvet/lockvet/analyzer/internal/checktest"
)

var check = checktest.Check{Name: earlyrelease.Name, Doc: earlyrelease.Doc, Goldens: 4}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Mended(t) }
