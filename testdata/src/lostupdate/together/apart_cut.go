package together

// cutMarks stands in another source file than addMark, and a fix is of one.
func cutMarks(dir string) error {
	m, err := loadMarks(dir)
	if err != nil {
		return err
	}
	m.Names = m.Names[:0]

	return saveMarks(dir, m) // want `cutMarks loads dir/marks.json.*no fix: addMark saves the file, too, at apart.go:34, and would not have the lock: it stands in another source file`
}
