package lostupdate_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/lostupdate"
)

var check = checktest.Check{Name: lostupdate.Name, Doc: lostupdate.Doc}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }
