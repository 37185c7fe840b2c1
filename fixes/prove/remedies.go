package prove

import (
	"reflect"

	"github.com/lockvet/lockvet/internal/finding"
)

// remedies prove that the end states can be reached, each that of its type.
func remedies() map[reflect.Type]remedy {
	return table(
		row((*File).replaceCall),
		row((*File).publishHandle),
		row((*File).collapseTemp),
		row((*File).syncTemp),
		row((*File).cutLocked),
		row((*File).unlockLast),
		row((*File).flushFirst),
		row((*File).spanLock),
		row((*File).lockEarlier),
		row((*File).moveInside),
		row((*File).unlockBehind),
		row((*File).lockToWrite),
		row((*File).lookAgain),
		row((*File).holdOn),
		row((*File).dropRemoval),
		row((*File).releaseLast),
		row((*File).deferLater),
		row((*File).makeExclusive),
		row((*File).holdLock),
		row((*File).keepLock),
		row((*File).commitFile),
		row((*File).closeOnExec),
		row((*File).checkError),
		row((*File).oneWrite),
		row((*File).unbuffer),
		row((*File).surfaceError),
	)
}

// A remedy proves that the end state which a remedy of its type asks for can be reached.
type remedy struct {
	of    reflect.Type
	prove func(*File, finding.Remedy) (*Proof, error)
}

func row[R finding.Remedy](prove func(*File, R) (*Proof, error)) remedy {
	return remedy{reflect.TypeFor[R](), func(s *File, r finding.Remedy) (*Proof, error) { return prove(s, r.(R)) }}
}

func table(rows ...remedy) map[reflect.Type]remedy {
	m := make(map[reflect.Type]remedy)
	for _, r := range rows {
		m[r.of] = r
	}
	return m
}

// Prove proves that the end state of a remedy can be reached, or says why not.
func (s *File) Prove(r finding.Remedy) (*Proof, error) {
	if at := r.Place(); at < s.file.FileStart || s.file.FileEnd <= at {
		return nil, Refusal("it stands in another file")
	}
	if row, ok := s.remedies[reflect.TypeOf(r)]; ok {
		return row.prove(s, r)
	}
	return nil, Refusal("no edit is known for it")
}
