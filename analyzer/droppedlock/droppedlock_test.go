package droppedlock_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer/droppedlock"
	"github.com/lockvet/lockvet/analyzer/internal/checktest"
)

var check = checktest.Check{Name: droppedlock.Name, Doc: droppedlock.Doc}

func TestFixtures(t *testing.T) { check.Fixtures(t) }
