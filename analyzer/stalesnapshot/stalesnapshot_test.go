package stalesnapshot_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/stalesnapshot"
)

var check = checktest.Check{Name: stalesnapshot.Name, Doc: stalesnapshot.Doc, Memory: true}

func TestFixtures(t *testing.T) { check.Fixtures(t) }
