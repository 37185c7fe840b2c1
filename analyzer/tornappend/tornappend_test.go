package tornappend_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/tornappend"
)

var check = checktest.Check{Name: tornappend.Name, Doc: tornappend.Doc}

func TestFixtures(t *testing.T) { check.Fixtures(t) }
