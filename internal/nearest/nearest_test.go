package nearest

import "testing"

func TestName(t *testing.T) {
	names := []string{"enable", "disable", "text", "tornwrite", "tornwrite/inplace"}
	for given, want := range map[string]string{
		"enabel": "enable", "Enable": "enable", "txt": "text", "tornwrit": "tornwrite", "tornwrite/inplase": "tornwrite/inplace",
		"etxt": "text", "torn": "", "dis": "disable", "tornwrite/in": "tornwrite/inplace", "di": "",
		"x": "", "latelock": "", "": "",
	} {
		if got := Name(given, names); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for given, want := range map[string]string{
		"b": "", "bb": `there is no flag "bb"; did you mean "b"?`, "other": `there is no flag "other"; there are: a, b`,
	} {
		_, err := Of("flag", given, []string{"a", "b"})
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", given, err, want)
		}
	}
}
